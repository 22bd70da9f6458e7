import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../../../src/api/error';
import {
  dropReceipts,
  keepPush,
  keptMessages,
  queueReceipt,
  waitingReceipts,
} from '../../../../src/platform/storage/received';
import { summary } from '../../../../src/state/inbox/summary';
import {
  answerMessage,
  changeAnswer,
  markRead,
  openMessage,
  sendWaiting,
} from '../../../../src/state/inbox/answers';
import { rowsOf, inboxShownAsOf, wishes } from '../../../../src/state/inbox/known';
import type { Receipt } from '../../../../src/shared/contract';
import { refreshInbox, takePress } from '../../../../src/state/inbox/read';
import { clock, fakeApi, waitFor } from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import {
  fakeInbox,
  makeMessage,
  MESSAGE,
  MESSAGES,
  RECEIPTS,
} from '../../../support/app/fake-inbox';
import { holdCode, loseCode } from '../../../support/app/lost-code';
import { endSession, signInAs } from '../../../support/app/session';
import { pushWorld } from '../../../support/push-services/push-world';

const test = suite('answering messages');
/** In each test another: what one test leaves under way is nothing to the next. */
let person = 1000;
const answers = ['On my way', 'Can’t'];

test.before.each(async () => {
  pushWorld.install('default');
  fakeApi.install();
  fakeDatabase.install();
  clock.install();
  signInAs('TECHNICIAN', { id: ++person });
  fakeInbox.install([1, 2].map((seq) => makeMessage(seq, { answers })));
  await refreshInbox();
});
test.after.each(async () => {
  endSession();
  await sendWaiting();
  await keptMessages(person); // behind all that is still being kept
  clock.remove();
  fakeDatabase.remove();
  fakeApi.remove();
});

const row = (id = 'm1') => rowsOf([id])[0]!;
const said = (id = 'm1') => [row(id).answer, row(id).sent];
const told = () => fakeInbox.told().map(({ messageId, kind }) => `${kind} ${messageId}`);

test('of two answers that are given at once the first counts, and is told alone', async () => {
  await Promise.all([answerMessage('m1', 'On my way'), answerMessage('m1', 'Can’t')]);
  assert.equal(said(), ['On my way', 'yes']);
  assert.equal(told(), ['acknowledged m1']);
  await answerMessage('m1', 'Can’t');
  await markRead('m1');
  await answerMessage('none', 'Can’t');
  assert.equal(told(), ['acknowledged m1'], 'who answered has answered, and read');
});

test('a message that is read is told once, and counts as read from then on', async () => {
  assert.is(summary.value.unread, ' (2)');
  const release = fakeApi.hold(RECEIPTS);
  const reading = markRead('m1');
  assert.is(summary.value.unread, ' (1)', 'at once');
  release();
  await reading;
  await markRead('m1');
  assert.is(summary.value.unread, ' (1)', 'and once');
  assert.equal(told(), ['read m1']);
  await refreshInbox();
  await answerMessage('m2', 'Can’t');
  assert.is(summary.value.unread, '');
});

test('an answer is kept before the server has it, and not any more afterwards', async () => {
  const release = fakeApi.hold(RECEIPTS);
  const answering = answerMessage('m1', 'On my way');
  assert.equal(said(), ['On my way', 'sending']);
  await waitFor(async () =>
    assert.equal(
      (await waitingReceipts(person)).map((one) => [one.kind, one.answer]),
      [['acknowledged', 'On my way']],
    ),
  );
  release();
  await answering;
  assert.equal(await waitingReceipts(person), []);
  assert.is((await keptMessages(person)).find(({ id }) => id === 'm1')?.answer, 'On my way');
});

test('an answer that is refused leaves nothing behind on the device, the second time, too', async () => {
  fakeApi.refuse(RECEIPTS, 500, 'The database is away.');
  for (const text of answers) {
    const why: unknown = await answerMessage('m1', text).catch((error: unknown) => error);
    assert.ok(why instanceof ApiError && why.message === 'The database is away.');
    assert.equal(said(), [null, 'yes']);
    assert.is(row().readAt, null);
    assert.equal(await waitingReceipts(person), []);
    const kept = (await keptMessages(person)).find(({ id }) => id === 'm1');
    assert.equal([kept?.answer, kept?.acknowledgedAt], [null, null]);
  }
});

test('where another device was first, an answer of it that cannot be read is no failure', async () => {
  fakeInbox.change('m1', { answer: 'Can’t', acknowledgedAt: new Date().toISOString() });
  fakeApi.refuse(MESSAGE, 500);
  await answerMessage('m1', 'On my way');
  assert.equal(await waitingReceipts(person), []);
});

