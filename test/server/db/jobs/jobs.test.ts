import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  addJob,
  addJobs,
  claimJobs,
  dropJobs,
  finishJob,
  nextJobDueAt,
  postponeJob,
  readJobs,
  finishOrPostponeJobs,
} from '../../../../server/db/jobs/jobs';
import type { Job } from '../../../../server/db/jobs/jobs';
import { createOutbox, type Outbox } from '../../../support/delivery/outbox';

const test = suite('jobs');
const [START, LEASE, DAY] = [1_700_000_000_000, 60_000, 24 * 3600_000];
const JOB_KINDS = ['message'];
let outbox: Outbox;

test.before.each(async () => {
  outbox = await createOutbox();
  for (let index = 0; index < 3; index += 1)
    await addJob({ kind: 'message', subject: `message ${index}` }, outbox.db, START + index);
});
test.after.each(() => outbox.close());

const claim = (now: number, limit = 10): Promise<Job[]> =>
  claimJobs(outbox.db, { kinds: JOB_KINDS, now, leaseMs: LEASE, limit });
const subjects = (jobs: Job[]): string[] => jobs.map(({ subject }) => subject).sort();

test('leases a job to one process, and to the next one when the lease expires', async () => {
  const now = START + 10;
  const [first] = await claim(now, 1);
  assert.equal([first?.subject, first?.attempts], ['message 0', 1]);
  assert.equal(subjects(await claim(now)), ['message 1', 'message 2']);
  assert.is(await nextJobDueAt(JOB_KINDS, outbox.db, now), now + LEASE);
  assert.equal(await claim(now + LEASE - 1), []);
  const repeatedJobs = await claim(now + LEASE);
  assert.equal(subjects(repeatedJobs), ['message 0', 'message 1', 'message 2']);
  assert.equal(
    repeatedJobs.map(({ attempts }) => attempts),
    [2, 2, 2],
  );
});

test('leases the longest overdue jobs of several kinds first', async () => {
  for (const [kind, at] of [
    ['escalation', 5],
    ['quiet-end', -1],
  ] as const)
    await addJob({ kind, subject: kind }, outbox.db, START + at);
  const claimedJobs = await claimJobs(outbox.db, {
    kinds: ['escalation', 'message', 'quiet-end'],
    now: START + 10,
    leaseMs: LEASE,
    limit: 3,
  });
  assert.equal(subjects(claimedJobs), ['message 0', 'message 1', 'quiet-end']);
});

test('ignores a lease from a clock that was a day ahead', async () => {
  assert.is((await claim(START + DAY)).length, 3);
  const now = START + 10;
  assert.ok(((await nextJobDueAt(JOB_KINDS, outbox.db, now)) ?? Infinity) <= now);
  assert.is((await claim(now)).length, 3);
});

/** Subject, due time, attempts and lease of each job. */
const rows = async () =>
  (
    await outbox.db
      .selectFrom('jobs')
      .select(['subject', 'due_at', 'attempts', 'claimed_until'])
      .orderBy('id')
      .execute()
  ).map(({ subject, due_at, attempts, claimed_until }) => [
    subject,
    due_at - START,
    attempts,
    claimed_until,
  ]);
const OTHER_JOBS = [
  ['message 1', 1, 0, null],
  ['message 2', 2, 0, null],
];
const requestAgain = (subject: string, at: number) =>
  addJob({ kind: 'message', subject }, outbox.db, START + at);

/** Every way to return a job, and what is left without a new request. */
const WAYS_TO_END: [what: string, end: (job: Job) => Promise<unknown>, left: unknown[][]][] = [
  ['finished', (job) => finishJob(job, outbox.db), []],
  ['settled as done', (job) => finishOrPostponeJobs(new Map([[job, undefined]]), outbox.db), []],
  [
    'settled as going on',
    (job) => finishOrPostponeJobs(new Map([[job, START + 500]]), outbox.db),
    [['message 0', 500, 0, null]],
  ],
  ['postponed', (job) => postponeJob(job, START + 500, outbox.db), [['message 0', 500, 2, null]]],
];
for (const [caseName, end, left] of WAYS_TO_END) {
  test(`${caseName} after a second attempt: leaves ${left.length ? 'the rest of the job' : 'no job'}, and other jobs untouched`, async () => {
    await claim(START, 1);
    const [job] = await claim(START + LEASE, 1);
    assert.is(job?.attempts, 2);
    await end(job as Job);
    assert.equal(await rows(), [...left, ...OTHER_JOBS]);
  });

  test(`${caseName} after a new request: runs the job again at once, with no attempt counted`, async () => {
    const [job] = await claim(START, 1);
    await requestAgain('message 0', 7);
    await end(job as Job);
    assert.equal(await rows(), [['message 0', 7, 0, null], ...OTHER_JOBS]);
    assert.is((await claim(START + 7, 1))[0]?.attempts, 1);
  });

  test(`${caseName} after the lease expired and a new request: leaves the job to its new owner`, async () => {
    const [late] = await claim(START, 1);
    await requestAgain('message 0', 0);
    await claim(START + LEASE, 1);
    await end(late as Job);
    assert.equal(await rows(), [['message 0', 0, 1, START + 2 * LEASE], ...OTHER_JOBS]);
  });
}

test('schedules several jobs at their times, and reschedules existing ones', async () => {
  await claim(START, 1);
  await addJobs(
    'message',
    [
      { subject: 'message 9', dueAt: START + 50 },
      { subject: 'message 0', dueAt: START + 60 },
    ],
    outbox.db,
    START + 3,
  );
  assert.equal(await rows(), [
    ['message 0', 60, 0, START + LEASE],
    ...OTHER_JOBS,
    ['message 9', 50, 0, null],
  ]);
});

test('deletes jobs by kind and subject, and counts them by kind', async () => {
  await addJob({ kind: 'escalation', subject: 'message 1' }, outbox.db, START, START + 9);
  assert.equal(await readJobs(['message', 'escalation'], outbox.db), {
    pending: 4,
    oldestDueAt: START,
  });
  await claim(START, 1);
  assert.equal(await readJobs(['message'], outbox.db), { pending: 3, oldestDueAt: START + 1 });
  await dropJobs(['message'], 'message 1', outbox.db);
  assert.equal(
    (await rows()).map(([subject, dueAt]) => [subject, dueAt]),
    [
      ['message 0', 0],
      ['message 2', 2],
      ['message 1', 9],
    ],
  );
  assert.equal(await readJobs(['escalation'], outbox.db), { pending: 1, oldestDueAt: START + 9 });
  assert.equal(await readJobs(['quiet-end'], outbox.db), { pending: 0, oldestDueAt: undefined });
});

test('knows when the next job can be leased', async () => {
  await claim(START + 2);
  assert.is(await nextJobDueAt(JOB_KINDS, outbox.db, START + 2), START + 2 + LEASE);
  await addJob({ kind: 'message', subject: 'later' }, outbox.db, START, START + LEASE);
  assert.is(await nextJobDueAt(JOB_KINDS, outbox.db, START + 2), START + LEASE);
  assert.is(await nextJobDueAt(['escalation'], outbox.db, START + 2), undefined);
});

test.run();
