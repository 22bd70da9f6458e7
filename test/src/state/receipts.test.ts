import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  deleteDeviceKey,
  keepDevice,
  keepMessages,
  keepPush,
  readKeptMessages,
  replaceMessages,
  readPendingReceipts,
} from '../../../src/platform/storage/received';
import type { InboxMessage, Receipt } from '../../../src/shared/contract';
import { beginReceipts, reportReceipt, sendReceipts } from '../../../src/state/receipts';
import { DEVICE_STORAGE_KEY, discardSession } from '../../../src/state/session';
import { fakeApi, waitFor } from '../../support/app/app';
import { fakeDatabase } from '../../support/app/fake-database';
import { endSession, signInAs } from '../../support/app/session';

const test = suite('receipts of a page');
const RECEIPTS = 'POST /api/notifications/receipts';
const read: Receipt = { messageId: 'm1', kind: 'read' };
const answerReceipt: Receipt = { messageId: 'm1', kind: 'acknowledged', answer: 'Got it' };
const message = (seq: number): InboxMessage => ({
  id: `m${seq}`,
  seq,
  title: 'Outages',
  message: 'Feeder 12 tripped.',
  topic: null,
  link: null,
  priority: 'normal',
  answers: ['Got it'],
  state: 'sent',
  createdAt: '2026-11-21T09:30:00.000Z',
  expiresAt: '2026-11-22T09:30:00.000Z',
  readAt: null,
  acknowledgedAt: null,
  answer: null,
});

test.before.each(() => {
  fakeDatabase.install();
  fakeApi.install();
  fakeApi.reply(RECEIPTS, ({ body }) => ({
    recorded: (body as { receipts: Receipt[] }).receipts.length,
  }));
  signInAs('TECHNICIAN', { id: 7 });
});
test.after.each(() => {
  endSession();
  fakeApi.remove();
  fakeDatabase.remove();
});

const sentReceipts = () =>
  fakeApi
    .requestsTo(RECEIPTS)
    .flatMap(({ body }) => (body as { receipts: Receipt[] }).receipts)
    .map(({ kind, messageId }) => `${kind} ${messageId}`);

test('sends an answer at once, and stores it in the message', async () => {
  await keepMessages(7, [message(1)]);
  assert.ok(await reportReceipt(answerReceipt));
  assert.equal(sentReceipts(), ['acknowledged m1']);
  const [keptMessage] = await readKeptMessages(7);
  assert.is(keptMessage!.answer, 'Got it');
  assert.ok(keptMessage!.acknowledgedAt && keptMessage!.readAt);
  assert.equal(await readPendingReceipts(7), []);
});

test('sends an offline answer once online, with its own time', async () => {
  fakeApi.loseRequests(RECEIPTS);
  assert.not(await reportReceipt(answerReceipt));
  const [{ at }] = (await readPendingReceipts(7)) as [Receipt];
  fakeApi.reply(RECEIPTS, { recorded: 1 });
  const earlierCount = fakeApi.requestsTo(RECEIPTS).length;
  dispatchEvent(new Event('online'));
  await waitFor(async () => assert.equal(await readPendingReceipts(7), []));
  const [repeatedRequest] = fakeApi.requestsTo(RECEIPTS).slice(earlierCount);
  assert.equal((repeatedRequest!.body as { receipts: Receipt[] }).receipts, [
    { ...answerReceipt, at, inApp: true },
  ]);
});

test('keeps a waiting answer after any response', async () => {
  fakeApi.loseRequests(RECEIPTS);
  await keepMessages(7, [message(1)]);
  await reportReceipt(answerReceipt);
  await keepMessages(7, [message(1)]);
  assert.is((await readKeptMessages(7))[0]!.answer, 'Got it');
  await replaceMessages(7, [message(1), message(2)]);
  assert.equal(
    (await readKeptMessages(7)).map(({ id, answer }) => [id, answer]),
    [
      ['m2', null],
      ['m1', 'Got it'],
    ],
  );
});

test('sends receipts without storage, at once or later', async () => {
  fakeDatabase.remove();
  assert.ok(await reportReceipt(read));
  fakeApi.loseRequests(RECEIPTS);
  assert.not(await reportReceipt(answerReceipt));
  fakeApi.reply(RECEIPTS, { recorded: 1 });
  assert.ok(await sendReceipts());
  assert.ok(await sendReceipts());
  assert.equal(sentReceipts(), ['read m1', 'acknowledged m1', 'acknowledged m1']);
});

test('holds the latest hundred receipts, the server’s limit, without storage', async () => {
  fakeDatabase.remove();
  fakeApi.loseRequests(RECEIPTS);
  for (let index = 0; index <= 101; index++)
    await reportReceipt({ messageId: `m${index}`, kind: 'read' });
  const earlierCount = sentReceipts().length;
  fakeApi.reply(RECEIPTS, { recorded: 1 });
  assert.ok(await sendReceipts());
  const after = sentReceipts().slice(earlierCount);
  assert.equal([after.length, after[0], after.at(-1)], [100, 'read m2', 'read m101']);
});

test('sends unstored receipts with their times, and loses none meanwhile', async () => {
  fakeDatabase.remove();
  fakeApi.loseRequests(RECEIPTS);
  const timeBefore = Date.now();
  assert.not(await reportReceipt(read));
  const afterwards = Date.now();
  fakeApi.reply(RECEIPTS, { recorded: 1 });
  const release = fakeApi.holdReplies(RECEIPTS);
  const telling = sendReceipts();
  await waitFor(() => assert.is(sentReceipts().length, 2));
  const later = reportReceipt(answerReceipt);
  release();
  assert.equal(await Promise.all([telling, later]), [true, true]);
  assert.equal(sentReceipts(), ['read m1', 'read m1', 'acknowledged m1']);
  const { at } = (fakeApi.requestsTo(RECEIPTS)[1]!.body as { receipts: Receipt[] }).receipts[0]!;
  assert.ok(Date.parse(at!) >= timeBefore && Date.parse(at!) <= afterwards, at);
});