test('an answer that is under way when the session ends is no failure, and waits for its person', async () => {
  localStorage.setItem('device_token', 'registered'); // else what was received goes with the session
  const release = fakeApi.hold(RECEIPTS);
  const answering = answerMessage('m1', 'On my way');
  await waitFor(() => assert.equal(told(), ['acknowledged m1']));
  localStorage.removeItem('jwt_token');
  dispatchEvent(new StorageEvent('storage', { key: 'jwt_token' }));
  release();
  await answering;
  assert.is((await waitingReceipts(person)).length, 1);
});

test('while the server is known to be away an answer waits at once; in a page that keeps nothing it is told all the same', async () => {
  fakeInbox.lose();
  await refreshInbox();
  assert.type(inboxShownAsOf.value, 'number');
  fakeDatabase.remove();
  const answering = answerMessage('m1', 'On my way');
  assert.equal(said(), ['On my way', 'queued']);
  await answering;
  assert.is(summary.value.waiting, ' 1 answer waits.');
  const before = told().length;
  fakeInbox.takeReceipts();
  await sendWaiting();
  assert.equal(told().slice(before), ['acknowledged m1']);
});

test('an answer that waits can be taken back, and another one given in its place', async () => {
  fakeInbox.lose();
  await answerMessage('m1', 'On my way');
  await answerMessage('m2', 'On my way');
  await changeAnswer('m1');
  assert.equal(
    [said(), said('m2')],
    [
      [null, 'yes'],
      ['On my way', 'queued'],
    ],
  );
  assert.equal(
    (await waitingReceipts(person)).map(({ messageId }) => messageId),
    ['m2'],
  );
  assert.is((await keptMessages(person)).find(({ id }) => id === 'm1')?.answer, null);
  await answerMessage('m1', 'Can’t');
  assert.equal(said(), ['Can’t', 'queued']);
  await changeAnswer('m1');
  assert.equal(said(), [null, 'yes'], 'the second time, too');
});

test('an answer that waits stays as it is when only its reading was told, by this page or another', async () => {
  fakeInbox.lose();
  await markRead('m1');
  await answerMessage('m1', 'On my way');
  await dropReceipts(person, [{ messageId: 'm1', kind: 'read' }]);
  await sendWaiting();
  assert.equal(said(), ['On my way', 'queued']);
  assert.is(summary.value.waiting, ' 1 answer waits.');
});

const pressed: Receipt = { messageId: 'm1', kind: 'acknowledged', answer: 'On my way' };
const given = () => ({
  answer: 'On my way',
  readAt: new Date().toISOString(),
  acknowledgedAt: new Date().toISOString(),
});

test('an answer from the notification waits while the worker has it, and is sent once the server has it', async () => {
  await queueReceipt(person, pressed);
  await takePress(person, pressed);
  assert.equal([said(), summary.value.unread], [['On my way', 'queued'], ' (1)']);
  await dropReceipts(person, [pressed]);
  fakeInbox.change('m1', given());
  await takePress(person, pressed);
  assert.equal([said(), summary.value.unread], [['On my way', 'yes'], ' (1)']);
  assert.equal(told(), [], 'the page told nothing');
});

test('an answer from the notification that the server has already is read at once, by its person alone', async () => {
  fakeInbox.change('m1', given());
  await takePress(person + 1, pressed);
  assert.equal(said(), [null, 'yes']);
  await takePress(person, pressed);
  assert.equal([said(), summary.value.unread], [['On my way', 'yes'], ' (1)']);
});

test('an answer that the server has not recorded is said, with what it has instead', async () => {
  await takePress(person, pressed);
  assert.equal([said(), row().refused], [[null, 'yes'], 'On my way']);
  await answerMessage('m1', 'Can’t');
  fakeInbox.change('m2', { ...given(), answer: 'Can’t' });
  await answerMessage('m2', 'On my way');
  assert.equal([said('m2'), row('m2').refused], [['Can’t', 'yes'], 'On my way']);
});

test('a list that was asked for before an answer brings no buttons back', async () => {
  const newest = { messages: [2, 1].map((seq) => makeMessage(seq, { answers })), unread: 2 };
  let release = () => {};
  fakeApi.answer(MESSAGES, ({ query }) =>
    query.after === undefined
      ? new Promise((resolve) => (release = () => resolve({ ...newest, newest: 2 })))
      : { messages: [], unread: 5, newest: 2 },
  );
  const late = refreshInbox();
  await waitFor(() => assert.is(fakeApi.asked(MESSAGES).length, 3));
  await answerMessage('m1', 'On my way');
  release();
  await late;
  assert.equal(said(), ['On my way', 'yes']);
});

