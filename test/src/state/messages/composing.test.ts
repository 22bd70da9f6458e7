import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Body } from '../../../../src/shared/contract';
import {
  changeComposed,
  discardComposed,
  EMPTY_MESSAGE,
  composedAudience,
  hasDraftContent,
  isEvening,
  restoreComposed,
  sendToMe,
  sendComposed,
  composedTitle,
  composedMessage,
} from '../../../../src/state/messages/composing';
import { fakeApi } from '../../../support/app/app';
import { endSession, signInAs } from '../../../support/app/session';

const test = suite('composing');
const SEND = 'POST /api/admin/messages';
const SENT = { message: 'Sent.', messageId: 'm1', notified: true };

test.before.each(() => {
  fakeApi.install();
  signInAs('ADMIN', { id: 7 });
  restoreComposed();
});
test.after.each(() => {
  discardComposed();
  endSession();
  fakeApi.remove();
});

const storedAttempts = (): { attempts: unknown[] } =>
  JSON.parse(localStorage.getItem('message_draft') ?? '{}');
const keys = () => fakeApi.requestsTo(SEND).map(({ headers }) => headers.get('Idempotency-Key'));
const sentBody = () => fakeApi.requestsTo(SEND).at(-1)?.body as Body<typeof SEND>;
const createDraft = (message: string) => ({ ...EMPTY_MESSAGE, to: [], message });
const tryInVain = async (message: string): Promise<void> => {
  await sendComposed(createDraft(message)).then(
    () => assert.unreachable(),
    () => undefined,
  );
};

test('remembers the last five unanswered attempts', async () => {
  fakeApi.loseRequests(SEND);
  for (const message of ['1', '2', '3', '4', '5', '6']) await tryInVain(message);
  assert.is(storedAttempts().attempts.length, 5);
  for (const message of ['2', '6', '1']) await tryInVain(message);
  const [first, second, , , , sixth, ...again] = keys();
  assert.equal(again.slice(0, 2), [second, sixth]);
  assert.is.not(again[2], first);
});

test('moves a repeated attempt to the end', async () => {
  fakeApi.loseRequests(SEND);
  for (const message of ['1', '2', '3', '4', '5', '1', '6', '1']) await tryInVain(message);
  const usedKeys = keys();
  assert.equal([usedKeys[5], usedKeys[7]], [usedKeys[0], usedKeys[0]]);
});

test('clears the draft after sending unless another was begun', async () => {
  fakeApi.reply(SEND, SENT);
  changeComposed({ message: 'Line 4 is down' });
  assert.is((await sendComposed(composedMessage.value)).messageId, 'm1');
  assert.equal(
    [composedMessage.value, localStorage.getItem('message_draft')],
    [EMPTY_MESSAGE, null],
  );

  changeComposed({ message: 'Line 5 is down' });
  const sending = sendComposed(composedMessage.value);
  changeComposed({ message: 'Line 5 is up' });
  await sending;
  assert.is(composedMessage.value.message, 'Line 5 is up');
  assert.equal(storedAttempts().attempts, []);
});

test('gives a new draft its own key, also for the same text', async () => {
  fakeApi.loseRequests(SEND);
  await tryInVain('Line 4 is down');
  discardComposed();
  assert.is(localStorage.getItem('message_draft'), null);
  await tryInVain('Line 4 is down');
  const [before, after] = keys();
  assert.is.not(before, after);
});

test('trims the text, and leaves out empty fields', async () => {
  fakeApi.reply(SEND, SENT);
  const topic = { kind: 'topic', id: 3, name: 'Storms' } as const;
  const draft = { ...createDraft('  Line 4\n'), to: [topic] };
  await sendComposed({ ...draft, title: '  ', link: ' /topics ' });
  assert.equal(sentBody(), {
    topicIds: [3],
    message: 'Line 4',
    link: '/topics',
    priority: 'normal',
    answers: ['Got it'],
  });
});

const addressees = [
  { kind: 'person', id: 4, name: 'k.lund' },
  { kind: 'topic', id: 3, name: 'Storms' },
  { kind: 'person', id: 3, name: 'b.szabo' },
  { kind: 'topic', id: 9, name: 'Outages' },
] as const;

test('separates topics and people, in chosen order', () => {
  assert.equal(composedAudience(addressees), { topicIds: [3, 9], userIds: [4, 3] });
  assert.equal(composedAudience(addressees.slice(0, 1)), { userIds: [4] });
  assert.equal(composedAudience([]), {});
});

