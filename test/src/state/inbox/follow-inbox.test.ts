import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readKeptMessages } from '../../../../src/platform/storage/received';
import { sendPendingReceipts } from '../../../../src/state/inbox/inbox-answers';
import { followInbox } from '../../../../src/state/inbox/follow-inbox';
import {
  inboxLoading,
  inboxTime,
  toInboxRows,
  inboxShownAsOf,
} from '../../../../src/state/inbox/inbox-state';
import { refreshInboxMessage } from '../../../../src/state/inbox/load-inbox';
import { clock, fakeApi, waitFor } from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import {
  fakeInbox,
  createMessage,
  createMessages,
  READ_MESSAGE_CALL,
  LIST_MESSAGES_CALL,
} from '../../../support/app/fake-inbox';
import { endSession, signInAs } from '../../../support/app/session';
import { fakePush } from '../../../support/push-services/fake-push';

const test = suite('following the inbox');
const MINUTE_MS = 60_000;
/** A person per test, so that earlier work cannot interfere. */
let person = 700;

test.before.each(() => {
  fakePush.install('default');
  fakeApi.install();
  fakeDatabase.install();
  clock.install();
  fakeInbox.install(createMessages(2));
  signInAs('TECHNICIAN', { id: ++person });
});
test.after.each(async () => {
  endSession();
  await readKeptMessages(person); // waits for open writes
  clock.remove();
  inboxTime.value = Date.now(); // else messages of later tests have expired
  fakeDatabase.remove();
  fakeApi.remove();
});

const requestCount = () => fakeApi.requestsTo(LIST_MESSAGES_CALL).length;
const waitForRequests = (times: number) => waitFor(() => assert.is(requestCount(), times));
const waitUntilRead = () =>
  waitFor(() => assert.equal([inboxLoading.value.kind, inboxShownAsOf.value], ['ready', null]));

test('asks once a minute for any number of followers, until the last stops', async () => {
  const [first, second] = [followInbox(), followInbox()];
  await waitUntilRead();
  for (const times of [2, 3]) {
    await clock.advance(MINUTE_MS);
    await waitForRequests(times);
  }
  first();
  await clock.advance(MINUTE_MS);
  await waitForRequests(4);
  second();
  dispatchEvent(new Event('online'));
  await clock.advance(3 * MINUTE_MS);
  assert.is(requestCount(), 4);
  const third = followInbox();
  await waitForRequests(5);
  await clock.advance(MINUTE_MS);
  await waitForRequests(6);
  third();
});

test('hides a lost connection from the next person', async () => {
  const stop = followInbox();
  await waitUntilRead();
  fakeApi.loseRequests(LIST_MESSAGES_CALL);
  await clock.advance(MINUTE_MS);
  await waitFor(() => assert.type(inboxShownAsOf.value, 'number'));
  stop();
  endSession();
  signInAs('TECHNICIAN', { id: ++person });
  assert.is(inboxShownAsOf.value, null);
});

const settle = async () => {
  await sendPendingReceipts();
  await clock.advance(0);
};

test('asks an unreachable server every ten seconds until it responds or the last follower stops', async () => {
  const stop = followInbox();
  try {
    await waitUntilRead();
    await settle();
    const times = requestCount();
    fakeApi.loseRequests(LIST_MESSAGES_CALL);
    await clock.advance(MINUTE_MS);
    await waitFor(() => assert.type(inboxShownAsOf.value, 'number'));
    for (const extraRequests of [1, 2, 3]) {
      await waitForRequests(times + extraRequests);
      await settle();
      await clock.advance(9999);
      assert.is(requestCount(), times + extraRequests);
      await clock.advance(1);
    }
    await waitForRequests(times + 4);
    await settle();
    fakeInbox.install(createMessages(2));
    await clock.advance(10_000);
    await waitUntilRead();
    await settle();
    await clock.advance(MINUTE_MS - 1);
    assert.is(requestCount(), times + 5, 'once a minute again');
    fakeApi.loseRequests(LIST_MESSAGES_CALL);
    await clock.advance(1);
    await waitForRequests(times + 6);
  } finally {
    stop();
  }
  const lastCount = requestCount();
  await clock.advance(5 * MINUTE_MS);
  assert.is(requestCount(), lastCount);
});

