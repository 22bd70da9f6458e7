import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../../../src/api/error';
import {
  dropReceipts,
  keepPush,
  readKeptMessages,
  queueReceipt,
  readPendingReceipts,
} from '../../../../src/platform/storage/received';
import { inboxSummary } from '../../../../src/state/inbox/inbox-summary';
import { answerMessage, sendPendingReceipts } from '../../../../src/state/inbox/inbox-answers';
import {
  changeAnswer,
  markRead,
  openMessage,
  saveComment,
} from '../../../../src/state/inbox/opened-message';
import {
  toInboxRows,
  inboxShownAsOf,
  pendingReceipts,
} from '../../../../src/state/inbox/inbox-state';
import type { Receipt } from '../../../../src/shared/contract';
import { refreshInbox, applyWorkerReceipt } from '../../../../src/state/inbox/load-inbox';
import { clock, fakeApi, waitFor } from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import {
  fakeInbox,
  createMessage,
  READ_MESSAGE_CALL,
  LIST_MESSAGES_CALL,
  SEND_RECEIPTS_CALL,
} from '../../../support/app/fake-inbox';
import { delayImports, failImports } from '../../../support/app/broken-imports';
import { endSession, signInAs } from '../../../support/app/session';
import { fakePush } from '../../../support/push-services/fake-push';

const test = suite('answering messages');
/** A person per test, so that earlier work cannot interfere. */
let person = 1000;
const answers = ['On my way', 'Can’t'];

test.before.each(async () => {
  fakePush.install('default');
  fakeApi.install();
  fakeDatabase.install();
  clock.install();
  signInAs('TECHNICIAN', { id: ++person });
  fakeInbox.install([1, 2].map((seq) => createMessage(seq, { answers })));
  await refreshInbox();
});
test.after.each(async () => {
  endSession();
  await sendPendingReceipts();
  await readKeptMessages(person); // waits for open writes
  clock.remove();
  fakeDatabase.remove();
  fakeApi.remove();
});

const row = (id = 'm1') => toInboxRows([id])[0]!;
const givenAnswer = (id = 'm1') => [row(id).answer, row(id).sent];
const sentReceipts = () =>
  fakeInbox.sentReceipts().map(({ messageId, kind }) => `${kind} ${messageId}`);

test('sends the first of two simultaneous answers alone, and closes its notification', async () => {
  const [shown, other] = ['m1', 'm2'].map((id) => ({ title: 'Grid outages', data: { id } }));
  fakePush.shown.push(shown!, other!);
  await Promise.all([answerMessage('m1', 'On my way'), answerMessage('m1', 'Can’t')]);
  assert.equal(givenAnswer(), ['On my way', 'yes']);
  assert.equal(sentReceipts(), ['acknowledged m1']);
  await answerMessage('m1', 'Can’t');
  await markRead('m1');
  await answerMessage('none', 'Can’t');
  assert.equal(sentReceipts(), ['acknowledged m1'], 'an answer includes the reading');
  await waitFor(() => assert.equal(fakePush.shown, [other]));
});

test('reports a read message once, and counts it at once', async () => {
  assert.is(inboxSummary.value.unread, 2);
  const release = fakeApi.holdReplies(SEND_RECEIPTS_CALL);
  const reading = markRead('m1');
  assert.is(inboxSummary.value.unread, 1, 'at once');
  release();
  await reading;
  await markRead('m1');
  assert.is(inboxSummary.value.unread, 1, 'and once');
  assert.equal(sentReceipts(), ['read m1']);
  await refreshInbox();
  await answerMessage('m2', 'Can’t');
  assert.is(inboxSummary.value.unread, 0);
});

