/** Runs jobs in the background: polls, can be woken, and stops in time. */
import { type Loop, yieldToEventLoop, startLoop, waitAtMost } from '../lib/loop';
import { describeError } from '../lib/log';
import type { Services } from '../services';

/** How soon jobs of other processes are found. */
export const POLL_EVERY_MS = 2000;

export interface JobRunner {
  /** Looks for jobs now. */
  wake(): void;
  /**
   * Starts what may start now.
   * @returns whether there was anything
   */
  runSome(): Promise<boolean>;
  /** Runs all due jobs, including those that become due meanwhile. */
  runDue(): Promise<void>;
  /** Looks for jobs until the runner is stopped. */
  start(): void;
  /**
   * Starts no more jobs, and waits for running jobs.
   * @param maxWait milliseconds to wait; an abandoned job runs again when its claim expires
   */
  stop(maxWait?: number): Promise<void>;
}

/** Running jobs. */
export interface RunningJobs {
  /** Tracks work that outlasts the poll, and polls again when it ends. */
  begin(job: Promise<void>): void;
  count(): number;
  isStopping(): boolean;
  /** Whether `stop` waited in vain, so the database may be closed. */
  isAbandoned(): boolean;
}

/**
 * @param services read when needed, since they contain the result
 * @param queue its name in the log
 * @param poll starts what may start; resolves with the milliseconds until the next poll, 0 if there
 * was something. Polls never overlap.
 */
export function createJobRunner(
  services: () => Services,
  queue: string,
  poll: (runningJobs: RunningJobs) => Promise<number>,
): JobRunner {
  const runningEnds = new Set<Promise<void>>();
  let loop: Loop | undefined;
  let lastPoll: Promise<unknown> = Promise.resolve();
  let isStopping = false;
  let isAbandoned = false;

  const logFailure = (error: unknown): number => {
    services().log.error('job queue failed, retrying', { queue, ...describeError(error) });
    return POLL_EVERY_MS;
  };
  const runningJobs: RunningJobs = {
    begin(job) {
      const jobEnd = job.catch(logFailure).then(() => {
        runningEnds.delete(jobEnd);
        loop?.wake();
      });
      runningEnds.add(jobEnd);
    },
    count: () => runningEnds.size,
    isStopping: () => isStopping,
    isAbandoned: () => isAbandoned,
  };

  function pollInTurn(): Promise<number> {
    const ownPoll = lastPoll.then(() => poll(runningJobs));
    lastPoll = ownPoll.catch(() => undefined);
    return ownPoll;
  }

  return {
    wake: () => loop?.wake(),
    runSome: async () => (await pollInTurn()) === 0,
    async runDue() {
      while (!isStopping) {
        const pauseMs = await pollInTurn();
        if (runningEnds.size > 0) await Promise.race(runningEnds);
        else if (pauseMs > 0) return;
        else await yieldToEventLoop();
      }
    },
    start() {
      loop = startLoop(pollInTurn, logFailure);
    },
    async stop(maxWait) {
      isStopping = true;
      const allStopped = Promise.resolve(loop?.stop()).then(() => Promise.all(runningEnds));
      await (maxWait === undefined ? allStopped : waitAtMost(maxWait, allStopped));
      isAbandoned = true;
    },
  };
}