test('asks no more when a question fails after the last follower stopped', async () => {
  const stop = followInbox();
  await waitUntilRead();
  await settle();
  fakeApi.loseRequests(LIST_MESSAGES_CALL);
  const fail = fakeApi.holdReplies(LIST_MESSAGES_CALL);
  const times = requestCount();
  await clock.advance(MINUTE_MS);
  await waitForRequests(times + 1);
  stop();
  fail();
  await waitFor(() => assert.type(inboxShownAsOf.value, 'number'));
  await settle();
  await clock.advance(5 * MINUTE_MS);
  assert.is(requestCount(), times + 1);
});

test('asks a repeating server twice a minute at most', async () => {
  const messages = createMessages(100);
  fakeApi.reply(LIST_MESSAGES_CALL, { messages, unread: 100, newest: 100 });
  const stop = followInbox();
  await waitUntilRead();
  await clock.advance(MINUTE_MS);
  await waitForRequests(3);
  await settle();
  assert.is(requestCount(), 3);
  stop();
});

test('asks nothing while hidden, and at once when visible', async () => {
  const stop = followInbox();
  await waitUntilRead();
  const times = requestCount();
  const hide = (hidden: boolean) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  };
  try {
    hide(true);
    await clock.advance(3 * MINUTE_MS);
    assert.is(requestCount(), times);
    hide(false);
    await waitForRequests(times + 1);
  } finally {
    Reflect.deleteProperty(document, 'hidden');
    stop();
  }
});

test('reads an opened older message again while it needs an answer', async () => {
  const answers = ['Got it'];
  fakeInbox.install(createMessages(21).map((one) => ({ ...one, answers })));
  await refreshInboxMessage('m1');
  const stop = followInbox('m1');
  try {
    await waitUntilRead();
    fakeInbox.changeMessage('m1', { answer: 'Got it' });
    await clock.advance(MINUTE_MS);
    await waitFor(() => assert.is(toInboxRows(['m1'])[0]?.answer, 'Got it'));
    const times = fakeApi.requestsTo(READ_MESSAGE_CALL).length;
    await clock.advance(MINUTE_MS);
    await settle();
    assert.is(fakeApi.requestsTo(READ_MESSAGE_CALL).length, times);
  } finally {
    stop();
  }
});

test('follows a pressed notification in a hidden page', async () => {
  fakeInbox.install([createMessage(1, { answers: ['Got it'] })]);
  const stop = followInbox();
  await waitUntilRead();
  fakeInbox.changeMessage('m1', { answer: 'Got it' });
  const receipt = { messageId: 'm1', kind: 'acknowledged', answer: 'Got it' } as const;
  Object.defineProperty(document, 'hidden', { configurable: true, value: true });
  try {
    fakePush.tell({ type: 'pressed', person, receipt });
    await waitFor(() => assert.is(toInboxRows(['m1'])[0]?.answer, 'Got it'));
  } finally {
    Reflect.deleteProperty(document, 'hidden');
    stop();
  }
});

test('asks the server at once after a displayed push, not after other worker messages', async () => {
  const stop = followInbox();
  await waitUntilRead();
  const times = requestCount();
  fakePush.tell({ type: 'renewed' });
  await clock.advance(0);
  assert.is(requestCount(), times);
  fakePush.tell({ type: 'shown', shown: { title: '', body: '' } as never });
  await waitForRequests(times + 1);
  stop();
});

test('moves the inbox’s time on with each question', async () => {
  const { now } = Date;
  const stop = followInbox();
  await waitUntilRead();
  const startedAt = inboxTime.value;
  assert.ok(now() - startedAt < MINUTE_MS);
  Date.now = () => startedAt + 24 * 60 * MINUTE_MS;
  try {
    await clock.advance(MINUTE_MS);
    assert.is(inboxTime.value, startedAt + 24 * 60 * MINUTE_MS);
  } finally {
    Date.now = now;
    stop();
  }
});

test.run();
