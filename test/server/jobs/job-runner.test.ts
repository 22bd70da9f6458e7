import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningJobs, createJobRunner } from '../../../server/jobs/job-runner';
import { yieldToEventLoop } from '../../../server/lib/loop';
import type { Services } from '../../../server/services';

const test = suite('the job runner');

/** A runner whose look waits for `endLook`, and then starts a job that waits for `endJob`. */
function startRunner() {
  const [look, endLook] = createPromise();
  const [job, endJob] = createPromise();
  let isAbandoned = () => false;
  const startJob = async (jobs: RunningJobs): Promise<number> => {
    isAbandoned = jobs.isAbandoned;
    await look;
    jobs.begin(job);
    return 1000;
  };
  const runner = createJobRunner(() => ({}) as Services, 'it failed', startJob);
  runner.start();
  return { runner, endLook, endJob, isAbandoned: () => isAbandoned() };
}

function createPromise(): [promise: Promise<void>, resolve: () => void] {
  let resolve = () => {};
  return [new Promise((done) => (resolve = done)), () => resolve()];
}

async function fewTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await yieldToEventLoop();
}

test('finishes the current poll and its jobs before it stops', async () => {
  const { runner, endLook, endJob, isAbandoned } = startRunner();
  await fewTurns();
  let isStopped = false;
  const stopped = runner.stop().then(() => (isStopped = true));
  await fewTurns();
  assert.equal([isStopped, isAbandoned()], [false, false], 'waits for the look');
  endLook();
  await fewTurns();
  assert.equal([isStopped, isAbandoned()], [false, false], 'waits for the job');
  endJob();
  await stopped;
  assert.is(isAbandoned(), true);
});

test('abandons a job that outlasts the maximum wait', async () => {
  const { runner, endLook, endJob, isAbandoned } = startRunner();
  endLook();
  await fewTurns();
  let isStopped = false;
  const stopped = runner.stop(100).then(() => (isStopped = true));
  await fewTurns();
  assert.equal([isStopped, isAbandoned()], [false, false], 'is patient');
  await stopped;
  assert.is(isAbandoned(), true);
  endJob();
});

test.run();