test('sends a comment once with the answer that waits offline, and a changed one alone', async () => {
  fakeApi.loseRequests(SEND_RECEIPTS_CALL);
  await answerMessage('m1', 'On my way');
  await saveComment('m1', 'With the van');
  assert.is(await saveComment('m1', 'With the van. Two of us'), true);
  const sent = { messageId: 'm1', kind: 'acknowledged', answer: 'On my way' } as const;
  assert.equal(
    (await readPendingReceipts(person)).map(({ at: _, inApp: __, ...receipt }) => receipt),
    [{ ...sent, comment: 'With the van. Two of us' }],
  );
  await dropReceipts(person, [{ ...sent, comment: 'With the van' }]);
  assert.is((await readPendingReceipts(person)).length, 1, 'only an older comment was sent');
  fakeInbox.acceptReceipts();
  await sendPendingReceipts();
  assert.equal([row().comment, ...givenAnswer()], ['With the van. Two of us', 'On my way', 'yes']);
  assert.is(await saveComment('m1', 'Three of us'), true);
  assert.is(row().comment, 'Three of us');
  for (const lost of [true, false]) {
    if (lost) fakeApi.loseRequests(SEND_RECEIPTS_CALL);
    await answerMessage('m1', 'Can’t', true);
    const { comment, unsavedComment } = row();
    assert.equal([...givenAnswer(), comment], ['Can’t', lost ? 'queued' : 'yes', '']);
    assert.is(unsavedComment, 'Three of us', 'the words stay in the field');
    fakeInbox.acceptReceipts();
    await sendPendingReceipts();
    assert.equal([...givenAnswer(), row().comment], ['Can’t', 'yes', '']);
    await answerMessage('m1', 'On my way', true);
    await saveComment('m1', 'Three of us');
  }
  fakeInbox.changeMessage('m1', { answer: 'Can’t' });
  assert.is(await saveComment('m1', 'Four of us'), false, 'another device was first');
});

test('stores an answer until the server has it', async () => {
  const release = fakeApi.holdReplies(SEND_RECEIPTS_CALL);
  const answering = answerMessage('m1', 'On my way');
  assert.equal(givenAnswer(), ['On my way', 'sending']);
  await waitFor(async () =>
    assert.equal(
      (await readPendingReceipts(person)).map((one) => [one.kind, one.answer]),
      [['acknowledged', 'On my way']],
    ),
  );
  release();
  await answering;
  assert.equal(await readPendingReceipts(person), []);
  assert.is((await readKeptMessages(person)).find(({ id }) => id === 'm1')?.answer, 'On my way');
});

test('leaves nothing stored after a rejected answer, every time', async () => {
  fakeApi.reject(SEND_RECEIPTS_CALL, 500, 'The database is away.');
  for (const text of answers) {
    const why: unknown = await answerMessage('m1', text).catch((error: unknown) => error);
    assert.ok(why instanceof ApiError && why.message === 'The database is away.');
    assert.equal(givenAnswer(), [null, 'yes']);
    assert.is(row().readAt, null);
    assert.equal(await readPendingReceipts(person), []);
    const keptMessage = (await readKeptMessages(person)).find(({ id }) => id === 'm1');
    assert.equal([keptMessage?.answer, keptMessage?.acknowledgedAt], [null, null]);
  }
});

test('accepts another device’s unreadable earlier answer', async () => {
  fakeInbox.changeMessage('m1', { answer: 'Can’t', acknowledgedAt: new Date().toISOString() });
  fakeApi.reject(READ_MESSAGE_CALL, 500);
  await answerMessage('m1', 'On my way');
  assert.equal(await readPendingReceipts(person), []);
});

test('keeps an answer in flight for its person when the session ends', async () => {
  localStorage.setItem('device_token', 'registered'); // keeps the messages
  const release = fakeApi.holdReplies(SEND_RECEIPTS_CALL);
  const answering = answerMessage('m1', 'On my way');
  await waitFor(() => assert.equal(sentReceipts(), ['acknowledged m1']));
  localStorage.removeItem('jwt_token');
  dispatchEvent(new StorageEvent('storage', { key: 'jwt_token' }));
  release();
  await answering;
  assert.is((await readPendingReceipts(person)).length, 1);
});

test('queues answers at once while offline, also without storage', async () => {
  fakeInbox.loseRequests();
  await refreshInbox();
  assert.type(inboxShownAsOf.value, 'number');
  fakeDatabase.remove();
  const answering = answerMessage('m1', 'On my way');
  assert.equal(givenAnswer(), ['On my way', 'queued']);
  await answering;
  assert.is(inboxSummary.value.waiting, ' 1 answer not sent yet.');
  const earlierCount = sentReceipts().length;
  fakeInbox.acceptReceipts();
  await sendPendingReceipts();
  assert.equal(sentReceipts().slice(earlierCount), ['acknowledged m1']);
});

