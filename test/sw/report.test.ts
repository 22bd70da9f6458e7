import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sendQueuedReceipts } from '../../src/platform/storage/receipt-queue';
import {
  keepDevice,
  keepMessages,
  readKeptMessages,
  MAX_KEPT_MESSAGES,
  MAX_KEPT_RECEIPTS,
  clearOtherPerson,
  readDeviceOwner,
  queueReceipt,
  readPendingReceipts,
} from '../../src/platform/storage/received';
import { clearReceived } from '../../src/platform/storage/database';
import type { InboxMessage } from '../../src/shared/contract';
import { fakeDatabase } from '../support/app/fake-database';
import { startTestWorker } from './start-worker';
import { fakeServer } from './fake-worker';

const test = suite('reports of the worker');
const RECEIPTS = 'POST /api/notifications/receipts';

let server: ReturnType<typeof fakeServer>;
test.before.each(async () => {
  fakeDatabase.install();
  server = fakeServer();
  await keepDevice({ person: 7, key: 'key-of-7' });
});
test.after.each(() => {
  server.remove();
  fakeDatabase.remove();
});

const kinds = () => server.recorded.map(({ messageId, kind }) => `${kind} ${messageId}`);

test('stores a displayed message, and reports it by the device’s key', async () => {
  const { push } = startTestWorker();
  await push('m1', { url: '/map', priority: 'urgent' });
  assert.equal(kinds(), ['displayed m1']);
  assert.is(server.requests[0]!.key, 'key-of-7');
  assert.is(server.requests[0]!.endpoint, RECEIPTS);
  assert.not(Number.isNaN(Date.parse(server.recorded[0]!.at!)));
  assert.equal(await readKeptMessages(7), [
    {
      id: 'm1',
      seq: 1,
      title: 'Outages',
      message: 'Feeder 12 tripped.',
      topic: null,
      link: '/map',
      priority: 'urgent',
      answers: ['Got it', 'On my way', 'Cannot'],
      state: 'sent',
      createdAt: '2026-11-21T09:30:00.000Z',
      expiresAt: '2026-11-22T09:30:00.000Z',
      readAt: null,
      acknowledgedAt: null,
      answer: null,
      pushed: true,
    },
  ]);
});

test('shows no late question, nor that the alarm was sent, once the person has answered', async () => {
  const { push, shown } = startTestWorker();
  const data = { link: '/check-in', url: '/check-in', priority: 'urgent' };
  await push('m1', data);
  server.response = { recorded: 1, withdrawn: ['m2'] };
  await push('m2', { ...data, title: 'We’ve sent the alarm' });
  server.response = { recorded: 1, withdrawn: ['m3'] };
  await push('m3', data);
  assert.equal(
    shown.map(({ title, options: { silent } }) => [title, silent]),
    [
      ['Urgent: Outages', undefined],
      ['No answer needed', true],
    ],
  );
});

test('gives each request five seconds, and retries a failed one once', async () => {
  const { timeout } = AbortSignal;
  const limits: number[] = [];
  AbortSignal.timeout = (milliseconds) => (limits.push(milliseconds), timeout(milliseconds));
  try {
    const { push } = startTestWorker();
    server.status = () => {
      server.status = () => 200;
      return 0;
    };
    await push('m1');
    assert.equal([kinds(), server.requests.length], [['displayed m1'], 2]);
    server.status = () => 0;
    await push('m2');
    assert.equal([kinds(), server.requests.length], [['displayed m1'], 4]);
    assert.equal(limits, [5000, 5000]);
  } finally {
    AbortSignal.timeout = timeout;
  }
});

test('shows a notification before storing or sending anything', async () => {
  const { push, shown } = startTestWorker();
  let shownThen = 0;
  server.status = () => {
    shownThen = shown.length;
    return 200;
  };
  await push('m1');
  assert.is(shownThen, 1);
});

for (const [what, fail] of [
  ['the database is missing', () => fakeDatabase.remove()],
  ['the database is full', () => fakeDatabase.fillStorage()],
  [
    'the database throws',
    () =>
      Object.defineProperty(globalThis, 'indexedDB', {
        configurable: true,
        get: () => {
          throw new DOMException('Denied', 'SecurityError');
        },
      }),
  ],
  ['the server is unreachable', () => void (server.status = () => 0)],
  ['the server is at its limit', () => void (server.status = () => 503)],
  ['the key is rejected', () => void (server.status = () => 401)],
] as const) {
  test(`shows every push even if ${what}`, async () => {
    const { push, shown } = startTestWorker();
    fail();
    for (const id of ['m1', 'm2', 'm3']) await push(id);
    assert.is(shown.length, 3);
  });
}

