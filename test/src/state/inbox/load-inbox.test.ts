import { get, set } from 'idb-keyval';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  keepMessages,
  readKeptMessages,
  queueReceipt,
} from '../../../../src/platform/storage/received';
import { answerMessage } from '../../../../src/state/inbox/inbox-answers';
import { changeAnswer } from '../../../../src/state/inbox/opened-message';
import {
  listedMessageIds,
  inboxLoading,
  hasOlderMessages,
  inboxRows,
  inboxShownAsOf,
  pendingReceipts,
} from '../../../../src/state/inbox/inbox-state';
import {
  refreshInbox,
  settlePendingReceipts,
  showKeptMessages,
  loadOlderMessages,
} from '../../../../src/state/inbox/load-inbox';
import { inboxSummary } from '../../../../src/state/inbox/inbox-summary';
import { loadSession } from '../../../../src/state/session';
import { clock, fakeApi, waitFor } from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import {
  fakeInbox,
  createMessage,
  createMessages,
  LIST_MESSAGES_CALL,
} from '../../../support/app/fake-inbox';
import { endSession, signInAs } from '../../../support/app/session';
import { fakePush } from '../../../support/push-services/fake-push';

const test = suite('reading the inbox');
/** A person per test, so that earlier work cannot interfere. */
let person = 1100;
const signIn = () => signInAs('TECHNICIAN', { id: person });

test.before.each(() => {
  fakePush.install('default');
  fakeApi.install();
  fakeDatabase.install();
  clock.install();
  person++;
  signIn();
});
test.after.each(async () => {
  endSession();
  await readKeptMessages(person); // waits for open writes
  clock.remove();
  fakeDatabase.remove();
  fakeApi.remove();
});

const requestCount = () => fakeApi.requestsTo(LIST_MESSAGES_CALL).length;
const seqs = () => inboxRows.value.map(({ seq }) => seq);
const countdown = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, i) => from - i);
/** The same person closes and reopens the page. */
async function startAgain(): Promise<void> {
  localStorage.setItem('device_token', 'registered'); // stored messages stay
  localStorage.removeItem('jwt_token');
  loadSession();
  signIn();
}

test('shares one request between simultaneous callers, and sends one more for later callers', async () => {
  fakeInbox.install(createMessages(2));
  await Promise.all([refreshInbox(), refreshInbox(), refreshInbox()]);
  assert.is(requestCount(), 1);
  const release = fakeApi.holdReplies(LIST_MESSAGES_CALL);
  const first = refreshInbox();
  await waitFor(() => assert.is(requestCount(), 2));
  const others = [refreshInbox(), refreshInbox(), refreshInbox()];
  release();
  await Promise.all([first, ...others]);
  assert.is(requestCount(), 3);
  fakeInbox.loseRequests();
  for (const _ of [1, 2, 3]) await refreshInbox();
  assert.is(requestCount(), 6, 'a failure changes nothing');
});

test('reads nothing twice at the end of the list or without counts', async () => {
  fakeInbox.install(
    createMessages(30).map((one) =>
      one.seq <= 9
        ? { ...one, state: 'cancelled' }
        : one.seq > 28
          ? { ...one, revision: 3, allClearAt: one.createdAt }
          : one,
    ),
  );
  await refreshInbox();
  await loadOlderMessages();
  assert.equal(seqs(), countdown(30, 1));
  const before = requestCount();
  await refreshInbox();
  assert.is(requestCount(), before + 1);
  fakeApi.reply(LIST_MESSAGES_CALL, { messages: [], unread: 30, newest: 30 });
  for (const times of [2, 3]) {
    await refreshInbox();
    assert.is(requestCount(), before + times);
  }
});