test('lets a waiting answer be replaced', async () => {
  fakeInbox.loseRequests();
  await answerMessage('m1', 'On my way');
  await answerMessage('m2', 'On my way');
  await changeAnswer('m1');
  assert.equal(
    [givenAnswer(), givenAnswer('m2')],
    [
      [null, 'yes'],
      ['On my way', 'queued'],
    ],
  );
  assert.equal(
    (await readPendingReceipts(person)).map(({ messageId }) => messageId),
    ['m2'],
  );
  assert.is((await readKeptMessages(person)).find(({ id }) => id === 'm1')?.answer, null);
  await answerMessage('m1', 'Can’t');
  assert.equal(givenAnswer(), ['Can’t', 'queued']);
  await changeAnswer('m1');
  assert.equal(givenAnswer(), [null, 'yes'], 'the second time, too');
});

test('keeps a waiting answer when only its reading was reported', async () => {
  fakeInbox.loseRequests();
  await markRead('m1');
  await answerMessage('m1', 'On my way');
  await dropReceipts(person, [{ messageId: 'm1', kind: 'read' }]);
  await sendPendingReceipts();
  assert.equal(givenAnswer(), ['On my way', 'queued']);
  assert.is(inboxSummary.value.waiting, ' 1 answer not sent yet.');
});

const pressedReceipt: Receipt = { messageId: 'm1', kind: 'acknowledged', answer: 'On my way' };
const givenAnswerFields = () => ({
  answer: 'On my way',
  readAt: new Date().toISOString(),
  acknowledgedAt: new Date().toISOString(),
});

test('waits for the worker to send a notification’s answer', async () => {
  await queueReceipt(person, pressedReceipt);
  await applyWorkerReceipt(person, pressedReceipt);
  assert.equal([givenAnswer(), inboxSummary.value.unread], [['On my way', 'queued'], 1]);
  await dropReceipts(person, [pressedReceipt]);
  fakeInbox.changeMessage('m1', givenAnswerFields());
  await applyWorkerReceipt(person, pressedReceipt);
  assert.equal([givenAnswer(), inboxSummary.value.unread], [['On my way', 'yes'], 1]);
  assert.equal(sentReceipts(), [], 'the page sent nothing');
});

test('reads a notification’s recorded answer at once, for its person alone', async () => {
  fakeInbox.changeMessage('m1', givenAnswerFields());
  await applyWorkerReceipt(person + 1, pressedReceipt);
  assert.equal(givenAnswer(), [null, 'yes']);
  await applyWorkerReceipt(person, pressedReceipt);
  assert.equal([givenAnswer(), inboxSummary.value.unread], [['On my way', 'yes'], 1]);
});

test('shows an unrecorded answer with the recorded one', async () => {
  await applyWorkerReceipt(person, pressedReceipt);
  assert.equal([givenAnswer(), row().unrecordedAnswer], [[null, 'yes'], 'On my way']);
  await answerMessage('m1', 'Can’t');
  assert.is(row().unrecordedAnswer, undefined, 'a later answer was recorded');
  fakeInbox.changeMessage('m2', { ...givenAnswerFields(), answer: 'Can’t' });
  await answerMessage('m2', 'On my way');
  assert.equal([givenAnswer('m2'), row('m2').unrecordedAnswer], [['Can’t', 'yes'], 'On my way']);
});

test('brings back no buttons by a list read before the answer', async () => {
  const newest = { messages: [2, 1].map((seq) => createMessage(seq, { answers })), unread: 2 };
  let release = () => {};
  fakeApi.reply(LIST_MESSAGES_CALL, ({ query }) =>
    query.after === undefined
      ? new Promise((resolve) => (release = () => resolve({ ...newest, newest: 2 })))
      : { messages: [], unread: 5, newest: 2 },
  );
  const late = refreshInbox();
  await waitFor(() => assert.is(fakeApi.requestsTo(LIST_MESSAGES_CALL).length, 3));
  await answerMessage('m1', 'On my way');
  release();
  await late;
  assert.equal(givenAnswer(), ['On my way', 'yes']);
});

test('keeps a displayed message unread', async () => {
  fakeInbox.loseRequests();
  await keepPush(person, undefined, { messageId: 'm1', kind: 'displayed' });
  await sendPendingReceipts();
  assert.is((await readPendingReceipts(person)).length, 1);
  assert.equal([row().readAt, inboxSummary.value.unread], [null, 2]);
});