test('uses the sender’s title, the first topic’s, or the sender’s name for people alone', async () => {
  assert.is(composedTitle({ ...EMPTY_MESSAGE, to: addressees, title: ' Storm ' }), 'Storm');
  assert.is(composedTitle({ ...EMPTY_MESSAGE, to: addressees, title: '  ' }), 'Storms');
  assert.is(composedTitle({ ...EMPTY_MESSAGE, to: addressees.slice(0, 1) }), 'm.okafor');
  fakeApi.reply(SEND, SENT);
  await sendComposed({ ...createDraft('Line 4'), to: addressees.slice(0, 1) });
  assert.is(sentBody().title, 'm.okafor');
});

test('counts anything typed but blanks as a draft', () => {
  assert.not(hasDraftContent({ ...EMPTY_MESSAGE, title: ' ', message: '\n', priority: 'urgent' }));
  for (const part of [{ to: addressees }, { title: 'a' }, { message: 'a' }, { link: 'a' }])
    assert.ok(hasDraftContent({ ...EMPTY_MESSAGE, ...part }), JSON.stringify(part));
});

test('keeps local times of sending and expiry, and the policy, even none', async () => {
  fakeApi.reply(SEND, SENT);
  const { sendAt: _, expiresAt: __, ...rest } = EMPTY_MESSAGE;
  const times = { sendAt: '2026-11-25T08:30', expiresAt: '2026-11-26T21:45' };
  await sendComposed({
    ...rest,
    ...times,
    message: 'a',
    later: true,
    ends: 'time',
    policyId: null,
  });
  const iso = (local: string) => new Date(local).toISOString();
  assert.equal(
    [sentBody().sendAt, sentBody().expiresAt, sentBody().policyId],
    [iso(times.sendAt), iso(times.expiresAt), null],
  );
  await sendComposed({ ...rest, ...times, message: 'b', ends: 'day', policyId: 3 });
  assert.equal(
    [sentBody().sendAt, sentBody().expiresAt, sentBody().policyId],
    [undefined, undefined, 3],
  );
  await sendComposed({ ...rest, ...times, message: 'c', ends: 'today', later: true });
  assert.is('expiresAt' in sentBody(), false, 'it leaves on another day');
});

test('expires at eight in the evening, and after that in 24 hours', async () => {
  fakeApi.reply(SEND, SENT);
  const RealDate = Date;
  const at = (hours: number, minutes: number) => {
    const then = new RealDate(2026, 10, 20, hours, minutes).getTime();
    globalThis.Date = class extends RealDate {
      constructor(...given: []) {
        super(...((given.length ? given : [then]) as []));
      }
      static override now = () => then;
    } as DateConstructor;
  };
  try {
    at(19, 59);
    await sendComposed({ ...createDraft('a'), ends: 'today' });
    assert.is(sentBody().expiresAt, new RealDate(2026, 10, 20, 20).toISOString());
    at(20, 0);
    assert.ok(isEvening());
    await sendComposed({ ...createDraft('b'), ends: 'today' });
    assert.is('expiresAt' in sentBody(), false);
  } finally {
    globalThis.Date = RealDate;
  }
});

test('sends to me first alone and at once, with one key until accepted', async () => {
  fakeApi.loseRequests(SEND);
  const written = {
    ...createDraft('a'),
    to: addressees,
    later: true,
    sendAt: '2026-11-25T08:30',
    policyId: 3,
  };
  for (const _ of [1, 2]) await sendToMe(written).catch(() => undefined);
  fakeApi.reply(SEND, { ...SENT, notified: false });
  assert.is((await sendToMe(written)).tone, 'warn');
  await sendToMe(written);
  assert.equal(sentBody(), {
    userIds: [7],
    title: 'Test: Storms',
    message: 'a',
    priority: 'normal',
    answers: ['Got it'],
  });
  const [first, second, third, fourth] = keys();
  assert.equal([second, third], [first, first]);
  assert.is.not(fourth, first);
});

test('drops one person’s draft for the next, and damaged ones', () => {
  changeComposed({ message: 'Line 4 is down' });
  const draft = localStorage.getItem('message_draft')!;
  signInAs('ADMIN', { id: 8 });
  restoreComposed();
  assert.equal(
    [composedMessage.value, localStorage.getItem('message_draft')],
    [EMPTY_MESSAGE, null],
  );
  signInAs('ADMIN', { id: 7 });
  for (const damaged of ['', '{', 'null', draft.replace('"to":[]', '"to":7')]) {
    localStorage.setItem('message_draft', damaged);
    restoreComposed();
    assert.equal(composedMessage.value, EMPTY_MESSAGE, damaged);
  }
  localStorage.setItem('message_draft', draft);
  restoreComposed();
  assert.is(composedMessage.value.message, 'Line 4 is down');
});

test.run();