test('sends an unsent receipt with the next push, once', async () => {
  const { push } = startTestWorker();
  server.status = () => 0;
  await push('m1');
  await push('m2');
  assert.equal(kinds(), []);
  server.status = () => 200;
  await push('m3');
  await push('m4');
  assert.equal(kinds().sort(), ['displayed m1', 'displayed m2', 'displayed m3', 'displayed m4']);
});

test('sends an unsent receipt once the device is online', async () => {
  const { push, fire } = startTestWorker();
  server.status = () => 503;
  await push('m1');
  server.status = () => 200;
  await fire('online');
  await queueEmpty();
  assert.equal(kinds(), ['displayed m1']);
});
const queueEmpty = async () => {
  while ((await readPendingReceipts(7)).length);
};

test('stores a message the system rejects, without reporting it displayed', async () => {
  const { push, scope } = startTestWorker();
  scope.registration.showNotification = () => Promise.reject(new TypeError('No permission'));
  await push('m1').catch(() => {});
  assert.equal(kinds(), []);
  assert.is((await readKeptMessages(7)).length, 1);
});

test('reports and stores nothing for pushes of others', async () => {
  const { fire } = startTestWorker();
  for (const data of [null, { json: () => 7 }, { json: () => ({ data: { title: 'x' } }) }])
    await fire('push', { data });
  assert.equal(server.requests, []);
  assert.equal(await readKeptMessages(7), []);
});

test('shows one silent notification for held messages, opening the inbox, unstored', async () => {
  const { push, press, shown, openedUrls } = startTestWorker();
  await push('d1', { seq: '0', link: '/messages', priority: 'info', unread: '3' });
  assert.equal([shown[0]!.options.tag, shown[0]!.options.silent], ['d1', true]);
  assert.equal(await readKeptMessages(7), []);
  assert.equal(kinds(), ['displayed d1']);
  assert.equal(await press('d1'), ['d1']);
  assert.equal(openedUrls, ['https://bell.example/messages']);
});

test('reports but does not store a message outside the inbox', async () => {
  const { push } = startTestWorker();
  await push('old', { seq: '0' });
  assert.equal(kinds(), ['displayed old']);
  assert.equal(await readKeptMessages(7), []);
});

test('sends and stores nothing of the previous person', async () => {
  const { push, press } = startTestWorker();
  server.status = () => 0;
  await push('m1');
  await clearOtherPerson(8);
  server.requests.length = 0;
  server.status = () => 200;
  await press('m1', '0');
  await push('m2');
  assert.equal(server.requests, []);
  assert.equal([await readKeptMessages(7), await readKeptMessages(8)], [[], []]);
  await keepDevice({ person: 8, key: 'key-of-8' });
  await push('m3');
  assert.equal(
    server.requests.map(({ key }) => key),
    ['key-of-8'],
  );
  assert.equal(kinds(), ['displayed m3']);
});

test('leaves nothing behind of a push during sign-out', async () => {
  const { push } = startTestWorker();
  let left: Promise<unknown> | undefined;
  server.status = () => {
    left = clearReceived();
    return 0;
  };
  await push('m1');
  await left;
  assert.is(await readDeviceOwner(), undefined);
  assert.equal(await readKeptMessages(7), []);
  await push('m2');
  assert.equal(await readKeptMessages(7), []);
});

test('uses a rejected key no more, and leaves receipts to the page', async () => {
  const { push } = startTestWorker();
  server.status = () => 401;
  await push('m1');
  await push('m2');
  assert.is(server.requests.length, 1);
  assert.is(await readDeviceOwner(), undefined);
  assert.ok((await readPendingReceipts(7)).length > 0);
});

for (const status of [400, 403, 404, 413, 429, 500, 503])
  test(`keeps a key after a ${status}, and sends the next receipts`, async () => {
    const { push } = startTestWorker();
    server.status = () => status;
    await push('m1');
    assert.is((await readDeviceOwner())?.key, 'key-of-7');
    server.status = () => 200;
    await push('m2');
    assert.ok(kinds().includes('displayed m2'));
  });

