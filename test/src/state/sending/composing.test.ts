import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Body } from '../../../../src/shared/contract';
import {
  change,
  discard,
  EMPTY,
  restore,
  sendWriting,
  writing,
} from '../../../../src/state/sending/composing';
import { fakeApi } from '../../../support/app/app';
import { endSession, signInAs } from '../../../support/app/session';

const test = suite('composing');
const SEND = 'POST /api/admin/messages';
const SENT = { message: 'Sent.', messageId: 'm1', notified: true };

test.before.each(() => {
  fakeApi.install();
  signInAs('ADMIN', { id: 7 });
  restore();
});
test.after.each(() => {
  discard();
  endSession();
  fakeApi.remove();
});

const kept = (): { attempts: unknown[] } =>
  JSON.parse(localStorage.getItem('message_draft') ?? '{}');
const keys = () => fakeApi.asked(SEND).map(({ headers }) => headers.get('Idempotency-Key'));
const body = () => fakeApi.asked(SEND).at(-1)?.body as Body<typeof SEND>;
const text = (message: string) => ({ ...EMPTY, to: [], message });
const tryInVain = async (message: string): Promise<void> => {
  await sendWriting(text(message)).then(
    () => assert.unreachable(),
    () => undefined,
  );
};

test('of attempts without an answer the last five are remembered: a sixth gives up the key of the first', async () => {
  fakeApi.lose(SEND);
  for (const message of ['1', '2', '3', '4', '5', '6']) await tryInVain(message);
  assert.is(kept().attempts.length, 5);
  for (const message of ['2', '6', '1']) await tryInVain(message);
  const [first, second, , , , sixth, ...again] = keys();
  assert.equal(again.slice(0, 2), [second, sixth]);
  assert.is.not(again[2], first);
});

test('an attempt counts as the latest when it is made again', async () => {
  fakeApi.lose(SEND);
  for (const message of ['1', '2', '3', '4', '5', '1', '6', '1']) await tryInVain(message);
  const all = keys();
  assert.equal([all[5], all[7]], [all[0], all[0]]);
});

test('a message that was sent leaves nothing on the device, unless another was begun meanwhile', async () => {
  fakeApi.answer(SEND, SENT);
  change({ message: 'Line 4 is down' });
  assert.is((await sendWriting(writing.value)).messageId, 'm1');
  assert.equal([writing.value, localStorage.getItem('message_draft')], [EMPTY, null]);

  change({ message: 'Line 5 is down' });
  const sending = sendWriting(writing.value);
  change({ message: 'Line 5 is up' });
  await sending;
  assert.is(writing.value.message, 'Line 5 is up');
  assert.equal(kept().attempts, []);
});

test('blank around what was typed is not sent, nor what was left empty', async () => {
  fakeApi.answer(SEND, SENT);
  await sendWriting({ ...text('  Line 4\n'), title: '  ', link: ' /topics ' });
  assert.equal(body(), {
    message: 'Line 4',
    link: '/topics',
    priority: 'normal',
    answers: ['Got it'],
  });
});

test.run();
