import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addJob, claimJobs, nextDueAt } from '../../../server/db/jobs';
import type { Job } from '../../../server/db/jobs';
import { makeOutbox, type Outbox } from '../../support/server/outbox';

const test = suite('jobs');
const [START, LEASE, DAY] = [1_700_000_000_000, 60_000, 24 * 3600_000];
const KINDS = ['message'];
let outbox: Outbox;

test.before.each(async () => {
  outbox = await makeOutbox();
  for (let index = 0; index < 3; index += 1)
    await addJob({ kind: 'message', subject: `message ${index}` }, outbox.db, START + index);
});
test.after.each(() => outbox.close());

const claim = (now: number, limit = 10): Promise<Job[]> =>
  claimJobs(outbox.db, outbox.engine, { kinds: KINDS, now, lease: LEASE, limit });
const subjects = (jobs: Job[]): string[] => jobs.map(({ subject }) => subject).sort();

test('a job is one process’ until its claim runs out, then another one’s, as a further attempt', async () => {
  const now = START + 10;
  const [first] = await claim(now, 1);
  assert.equal([first?.subject, first?.attempts], ['message 0', 1]);
  assert.equal(subjects(await claim(now)), ['message 1', 'message 2']);
  assert.is(await nextDueAt(KINDS, outbox.db, now), now + LEASE);
  assert.equal(await claim(now + LEASE - 1), []);
  const again = await claim(now + LEASE);
  assert.equal(subjects(again), ['message 0', 'message 1', 'message 2']);
  assert.equal(
    again.map(({ attempts }) => attempts),
    [2, 2, 2],
  );
});

test('a job that a clock a day ahead claimed does not wait for a day', async () => {
  assert.is((await claim(START + DAY)).length, 3);
  const now = START + 10;
  assert.ok(((await nextDueAt(KINDS, outbox.db, now)) ?? Infinity) <= now);
  assert.is((await claim(now)).length, 3);
});

test.run();
