import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Database } from '../../../../server/db/open';
import { cacheCounts, type MessageCounts } from '../../../../server/messages/progress/counts-cache';

const test = suite('kept counts');

/** A database where counting takes a second, and its clock. */
function createCountingCache() {
  const db = {} as Database;
  let time = 0;
  let countedCount = 0;
  const count = async (): Promise<MessageCounts> => {
    countedCount += 1;
    const devices = { accepted: countedCount };
    await Promise.resolve();
    time += 1000;
    return { devices, isCutOff: false, people: {} as MessageCounts['people'], tally: undefined };
  };
  const countAccepted = async (id = 'm1', of = 'writing', by = count) =>
    (await cacheCounts(id, of, db, by, () => time)).devices.accepted;
  return {
    readCounts: countAccepted,
    pass: (milliseconds: number) => (time += milliseconds),
    count,
  };
}

test('caches a count that took a second for nine seconds, and serves it once more while recounting', async () => {
  const { readCounts, pass } = createCountingCache();
  assert.is(await readCounts(), 1);
  pass(8999);
  assert.is(await readCounts(), 1);
  pass(1);
  assert.equal(await Promise.all([readCounts(), readCounts(), readCounts()]), [1, 1, 1]);
  assert.is(await readCounts(), 2);
  pass(8999);
  assert.is(await readCounts(), 2);
  pass(1);
  assert.is(await readCounts(), 2);
  assert.is(await readCounts(), 3);
});

test('counts once for parallel requests', async () => {
  const { readCounts } = createCountingCache();
  assert.equal(await Promise.all([readCounts(), readCounts(), readCounts()]), [1, 1, 1]);
});

test('recounts a message that changed', async () => {
  const { readCounts } = createCountingCache();
  assert.is(await readCounts('m1', 'writing'), 1);
  assert.is(await readCounts('m1', 'sent'), 2);
  assert.is(await readCounts('m1', 'sent'), 2);
});

test('caches separately per message and database', async () => {
  const { readCounts } = createCountingCache();
  assert.is(await readCounts('m1'), 1);
  assert.is(await readCounts('m2'), 2);
  assert.is(await readCounts('m1'), 1);
  assert.is(await createCountingCache().readCounts('m1'), 1);
});

test.run();
