/**
 * A story is one test that takes seconds: it is timed, and cleans up after itself however it ends.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'puppeteer-core';
import type { Installation } from '../../support/processes/installation';
import { testify, watch } from './witness';

export type CleanUp = (step: () => Promise<unknown> | unknown) => void;

export interface Story {
  name: string;
  /** @param cleanUp what to do at the end, last first, failed or not */
  run(cleanUp: CleanUp): Promise<void>;
  /** It measures time or memory, and is told when nothing else is under way. */
  measures?: boolean;
  /** Milliseconds after which it hangs, where that takes longer than for others. */
  limit?: number;
  /** Why it is not run; such a story never counts as passed. */
  skipped?: string | undefined;
}

/** No story takes a tenth of it, but for a day of a thousand actions, which is asked for by name. */
const LIMIT_MS = 600_000;

export interface Fault {
  error: unknown;
  /** What was to be seen in the browsers then. */
  seen: string;
}

/** Runs the story and resolves with what went wrong, if anything did. */
export async function tell(story: Story): Promise<Fault | undefined> {
  const steps: Parameters<CleanUp>[0][] = [];
  let fault: Fault | undefined;
  const patience = new AbortController();
  const late = async (): Promise<never> => {
    await pause(story.limit ?? LIMIT_MS, undefined, { signal: patience.signal });
    throw new Error('It never came to its end: it waits for something.');
  };
  try {
    await Promise.race([story.run((step) => steps.unshift(step)), late()]);
  } catch (error) {
    fault = { error: error ?? new Error('failed'), seen: await testify() };
  }
  patience.abort();
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      fault ??= { error, seen: await testify() };
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
  await Promise.allSettled([installation, browser.then(watch)]);
  cleanUp(async () => (await installation.catch(() => undefined))?.stop());
  cleanUp(async () => (await browser.catch(() => undefined))?.close());
  return Promise.all([installation, browser]);
}
