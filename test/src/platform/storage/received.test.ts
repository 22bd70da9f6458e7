import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clearReceived } from '../../../../src/platform/storage/database';
import {
  deleteDeviceKey,
  dropReceipts,
  keepDevice,
  keepMessages,
  keepPush,
  readKeptMessages,
  MAX_KEPT_RECEIPTS,
  clearOtherPerson,
  readDeviceOwner,
  queueReceipt,
  readPendingReceipts,
  type ReceivedMessage,
} from '../../../../src/platform/storage/received';
import type { Receipt } from '../../../../src/shared/contract';
import { fakeDatabase } from '../../../support/app/fake-database';

const test = suite('received messages');
test.before.each(() => fakeDatabase.install());
test.after.each(() => fakeDatabase.remove());

const message: ReceivedMessage = {
  id: 'm1',
  seq: 1,
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
  pushed: true,
};
const receipt: Receipt = { messageId: 'm1', kind: 'displayed' };
const readEverything = async (person: number) => [
  await readDeviceOwner(),
  await readKeptMessages(person),
  await readPendingReceipts(person),
];
const NOTHING = [undefined, [], []];

test('keeps nothing the worker stores for a person who just signed out, in either order', async () => {
  await keepDevice({ person: 7, key: 'k' });
  await Promise.all([keepPush(7, message, receipt), clearReceived()]);
  assert.equal(await readEverything(7), NOTHING);
  assert.not(await keepPush(7, message, receipt));
  assert.equal(await readEverything(7), NOTHING);
});

test('keeps nothing the worker stores for a person once another signed in', async () => {
  await keepDevice({ person: 7, key: 'k' });
  await clearOtherPerson(8);
  assert.not(await keepPush(7, message, receipt));
  assert.not(await dropReceipts(7, [receipt]));
  assert.equal([await readEverything(7), await readEverything(8)], [NOTHING, NOTHING]);
});

test('drops a rejected key, but not its replacement or another person’s', async () => {
  const [old, fresh] = [
    { person: 7, key: 'old', serverKey: 's', sid: 'one' },
    { person: 7, key: 'fresh', serverKey: 's', sid: 'two' },
  ];
  await keepDevice(old);
  await keepDevice(fresh);
  await deleteDeviceKey(old);
  assert.equal(await readDeviceOwner(), fresh);
  await deleteDeviceKey({ ...fresh, person: 8 });
  assert.equal(await readDeviceOwner(), fresh);
  await keepPush(7, message);
  await deleteDeviceKey(fresh);
  assert.is(await readDeviceOwner(), undefined);
  assert.is((await readKeptMessages(7)).length, 1, 'only the key goes');
});

test('restores stored messages when the same person signs in again', async () => {
  await keepDevice({ person: 7, key: 'k' });
  await keepPush(7, message, receipt);
  await clearOtherPerson(7);
  assert.is((await readKeptMessages(7)).length, 1);
  assert.is((await readPendingReceipts(7)).length, 1);
});

test('stores all of several simultaneous changes', async () => {
  await clearOtherPerson(7);
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      index % 2
        ? keepPush(7, { ...message, id: `m${index}`, seq: index })
        : queueReceipt(7, { messageId: `m${index}`, kind: 'read' }),
    ),
  );
  assert.equal(
    [(await readKeptMessages(7)).length, (await readPendingReceipts(7)).length],
    [10, 10],
  );
});

test('reports a full disk, and keeps earlier data', async () => {
  await keepMessages(7, [message]);
  fakeDatabase.fillStorage();
  assert.not(await queueReceipt(7, receipt));
  assert.not(await keepMessages(7, [{ ...message, id: 'm2', seq: 2 }]));
  assert.equal(
    (await readKeptMessages(7)).map(({ id }) => id),
    ['m1'],
  );
});

test('behaves as if nothing was received when there is no database', async () => {
  fakeDatabase.remove();
  assert.not(await keepDevice({ person: 7, key: 'k' }));
  assert.not(await queueReceipt(7, receipt));
  await clearReceived();
  assert.equal(await readEverything(7), NOTHING);
});

test('keeps a message read, with the time of the first reading', async () => {
  await keepMessages(7, [message]);
  await queueReceipt(7, { messageId: 'm1', kind: 'read', at: '2026-11-21T10:00:00.000Z' });
  await queueReceipt(7, {
    messageId: 'm1',
    kind: 'acknowledged',
    answer: 'Got it',
    at: '2026-11-21T11:00:00.000Z',
  });
  const [keptMessage] = await readKeptMessages(7);
  assert.equal(
    [keptMessage!.readAt, keptMessage!.acknowledgedAt, keptMessage!.answer],
    ['2026-11-21T10:00:00.000Z', '2026-11-21T11:00:00.000Z', 'Got it'],
  );
});