test('a message whose push was shown, which the server was not told yet, is still unread', async () => {
  fakeInbox.lose();
  await keepPush(person, undefined, { messageId: 'm1', kind: 'displayed' });
  await sendWaiting();
  assert.is((await waitingReceipts(person)).length, 1);
  assert.equal([row().readAt, summary.value.unread], [null, ' (2)']);
});

test('an answer that another page told is shown as the server has it, as soon as that can be read', async () => {
  fakeInbox.lose();
  await answerMessage('m1', 'On my way');
  await dropReceipts(person, [{ messageId: 'm1', kind: 'acknowledged' }]);
  await sendWaiting();
  assert.equal(said(), ['On my way', 'queued'], 'nobody knows yet what came of it');
  fakeInbox.install([makeMessage(1, { answers, answer: 'Can’t', readAt: '2026-11-20T06:58:00Z' })]);
  await sendWaiting();
  assert.equal(said(), ['Can’t', 'yes']);
});

test('what one person did and could not be told is nothing to the next', async () => {
  fakeInbox.lose();
  await answerMessage('m1', 'On my way');
  endSession();
  signInAs('TECHNICIAN', { id: ++person });
  assert.equal([summary.value.waiting, summary.value.unread], ['', '']);
  fakeInbox.install([makeMessage(1, { answers })]);
  await refreshInbox();
  assert.equal(said(), [null, 'yes']);
  assert.is(summary.value.unread, ' (1)');
});

test('where the code that tells the server cannot be had, what is read and answered waits, and nothing fails', async () => {
  const mend = loseCode('../after-first-screen');
  try {
    await markRead('m1');
    fakeApi.lose(RECEIPTS);
    await answerMessage('m2', 'On my way');
    await sendWaiting();
  } finally {
    mend();
  }
  assert.equal(said('m2'), ['On my way', 'queued']);
  fakeInbox.takeReceipts();
  await sendWaiting();
  assert.equal(said('m2'), ['On my way', 'yes']);
});

test('what was read or answered is not told in the name of who signs in before the code that tells it is there', async () => {
  fakeDatabase.remove(); // so that the answer has to be told from here
  fakeApi.lose(RECEIPTS);
  const release = holdCode('../after-first-screen');
  const under = [markRead('m1'), answerMessage('m2', 'On my way')];
  await waitFor(() => assert.equal(told(), ['acknowledged m2']));
  await clock.advance(0);
  endSession();
  signInAs('TECHNICIAN', { id: ++person });
  fakeInbox.takeReceipts();
  release();
  await Promise.all(under);
  assert.equal(told(), ['acknowledged m2']);
});

test('a message that was opened is read by its person, whether it can be had or not, and by nobody who signs in meanwhile', async () => {
  const answerLate = fakeApi.hold(MESSAGE);
  const late = openMessage('m2');
  assert.is(summary.value.unread, ' (1)', 'at once, as it is known here');
  answerLate();
  await late;
  await waitFor(() => assert.equal(wishes.value, [], 'the server knows'));
  assert.is(summary.value.unread, ' (1)', 'and once');
  fakeInbox.send(makeMessage(3, { id: 'unlisted' }));
  await openMessage('unlisted');
  await waitFor(() => assert.ok(fakeInbox.find('unlisted')?.readAt));
  fakeApi.refuse(MESSAGE, 500, 'The database is away.');
  const why = await openMessage('m1').catch((error: Error) => error.message);
  assert.is(why, 'The database is away.');
  await waitFor(() => assert.ok(fakeInbox.find('m1')?.readAt));

  fakeInbox.install([makeMessage(1)]);
  const release = fakeApi.hold(MESSAGE);
  const before = told().length;
  const opening = openMessage('none').catch(() => undefined);
  const openingTheirs = openMessage('m1').catch(() => undefined);
  endSession();
  signInAs('TECHNICIAN', { id: ++person });
  await refreshInbox();
  release();
  await Promise.all([opening, openingTheirs]);
  await sendWaiting();
  assert.is(told().length, before);
  assert.is(row().readAt, null);
});

test('a message of which nothing new is said stays the same row, which need not be drawn anew', async () => {
  const [first, second] = [row('m1'), row('m2')];
  await markRead('m1');
  assert.is(row('m2'), second);
  assert.is.not(row('m1'), first);
});

test.run();
