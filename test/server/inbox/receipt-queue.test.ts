import type { Transaction } from 'kysely';
import * as assert from 'uvu/assert';
import type { Receipt } from '../../../src/shared/contract';
import type { Tables } from '../../../server/db/schema';
import { readDeviceKey } from '../../../server/http/access/device-key';
import { HttpError } from '../../../server/http/errors';
import type { UncheckedCaller } from '../../../server/http/access/caller';
import { readToken } from '../../../server/http/access/session';
import { createReceiptQueue } from '../../../server/inbox/receipt-queue';
import type { RecordReport } from '../../../server/inbox/receipt-queue';
import type { RecordedReport } from '../../../server/inbox/receipts';
import { createQueryCounter } from '../../support/database/query-count';
import { createAudienceHelpers } from '../../support/server/audience';
import type { Person } from '../../support/server/server';
import { createServer, serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('receipt queue');
let topic: number;
let people: Person[];
let messageId: string;

test.before.each(async () => {
  const { createMember, send } = createAudienceHelpers(server);
  topic = await server.createTopic();
  people = [];
  for (let nth = 0; nth < 8; nth += 1) people.push(await createMember(0, topic));
  ({ messageId } = (await send({ topicIds: [topic], answers: ['Got it'] })).body);
});

const claim = async (person: Person) => ({
  session: await readToken(`Bearer ${person.token}`, server.services),
});
/** All report at the same moment. */
async function reportAll(record: RecordReport, receipts: (person: Person) => Receipt[]) {
  const claims = await Promise.all(people.map(claim));
  return Promise.allSettled(
    people.map((person, index) =>
      record({
        claimed: claims[index] as UncheckedCaller,
        receipts: receipts(person),
        at: server.clock.now,
      }),
    ),
  );
}
const read = (): Receipt[] => [{ messageId, kind: 'read' }];
const outcomesOf = (results: PromiseSettledResult<RecordedReport>[]): unknown[] =>
  results.map((result) =>
    result.status === 'fulfilled'
      ? result.value.recorded
      : result.reason instanceof HttpError
        ? result.reason.status
        : result.reason,
  );
const countReaders = async (): Promise<number> =>
  (
    await server.services.db
      .selectFrom('recipients')
      .select('user_id')
      .where('read_at', 'is not', null)
      .execute()
  ).length;

/** Counts transactions, and runs `after` at the end of each. */
function watchTransactions(
  after: (transaction: Transaction<Tables>) => Promise<unknown> = async () => undefined,
): () => number {
  const { db } = server.services;
  const original = db.transaction.bind(db);
  let countQueries = 0;
  db.transaction = () => {
    const builder = original();
    const { execute } = builder;
    builder.execute = (work) => {
      countQueries += 1;
      return execute.call(builder, async (transaction) => {
        const result = await work(transaction);
        await after(transaction);
        return result;
      }) as never;
    };
    return builder;
  };
  return () => countQueries;
}

test('records parallel requests in one transaction, and responds to each for itself', async () => {
  const record = createReceiptQueue(server.services);
  const transactions = watchTransactions();
  const results = await reportAll(record, (person) =>
    person === people[0] ? [...read(), ...read()] : person === people[1] ? [] : read(),
  );
  assert.equal(outcomesOf(results), [1, 0, 1, 1, 1, 1, 1, 1]);
  assert.is(transactions(), 1);
  assert.is(await countReaders(), 7);
});

test('asks once for all requests whether reminders were answered, and for other messages never', async () => {
  const { plugin, countQueries } = createQueryCounter();
  const counted = await createServer({ plugin });
  try {
    const audience = createAudienceHelpers(counted);
    const topicId = await counted.createTopic();
    const members = await Promise.all([0, 1, 2].map(() => audience.createMember(1, topicId)));
    const { body } = await audience.send({ topicIds: [topicId] });
    const keys = await Promise.all(
      members.map(async (as) => {
        const device = { deviceToken: `key-${as.id}`, deviceType: 'web', userAgent: '' } as const;
        const call = { as, body: device };
        const response = await counted.call('POST /api/notifications/register-device', call);
        return readDeviceKey(`Bearer ${response.body.deviceKey}`);
      }),
    );
    const record = createReceiptQueue(counted.services);
    const receipts: Receipt[] = [{ messageId: body.messageId, kind: 'displayed' }];
    const countQueriesOfReports = async (): Promise<number> => {
      const before = countQueries();
      await Promise.all(
        keys.map((key) => record({ claimed: { key: key! }, receipts, at: counted.clock.now })),
      );
      return countQueries() - before;
    };
    await countQueriesOfReports(); // the first changes more
    const ofMessage = await countQueriesOfReports();
    await counted.services.db.updateTable('messages').set({ kind: 'reminder' }).execute();
    assert.is(await countQueriesOfReports(), ofMessage + 1);
  } finally {
    await counted.close();
  }
});

test('responds to no request before the commit', async () => {
  const record = createReceiptQueue(server.services);
  let isCommitting = false;
  let isFinished = false;
  watchTransactions(async () => {
    isCommitting = true;
    await new Promise(setImmediate);
    assert.not.ok(isFinished);
  });
  const person = people[0] as Person;
  const claimed = await claim(person);
  await record({ claimed, receipts: read(), at: 0 }).then(() => (isFinished = true));
  assert.ok(isCommitting && isFinished);
});

test('rejects only people who lost access, and records the others', async () => {
  const record = createReceiptQueue(server.services);
  const { db } = server.services;
  const [demotedPerson, deletedPerson, reset] = people as [Person, Person, Person];
  await db
    .updateTable('users')
    .set({ role: 'CUSTOMER' })
    .where('id', '=', demotedPerson.id)
    .execute();
  await db.deleteFrom('users').where('id', '=', deletedPerson.id).execute();
  await db.updateTable('users').set({ session_version: 9 }).where('id', '=', reset.id).execute();
  assert.equal(outcomesOf(await reportAll(record, read)), [401, 401, 401, 1, 1, 1, 1, 1]);
  const key = readDeviceKey(`Bearer 4711.${'x'.repeat(43)}`);
  assert.ok(key);
  const forged = record({ claimed: { key }, receipts: read(), at: 0 });
  assert.equal(outcomesOf(await Promise.allSettled([forged])), [401]);
  assert.is(await countReaders(), 5);
});

test('fails all requests of a failed transaction, and no later one', async () => {
  const record = createReceiptQueue(server.services);
  let shouldFail = true;
  watchTransactions(async () => {
    if (shouldFail) throw new Error('no disk');
  });
  const failed = await reportAll(record, read);
  assert.equal(
    outcomesOf(failed).map((reason) => (reason as Error).message),
    Array(8).fill('no disk'),
  );
  assert.is(await countReaders(), 0);
  shouldFail = false;
  assert.equal(outcomesOf(await reportAll(record, read)), Array(8).fill(1));
});

test('rejects receipts beyond the queue with Retry-After, and recovers', async () => {
  const record = createReceiptQueue(server.services, {
    collect: 0,
    maxCollect: 0,
    atOnce: 2,
    waiting: 5,
  });
  const results = await reportAll(record, read);
  assert.equal(outcomesOf(results), [1, 1, 1, 1, 1, 503, 503, 503]);
  const rejectedResult = results.at(-1);
  const { retryAfterSeconds = 0 } = (
    rejectedResult?.status === 'rejected' ? rejectedResult.reason : {}
  ) as HttpError;
  assert.ok(retryAfterSeconds >= 1 && retryAfterSeconds <= 10);
  assert.equal(
    outcomesOf(await reportAll(record, read)).filter((value) => value === 503).length,
    3,
  );
  const claimed = await claim(people[7] as Person);
  const { recorded } = await record({ claimed, receipts: read(), at: 0 });
  assert.is(recorded, 1, 'the eighth person, at last');
});

test('limits one flooding phone to its share, and no one else', async () => {
  const limits = { collect: 0, maxCollect: 0, atOnce: 3, waiting: 12 };
  const record = createReceiptQueue(server.services, limits);
  const claimed = await claim(people[0] as Person);
  const report = { claimed, receipts: read(), at: server.clock.now };
  const flood = Promise.allSettled(Array.from({ length: 20 }, () => record(report)));
  assert.equal(outcomesOf(await reportAll(record, read)).slice(1), Array(7).fill(1));
  assert.equal(outcomesOf(await flood).filter((value) => value === 503).length, 17);
  assert.is((await record(report)).recorded, 0, 'the share is free again');
});

test('counts receipts once across two processes', async () => {
  const [firstProcess, secondProcess] = [
    createReceiptQueue(server.services),
    createReceiptQueue(server.services),
  ];
  for (const kind of ['displayed', 'read'] as const) {
    const [first, second] = await Promise.all([
      reportAll(firstProcess, () => [{ messageId, kind }]),
      reportAll(secondProcess, () => [{ messageId, kind }]),
    ]);
    const sums = people.map(
      (_, index) => Number(outcomesOf(first)[index]) + Number(outcomesOf(second)[index]),
    );
    assert.equal(sums, Array(8).fill(1));
  }
});

test.run();