test('updates messages canceled, answered or corrected elsewhere', async () => {
  const readAt = new Date().toISOString();
  fakeInbox.install(createMessages(3).map((one) => ({ ...one, readAt })));
  await refreshInbox();
  for (const change of [
    { state: 'cancelled' },
    { answer: 'Got it' },
    { revision: 2, message: 'Corrected.' },
    { allClearAt: readAt },
  ] as const)
    for (const seq of [3, 1, 2]) {
      fakeInbox.changeMessage(`m${seq}`, change);
      await refreshInbox();
      const row = inboxRows.value.find((one) => one.seq === seq);
      assert.equal({ ...row, ...change }, row);
    }
});

test('joins stored messages without a gap, and drops them otherwise', async () => {
  for (const [count, shown] of [
    [25, countdown(25, 1)],
    [26, countdown(26, 7)],
  ] as const) {
    await keepMessages(person, createMessages(5));
    fakeInbox.install(createMessages(count));
    await refreshInbox();
    assert.equal(seqs(), shown);
    await waitFor(async () =>
      assert.equal(
        (await readKeptMessages(person)).map(({ seq }) => seq),
        shown,
      ),
    );
    endSession();
    person++;
    signIn();
  }
});

test('stores a restored server’s messages only', async () => {
  fakeInbox.install(createMessages(5));
  await refreshInbox();
  fakeInbox.install([createMessage(1, { id: 'other' })]);
  await refreshInbox();
  assert.equal(listedMessageIds.value, ['other']);
  await waitFor(async () =>
    assert.equal(
      (await readKeptMessages(person)).map(({ id }) => id),
      ['other'],
    ),
  );
  fakeInbox.addMessage(createMessage(2));
  await refreshInbox();
  assert.equal(seqs(), [2, 1], 'and goes on from there');
});

test('says offline when the server was last asked, also after a start', async () => {
  fakeInbox.install(
    createMessages(3).map((one) => (one.seq === 2 ? { ...one, readAt: '2026' } : one)),
  );
  const timeBefore = Date.now();
  await refreshInbox();
  await waitFor(async () => assert.ok(((await get<number>('messages_as_of')) ?? 0) >= timeBefore));
  await startAgain();
  await readKeptMessages(person);
  await set('messages_as_of', 1234);
  fakeInbox.loseRequests();
  await refreshInbox();
  assert.equal([inboxLoading.value.kind === 'failed', inboxShownAsOf.value], [false, 1234]);
  assert.equal([seqs(), hasOlderMessages.value], [[3, 2, 1], false]);
  assert.is(inboxSummary.value.unread, 2, 'as known on this device');
  fakeInbox.install(createMessages(3));
  await refreshInbox();
  assert.is(inboxShownAsOf.value, null);
  assert.is.not(await get('messages_as_of'), 1234);
});

test('shows stored messages to their own person only', async () => {
  localStorage.setItem('device_token', 'registered'); // stored messages stay
  await keepMessages(person, createMessages(3));
  await queueReceipt(person, { messageId: 'm1', kind: 'read' });
  const [showing, settling] = [showKeptMessages(), settlePendingReceipts()];
  endSession();
  person++;
  signIn();
  await Promise.all([showing, settling]);
  assert.equal([seqs(), pendingReceipts.value], [[], []]);
});

test('distinguishes a rejecting server from an unreachable one', async () => {
  fakeInbox.install(createMessages(2));
  await refreshInbox();
  fakeApi.reject(LIST_MESSAGES_CALL, 500, 'The database is away.');
  await refreshInbox();
  assert.equal(inboxLoading.value, { kind: 'failed', message: 'The database is away.' });
  assert.equal(seqs(), [2, 1]);
});

test('lets a waiting answer be replaced after another start', async () => {
  fakeInbox.install([createMessage(1, { answers: ['Got it'] })]);
  await refreshInbox();
  fakeInbox.loseRequests();
  await answerMessage('m1', 'Got it');
  await startAgain();
  await refreshInbox();
  const shownAnswers = () => inboxRows.value.map((row) => [row.answer, row.sent]);
  assert.equal(shownAnswers(), [['Got it', 'queued']]);
  await changeAnswer('m1');
  assert.equal(shownAnswers(), [[null, 'yes']]);
});

test.run();
