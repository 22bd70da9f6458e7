/** Runs jobs in the background: looks for them when it is woken and every so often, and stops in time. */
import { type Loop, nextTurn, startLoop, within } from '../lib/loop';
import { describeError } from '../lib/log';
import type { Services } from '../services';

/** How soon work is found that another process left, or asked for. */
export const POLL_MILLISECONDS = 2000;

export interface JobRunner {
  /** There may be work: look now. */
  wake(): void;
  /** Begins what may begin now. @returns whether there was anything */
  runSome(): Promise<boolean>;
  /** Runs all that is due, and what becomes due meanwhile. Resolves when all of it has ended. */
  runDue(): Promise<void>;
  /** Looks for work until it is stopped. */
  start(): void;
  /**
   * Begins no more, and waits for what is under way.
   * @param patience milliseconds after which it is left alone: another process does it again when
   * the claim runs out
   */
  stop(patience?: number): Promise<void>;
}

/** What is under way, as a look sees it. */
export interface JobsUnderWay {
  /** Goes on behind the look. Its end is a reason to look again. */
  begin(work: Promise<void>): void;
  count(): number;
  isStopping(): boolean;
  /** Whether a stop waited long enough: the database may be closed. */
  isLeft(): boolean;
}

/**
 * @param services read when needed, since they hold what this returns
 * @param failure what the log says where a look, or what it began, fails
 * @param look begins what may begin now; resolves with the milliseconds until the next look: 0 if
 * there was something. No two looks overlap.
 */
export function createJobRunner(
  services: () => Services,
  failure: string,
  look: (underWay: JobsUnderWay) => Promise<number>,
): JobRunner {
  const ends = new Set<Promise<void>>();
  let loop: Loop | undefined;
  let lastLook: Promise<unknown> = Promise.resolve();
  let isStopping = false;
  let isLeft = false;

  const fail = (error: unknown): number => {
    services().log.error(failure, describeError(error));
    return POLL_MILLISECONDS;
  };
  const underWay: JobsUnderWay = {
    begin(work) {
      const ended = work.catch(fail).then(() => {
        ends.delete(ended);
        loop?.wake();
      });
      ends.add(ended);
    },
    count: () => ends.size,
    isStopping: () => isStopping,
    isLeft: () => isLeft,
  };

  function lookInTurn(): Promise<number> {
    const own = lastLook.then(() => look(underWay));
    lastLook = own.catch(() => undefined);
    return own;
  }

  return {
    wake: () => loop?.wake(),
    runSome: async () => (await lookInTurn()) === 0,
    async runDue() {
      while (!isStopping) {
        const rest = await lookInTurn();
        if (ends.size > 0) await Promise.race(ends);
        else if (rest > 0) return;
        else await nextTurn();
      }
    },
    start() {
      loop = startLoop(lookInTurn, fail);
    },
    async stop(patience) {
      isStopping = true;
      const ended = Promise.resolve(loop?.stop()).then(() => Promise.all(ends));
      await (patience === undefined ? ended : within(patience, ended));
      isLeft = true;
    },
  };
}