for (const [where, lose] of [
  ['', () => {}],
  [' and could not be kept', () => fakeDatabase.remove()],
] as const)
  test(`never sends a receipt${where} in the name of the next person`, async () => {
    lose();
    fakeApi.loseRequests(RECEIPTS);
    await reportReceipt(answerReceipt);
    fakeApi.reply(RECEIPTS, { recorded: 1 });
    const earlierCount = sentReceipts().length;
    const telling = sendReceipts();
    signInAs('TECHNICIAN', { id: 8 });
    await telling;
    await sendReceipts();
    assert.is(sentReceipts().length, earlierCount);
  });

test('sends unstored receipts when their person signs in again', async () => {
  fakeDatabase.remove();
  fakeApi.loseRequests(RECEIPTS);
  await reportReceipt(read);
  discardSession('it has expired');
  assert.not(await sendReceipts());
  signInAs('TECHNICIAN', { id: 7 });
  fakeApi.reply(RECEIPTS, { recorded: 1 });
  const earlierCount = sentReceipts().length;
  assert.ok(await sendReceipts());
  assert.equal(sentReceipts().slice(earlierCount), ['read m1']);
});

test('sends waiting receipts on return to the page', async () => {
  fakeApi.loseRequests(RECEIPTS);
  await reportReceipt(read);
  fakeApi.reply(RECEIPTS, { recorded: 1 });
  dispatchEvent(new Event('focus'));
  await waitFor(async () => assert.equal(await readPendingReceipts(7), []));
});

test('sends each of ten simultaneous answers once', async () => {
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      reportReceipt({ messageId: `m${index}`, kind: 'read' }),
    ),
  );
  assert.is(sentReceipts().length, 10);
  assert.is(new Set(sentReceipts()).size, 10);
});

test('hides and keeps another person’s receipts unsent', async () => {
  fakeApi.loseRequests(RECEIPTS);
  await keepDevice({ person: 7, key: 'key-of-7' });
  await keepMessages(7, [message(1)]);
  await reportReceipt(answerReceipt);
  signInAs('TECHNICIAN', { id: 8 });
  fakeApi.reply(RECEIPTS, { recorded: 1 });
  const earlierCount = sentReceipts().length;
  await sendReceipts();
  await beginReceipts();
  assert.is(sentReceipts().length, earlierCount);
  assert.equal(
    [await readKeptMessages(7), await readKeptMessages(8), await readPendingReceipts(7)],
    [[], [], []],
  );
});

test('sends a receipt of an expired session in the person’s next one', async () => {
  fakeApi.loseRequests(RECEIPTS);
  localStorage.setItem(DEVICE_STORAGE_KEY, 'a token');
  await reportReceipt(read);
  discardSession('it has expired');
  assert.not(await sendReceipts());
  signInAs('TECHNICIAN', { id: 7 });
  fakeApi.reply(RECEIPTS, { recorded: 1 });
  const earlierCount = sentReceipts().length;
  await beginReceipts();
  assert.equal(sentReceipts().slice(earlierCount), ['read m1']);
});

/** The worker's unsent receipts of a test. */
const testReceipts = (['received', 'displayed', 'refused'] as const).map(
  (kind): Receipt => ({ messageId: 'test-1', kind, at: '2026-11-21T09:30:00.000Z' }),
);

test('sends the worker’s unsent test receipts, and drops accepted ones', async () => {
  signInAs('TECHNICIAN', { id: 7, sid: 'now' });
  await keepDevice({ person: 7, key: 'k', sid: 'now' });
  for (const receipt of testReceipts) await keepPush(7, undefined, receipt);
  fakeApi.reject(RECEIPTS, 503, 'Too many receipts at once.');
  assert.not(await sendReceipts());
  assert.equal(await readPendingReceipts(7), testReceipts);
  fakeApi.reply(RECEIPTS, { recorded: 3 });
  assert.ok(await sendReceipts());
  assert.equal(
    (fakeApi.requestsTo(RECEIPTS).at(-1)!.body as { receipts: Receipt[] }).receipts,
    testReceipts,
  );
  assert.equal(await readPendingReceipts(7), []);
});

test('holds a device’s receipts until it is registered, not a person’s', async () => {
  signInAs('TECHNICIAN', { id: 7, sid: 'now' });
  await keepDevice({ person: 7, key: 'k', sid: 'before' });
  for (const receipt of testReceipts) await keepPush(7, undefined, receipt);
  await reportReceipt(read);
  assert.equal(sentReceipts(), ['read m1']);
  assert.equal(await readPendingReceipts(7), testReceipts);
  await keepDevice({ person: 7, key: 'k', sid: 'now' });
  await beginReceipts();
  assert.equal(await readPendingReceipts(7), []);
  assert.is(sentReceipts().length, 4);
});

test('sends all remaining receipts from the page without a device', async () => {
  signInAs('TECHNICIAN', { id: 7, sid: 'now' });
  await keepDevice({ person: 7, key: 'k', sid: 'before' });
  for (const receipt of testReceipts) await keepPush(7, undefined, receipt);
  await deleteDeviceKey({ person: 7, key: 'k' });
  assert.ok(await sendReceipts());
  assert.is(sentReceipts().length, 3);
});

test('records nothing without a session', async () => {
  endSession();
  assert.not(await reportReceipt(read));
  assert.equal(sentReceipts(), []);
  assert.equal(await readPendingReceipts(7), []);
});

test.run();
