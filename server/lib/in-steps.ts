import { setTimeout as wait } from 'node:timers/promises';

const PAUSE_MILLISECONDS = 20;

/**
 * Does work that may be long in steps, until one says that there is no more, or until it is told to
 * stop. Others who want to write get their turn in between.
 */
export async function inSteps(step: () => Promise<boolean>, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await step())) await wait(PAUSE_MILLISECONDS);
}