test('drops a receipt that the server rejects, and sends the rest', async () => {
  const { push } = startTestWorker();
  server.status = () => 0;
  for (const id of ['m1', 'm2', 'bad', 'm4', 'm5']) await push(id);
  server.status = ({ body }) =>
    (body as { receipts: { messageId: string }[] }).receipts.some(
      ({ messageId }) => messageId === 'bad',
    )
      ? 400
      : 200;
  await push('m6');
  assert.equal(kinds().sort(), [
    'displayed m1',
    'displayed m2',
    'displayed m4',
    'displayed m5',
    'displayed m6',
  ]);
  assert.equal(await readPendingReceipts(7), []);
});

test('sends the other of two when the server rejects one', async () => {
  for (const messageId of ['bad', 'm2']) await queueReceipt(7, { messageId, kind: 'read' });
  const reportedIds: string[] = [];
  const isDone = await sendQueuedReceipts(7, async (receipts) => {
    const ids = receipts.map(({ messageId }) => messageId);
    if (ids.includes('bad')) return 400;
    reportedIds.push(...ids);
    return 200;
  });
  assert.equal([isDone, reportedIds], [true, ['m2']]);
  assert.equal(await readPendingReceipts(7), []);
});

test('finds a rejected receipt by halving', async () => {
  for (let index = 1; index <= 64; index++)
    await queueReceipt(7, { messageId: index === 64 ? 'bad' : `m${index}`, kind: 'read' });
  let requests = 0;
  const isDone = await sendQueuedReceipts(7, async (receipts) => {
    requests++;
    return receipts.some(({ messageId }) => messageId === 'bad') ? 400 : 200;
  });
  assert.ok(isDone);
  assert.ok(requests < 20, `${requests} requests`);
});

test('sends a hundred receipts at most, and keeps five hundred, answers longest', async () => {
  await queueReceipt(7, { messageId: 'mine', kind: 'acknowledged', answer: 'Got it' });
  for (let index = 0; index < MAX_KEPT_RECEIPTS + 20; index++)
    await queueReceipt(7, { messageId: `m${index}`, kind: 'displayed' });
  assert.is((await readPendingReceipts(7)).length, MAX_KEPT_RECEIPTS);
  const { fire } = startTestWorker();
  await fire('push', { data: null });
  assert.is(server.recorded.length, MAX_KEPT_RECEIPTS);
  for (const { body } of server.requests)
    assert.ok((body as { receipts: unknown[] }).receipts.length <= 100);
  assert.ok(kinds().includes('acknowledged mine'));
});

test('sends thirty simultaneous pushes once each, in few requests', async () => {
  const { push } = startTestWorker();
  await Promise.all(Array.from({ length: 30 }, (_, index) => push(`m${index + 1}`)));
  assert.is(new Set(kinds()).size, 30);
  assert.is(kinds().length, 30);
  assert.ok(server.requests.length < 30, `${server.requests.length} requests`);
  assert.is((await readKeptMessages(7)).length, 30);
});

test('keeps the server’s version of a message that sounds again', async () => {
  const { push } = startTestWorker();
  const known = { ...(await firstKept(push)), message: 'The whole text.', pushed: undefined };
  await keepMessages(7, [known]);
  await push('m1', { round: '1', body: 'The whole t…' });
  assert.is((await readKeptMessages(7))[0]!.message, 'The whole text.');
});
async function firstKept(push: (id: string) => Promise<unknown>): Promise<InboxMessage> {
  await push('m1');
  return (await readKeptMessages(7))[0]!;
}

test('stores the newest two hundred messages, in any order', async () => {
  const { push } = startTestWorker();
  await push('m500');
  const { pushed: _, ...one } = (await readKeptMessages(7))[0]!;
  await keepMessages(
    7,
    Array.from({ length: 300 }, (__, index) => ({ ...one, id: `s${index}`, seq: index + 1 })),
  );
  const keptMessages = await readKeptMessages(7);
  assert.is(keptMessages.length, MAX_KEPT_MESSAGES);
  assert.equal(
    [keptMessages[0]!.seq, keptMessages[1]!.seq, keptMessages.at(-1)!.seq],
    [500, 300, 102],
  );
});

test.run();
