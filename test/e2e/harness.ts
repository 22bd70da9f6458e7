/**
 * A story is one test that takes seconds: it is run alone, timed, and cleans up after itself
 * however it ends.
 */
import type { Browser } from 'puppeteer-core';
import type { Installation } from '../support/server/installation';

export type CleanUp = (step: () => Promise<unknown> | unknown) => void;

export interface Story {
  name: string;
  /** @param cleanUp what to do at the end, last first, failed or not */
  run(cleanUp: CleanUp): Promise<void>;
  /** Why it is not run; such a story never counts as passed. */
  skipped?: string | undefined;
}

/** Runs the story and resolves with what went wrong, if anything did. */
export async function tell(story: Story): Promise<unknown> {
  const steps: Parameters<CleanUp>[0][] = [];
  let fault: unknown;
  try {
    await story.run((step) => steps.unshift(step));
  } catch (error) {
    fault = error ?? new Error('failed');
  }
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      fault ??= error;
    }
  }
  return fault;
}

/**
 * A server and a browser that start side by side, and end with the story, the browser first.
 * @throws if one of them did not start
 */
export async function bothStarted(
  installation: Promise<Installation>,
  browser: Promise<Browser>,
  cleanUp: CleanUp,
): Promise<[Installation, Browser]> {
  await Promise.allSettled([installation, browser]);
  cleanUp(async () => (await installation.catch(() => undefined))?.stop());
  cleanUp(async () => (await browser.catch(() => undefined))?.close());
  return Promise.all([installation, browser]);
}
