import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Database } from '../../../../server/db/open';
import { countSeldom, type Counts } from '../../../../server/messages/progress/kept-counts';

const test = suite('kept counts');

/** One database, with a clock, on which counting takes a second. */
function counting() {
  const db = {} as Database;
  let time = 0;
  let counted = 0;
  const count = async (): Promise<Counts> => {
    counted += 1;
    const devices = { accepted: counted };
    await Promise.resolve();
    time += 1000;
    return { devices, isCutOff: false, people: {} as Counts['people'], tally: undefined };
  };
  const ask = async (id = 'm1', of = 'writing', by = count) =>
    (await countSeldom(id, of, db, by, () => time)).devices.accepted;
  return { ask, pass: (milliseconds: number) => (time += milliseconds), count };
}

test('what took a second to count is told again for nine, and once more while it is counted anew', async () => {
  const { ask, pass } = counting();
  assert.is(await ask(), 1);
  pass(8999);
  assert.is(await ask(), 1);
  pass(1);
  assert.equal(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
  assert.is(await ask(), 2);
  pass(8999);
  assert.is(await ask(), 2);
  pass(1);
  assert.is(await ask(), 2);
  assert.is(await ask(), 3);
});

test('what nobody asked for in ten seconds more is not told before it is counted anew', async () => {
  const { ask, pass } = counting();
  assert.is(await ask(), 1);
  pass(9000 + 9999);
  assert.is(await ask(), 1);
  assert.is(await ask(), 2);
  pass(9000 + 10_000);
  assert.is(await ask(), 3);
});

test('while it is counted anew, a message that has changed itself is counted once more', async () => {
  const { ask, pass } = counting();
  assert.is(await ask(), 1);
  pass(9000);
  assert.equal(await Promise.all([ask(), ask('m1', 'sent')]), [1, 3]);
  assert.is(await ask('m1', 'sent'), 3);
});

test('a count anew that fails is told to nobody, and what was known before it no longer either', async () => {
  const { ask, pass } = counting();
  const failing = () => Promise.reject(new Error('The database is gone.'));
  assert.is(await ask(), 1);
  pass(9000);
  assert.is(await ask('m1', 'writing', failing), 1);
  assert.is(await ask(), 2);
});

test('several who ask at the same time have it counted once', async () => {
  const { ask } = counting();
  assert.equal(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
});

test('a message that has changed itself is counted anew', async () => {
  const { ask } = counting();
  assert.is(await ask('m1', 'writing'), 1);
  assert.is(await ask('m1', 'sent'), 2);
  assert.is(await ask('m1', 'sent'), 2);
});

test('each message, and each database, has its own', async () => {
  const { ask } = counting();
  assert.is(await ask('m1'), 1);
  assert.is(await ask('m2'), 2);
  assert.is(await ask('m1'), 1);
  assert.is(await counting().ask('m1'), 1);
});

test('a count that failed is not told again', async () => {
  const { ask } = counting();
  const failing = () => Promise.reject(new Error('The database is gone.'));
  for (const _ of [1, 2])
    assert.is(
      await ask('m1', 'writing', failing).catch(({ message }) => message),
      'The database is gone.',
    );
  assert.is(await ask(), 1);
});

test('what is kept of more than a hundred messages goes, the oldest first', async () => {
  const db = {} as Database;
  let counted = 0;
  const ask = async (id: string) => {
    let time = 0; // on a clock that stands still between two questions
    const count = async (): Promise<Counts> => {
      time += 1;
      const devices = { accepted: (counted += 1) };
      return { devices, isCutOff: false, people: {} as Counts['people'], tally: undefined };
    };
    return (await countSeldom(id, 'sent', db, count, () => time)).devices.accepted;
  };
  for (let nth = 1; nth <= 101; nth += 1) assert.is(await ask(`m${nth}`), nth);
  assert.is(await ask('m101'), 101);
  assert.is(await ask('m2'), 2);
  assert.is(await ask('m1'), 102);
});

test.run();