test('shows an answer sent by another page once it can be read', async () => {
  fakeInbox.loseRequests();
  await answerMessage('m1', 'On my way');
  await dropReceipts(person, [{ messageId: 'm1', kind: 'acknowledged' }]);
  await sendPendingReceipts();
  assert.equal(givenAnswer(), ['On my way', 'queued'], 'the result is unknown');
  fakeInbox.install([
    createMessage(1, { answers, answer: 'Can’t', readAt: '2026-11-20T06:58:00Z' }),
  ]);
  await sendPendingReceipts();
  assert.equal(givenAnswer(), ['Can’t', 'yes']);
});

test('hides one person’s unsent receipts from the next', async () => {
  fakeInbox.loseRequests();
  await answerMessage('m1', 'On my way');
  endSession();
  signInAs('TECHNICIAN', { id: ++person });
  assert.equal([inboxSummary.value.waiting, inboxSummary.value.unread], ['', 0]);
  fakeInbox.install([createMessage(1, { answers })]);
  await refreshInbox();
  assert.equal(givenAnswer(), [null, 'yes']);
  assert.is(inboxSummary.value.unread, 1);
});

test('queues reads and answers when the sending code is missing', async () => {
  const repair = failImports('../after-first-screen');
  try {
    await markRead('m1');
    fakeApi.loseRequests(SEND_RECEIPTS_CALL);
    await answerMessage('m2', 'On my way');
    await sendPendingReceipts();
  } finally {
    repair();
  }
  assert.equal(givenAnswer('m2'), ['On my way', 'queued']);
  fakeInbox.acceptReceipts();
  await sendPendingReceipts();
  assert.equal(givenAnswer('m2'), ['On my way', 'yes']);
});

test('never sends receipts in the name of the next person', async () => {
  fakeDatabase.remove(); // so that the answer is sent from here
  fakeApi.loseRequests(SEND_RECEIPTS_CALL);
  const release = delayImports('../after-first-screen');
  const under = [markRead('m1'), answerMessage('m2', 'On my way')];
  await waitFor(() => assert.equal(sentReceipts(), ['acknowledged m2']));
  await clock.advance(0);
  endSession();
  signInAs('TECHNICIAN', { id: ++person });
  fakeInbox.acceptReceipts();
  release();
  await Promise.all(under);
  assert.equal(sentReceipts(), ['acknowledged m2']);
});

test('marks an opened message read for its person alone, found or not', async () => {
  const answerLate = fakeApi.holdReplies(READ_MESSAGE_CALL);
  const late = openMessage('m2');
  assert.is(inboxSummary.value.unread, 1, 'at once, known locally');
  answerLate();
  await late;
  await waitFor(() => assert.equal(pendingReceipts.value, [], 'the server knows'));
  assert.is(inboxSummary.value.unread, 1, 'and once');
  fakeInbox.addMessage(createMessage(3, { id: 'unlisted' }));
  await openMessage('unlisted');
  await waitFor(() => assert.ok(fakeInbox.findMessage('unlisted')?.readAt));
  fakeApi.reject(READ_MESSAGE_CALL, 500, 'The database is away.');
  const why = await openMessage('m1').catch((error: Error) => error.message);
  assert.is(why, 'The database is away.');
  await waitFor(() => assert.ok(fakeInbox.findMessage('m1')?.readAt));

  fakeInbox.install([createMessage(1)]);
  const release = fakeApi.holdReplies(READ_MESSAGE_CALL);
  const earlierCount = sentReceipts().length;
  const opening = openMessage('none').catch(() => undefined);
  const openingTheirs = openMessage('m1').catch(() => undefined);
  endSession();
  signInAs('TECHNICIAN', { id: ++person });
  await refreshInbox();
  release();
  await Promise.all([opening, openingTheirs]);
  await sendPendingReceipts();
  assert.is(sentReceipts().length, earlierCount);
  assert.is(row().readAt, null);
});

test('keeps the same row object for an unchanged message', async () => {
  const [firstMessage, secondMessage] = [row('m1'), row('m2')];
  await markRead('m1');
  assert.is(row('m2'), secondMessage);
  assert.is.not(row('m1'), firstMessage);
});

test.run();
