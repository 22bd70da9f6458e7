import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from './log';
import { describeError } from './log';

const LATEST_MILLISECONDS = 400;

/**
 * Work that is done after the answer, so that neither its time nor its failure tells the caller
 * anything. It starts at a random moment: were it always the next thing, the following request
 * would feel it.
 */
export class Background {
  readonly #waiting = new Map<NodeJS.Timeout, () => Promise<void>>();
  readonly #running = new Set<Promise<void>>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  run(work: () => Promise<void>): void {
    const timer = setTimeout(() => this.#start(timer), randomInt(LATEST_MILLISECONDS));
    this.#waiting.set(timer, work);
  }

  /**
   * Does everything that waits, at once, and resolves when all of it has ended.
   * @param within milliseconds after which what has not ended is not waited for any more
   */
  async settle(within = 60_000): Promise<void> {
    for (const timer of [...this.#waiting.keys()]) this.#start(timer);
    const patience = new AbortController();
    const late = wait(within, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#running), late]);
    patience.abort();
  }

  #start(timer: NodeJS.Timeout): void {
    const work = this.#waiting.get(timer);
    clearTimeout(timer);
    this.#waiting.delete(timer);
    if (work === undefined) return;
    const running = work()
      .catch((error: unknown) => this.#log.error('background work failed', describeError(error)))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
