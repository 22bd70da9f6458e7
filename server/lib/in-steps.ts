import { setTimeout as wait } from 'node:timers/promises';

const PAUSE_MILLISECONDS = 20;

/** Repeats a step until it returns false or is aborted, with pauses for other writers. */
export async function inSteps(step: () => Promise<boolean>, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await step())) await wait(PAUSE_MILLISECONDS);
}