test('drops a displayed receipt before the oldest one, never the newest, at the limit', async () => {
  await queueReceipt(7, { messageId: 'a', kind: 'acknowledged', answer: 'Got it' });
  await queueReceipt(7, { messageId: 'b', kind: 'displayed' });
  for (let index = 2; index < MAX_KEPT_RECEIPTS; index++)
    await queueReceipt(7, { messageId: `m${index}`, kind: 'read' });
  for (const [last, first] of [
    ['y', 'a m2'],
    ['z', 'm2 m3'],
  ]) {
    await queueReceipt(7, { messageId: last!, kind: 'acknowledged', answer: 'Got it' });
    const waiting = (await readPendingReceipts(7)).map(({ messageId }) => messageId);
    assert.is(waiting.length, MAX_KEPT_RECEIPTS);
    assert.equal([waiting.slice(0, 2).join(' '), waiting.at(-1)], [first, last]);
  }
});

test('prefers the server’s word over the push for the same message, in either order', async () => {
  const { pushed: _, ...whole } = { ...message, message: 'The whole text.' };
  await keepMessages(7, [whole]);
  await keepPush(7, { ...message, message: 'The whole t…' });
  assert.equal(await readKeptMessages(7), [whole]);
  await keepPush(7, { ...message, id: 'm2', seq: 2 });
  await keepMessages(7, [{ ...whole, id: 'm2', seq: 2 }]);
  assert.equal(
    (await readKeptMessages(7)).map(({ id, pushed }) => [id, pushed]),
    [
      ['m2', undefined],
      ['m1', undefined],
    ],
  );
});

test('drops a receipt by message and kind, keeping the first and its time', async () => {
  await queueReceipt(7, { messageId: 'm1', kind: 'read', at: '2026-11-21T10:00:00.000Z' });
  await queueReceipt(7, { messageId: 'm1', kind: 'read', at: '2026-11-21T11:00:00.000Z' });
  await queueReceipt(7, { messageId: 'm1', kind: 'displayed' });
  await queueReceipt(7, { messageId: 'm2', kind: 'read' });
  const [first, ...others] = await readPendingReceipts(7);
  assert.is(first?.at, '2026-11-21T10:00:00.000Z');
  assert.equal(others.length, 2);
  for (const { at } of others) assert.ok(Math.abs(Date.parse(at ?? '') - Date.now()) < 60_000);
  await dropReceipts(7, [{ messageId: 'm1', kind: 'read' }]);
  assert.equal(
    (await readPendingReceipts(7)).map(({ messageId, kind }) => `${kind} ${messageId}`),
    ['displayed m1', 'read m2'],
  );
});

test('closes the database after each use, also a failed one', async () => {
  await keepMessages(7, [message]);
  await readKeptMessages(7);
  fakeDatabase.fillStorage();
  await queueReceipt(7, receipt);
  assert.equal(fakeDatabase.countOpenConnections('fieldbell'), 0);
});

test('keeps an answered message as new again after a correction, and after the all-clear', async () => {
  const at = '2026-11-21T10:00:00.000Z';
  await keepMessages(7, [message]);
  await queueReceipt(7, {
    ...{ messageId: 'm1', kind: 'acknowledged' },
    answer: 'Got it',
    at,
  });
  const kept = async () =>
    (await readKeptMessages(7)).map(({ readAt, answer }) => [readAt, answer]);
  await keepPush(7, { ...message, revision: 2, revisedAt: at });
  assert.equal(await kept(), [[null, 'Got it']]);
  await queueReceipt(7, { messageId: 'm1', kind: 'read', at });
  await keepPush(7, { ...message, revision: 2, revisedAt: at });
  assert.equal(await kept(), [[at, 'Got it']], 'once');
  const [{ answerRevision, former } = message] = await readKeptMessages(7);
  assert.is(answerRevision, 1);
  assert.equal(former, [
    { revision: 1, title: message.title, message: message.message, at: message.createdAt },
  ]);
  await keepPush(7, { ...message, allClearAt: at, allClear: 'All is well.' });
  assert.equal(await kept(), [[null, 'Got it']]);
});

test.run();
