import * as assert from 'uvu/assert';
import { addJob } from '../../../server/db/jobs/jobs';
import type { Job } from '../../../server/db/jobs/jobs';
import { runSteps } from '../../../server/jobs/job-steps';
import type { JobSteps } from '../../../server/jobs/job-steps';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('job steps');

const addTriedJob = (subject: string, db = server.services.db) =>
  addJob({ kind: 'tried', subject }, db, server.clock.now);
const readJobs = async () =>
  (await server.services.db.selectFrom('jobs').selectAll().orderBy('subject').execute()).map(
    ({ subject, due_at, claimed_until }) => [subject, due_at - server.clock.now, claimed_until],
  );
const logLines = (level: string) =>
  server.log.map((line) => JSON.parse(line)).filter((line) => line.level === level);
/** A turn of jobs that run together, and those that ran alone. */
function createJobRun(runTogether: NonNullable<JobSteps['runTogether']>, step?: JobSteps['step']) {
  const alone: string[] = [];
  const steps: JobSteps = {
    kinds: ['tried'],
    limit: 10,
    runTogether,
    step: async (job, transaction, services) => {
      alone.push(job.subject);
      return step?.(job, transaction, services);
    },
  };
  return { runTurn: () => runSteps(steps, server.services), alone };
}
const bySubject = (jobs: readonly Job[]) => new Map(jobs.map((job) => [job.subject, job]));

test('runs due jobs together where possible, and the others alone', async () => {
  for (const subject of ['a', 'b', 'c', 'd']) await addTriedJob(subject);
  const { runTurn, alone } = createJobRun(async (jobs) => {
    const job = bySubject(jobs);
    return new Map([
      [job.get('a')!, undefined],
      [job.get('c')!, server.clock.now + 5000],
    ]);
  });
  assert.is(await runTurn(), true);
  assert.equal(alone.sort(), ['b', 'd']);
  assert.equal(await readJobs(), [['c', 5000, null]]);
});

test('runs a job again that is requested while it runs with others', async () => {
  for (const subject of ['a', 'b', 'c']) await addTriedJob(subject);
  let turns = 0;
  const { runTurn, alone } = createJobRun(async (jobs, transaction) => {
    turns += 1;
    // This acts like another process just before this transaction: SQLite has one writer.
    if (turns === 1) for (const subject of ['a', 'b']) await addTriedJob(subject, transaction);
    const job = bySubject(jobs);
    return new Map(
      [...job.values()].map((each) => [
        each,
        each.subject === 'b' ? server.clock.now + 60_000 : undefined,
      ]),
    );
  });
  await runTurn();
  assert.equal(await readJobs(), [
    ['a', 0, null],
    ['b', 0, null],
  ]);
  await runTurn();
  assert.equal(await readJobs(), [['b', 60_000, null]]);
  assert.equal([turns, alone], [2, []]);
});

test('runs each job alone after a shared failure, and logs the reason', async () => {
  for (const subject of ['a', 'b', 'c']) await addTriedJob(subject);
  const { runTurn, alone } = createJobRun(
    async (_, transaction) => {
      await addJob({ kind: 'other', subject: 'x' }, transaction, 0);
      throw new Error('all of it');
    },
    async ({ subject }) => {
      if (subject === 'b') throw new Error('this one');
      return undefined;
    },
  );
  await runTurn();
  assert.equal(alone.sort(), ['a', 'b', 'c']);
  const [[left, dueIn] = [], ...others] = await readJobs();
  assert.equal([left, others], ['b', []]);
  assert.ok(Number(dueIn) > 0, 'tried again later');
  assert.equal(
    logLines('error').map(({ event, kind, fault }) => [event, kind, fault]),
    [['job failed, retrying', 'tried', 'unexpected']],
  );
  assert.equal(
    logLines('warn').map(({ jobs }) => jobs),
    [3],
  );
});

test('retries a step twice at once when a person was deleted, then logs it and waits', async () => {
  await addTriedJob('a');
  const { runTurn } = createJobRun(
    async () => new Map(),
    () => Promise.reject(Object.assign(new Error(), { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' })),
  );
  for (const attempt of [1, 2]) {
    await runTurn();
    assert.equal(
      [await readJobs(), logLines('error')],
      [[['a', 0, null]], []],
      `attempt ${attempt}`,
    );
  }
  await runTurn();
  const [[, dueIn] = []] = await readJobs();
  assert.ok(Number(dueIn) > 0, 'waits');
  assert.equal(
    logLines('error').map(({ event, fault }) => [event, fault]),
    [['job failed, retrying', 'missing-reference']],
  );
});

test('runs a single job alone', async () => {
  await addTriedJob('a');
  const { runTurn, alone } = createJobRun(() => Promise.reject(new Error('not together')));
  await runTurn();
  assert.equal(alone, ['a']);
});

test.run();
