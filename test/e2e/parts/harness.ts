/** A story is one test of some seconds, with a time limit and its own clean-up. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'puppeteer-core';
import type { Installation } from '../../support/processes/installation';
import { readPageRecords, recordConsole } from './page-records';

export type CleanUp = (step: () => Promise<unknown> | unknown) => void;

export interface Story {
  name: string;
  /** @param cleanUp what to do at the end, last first, failed or not */
  run(cleanUp: CleanUp): Promise<void>;
  /** The story measures time or memory, so it runs alone. */
  measures?: boolean;
  /** Milliseconds, for a story longer than others. */
  limit?: number;
  /** Why the story is skipped; a skipped story never counts as passed. */
  skipped?: string | undefined;
}

/** Ten times what a story takes, except for a long `day`. */
const STORY_LIMIT_MS = 600_000;

export interface StoryFault {
  error: unknown;
  seen: string;
}

/** Resolves with what went wrong, if anything did. */
export async function runStory(story: Story): Promise<StoryFault | undefined> {
  const cleanUpSteps: Parameters<CleanUp>[0][] = [];
  let fault: StoryFault | undefined;
  const timeLimit = new AbortController();
  const failWhenLate = async (): Promise<never> => {
    await pause(story.limit ?? STORY_LIMIT_MS, undefined, { signal: timeLimit.signal });
    throw new Error('The story did not finish within its time limit.');
  };
  try {
    await Promise.race([story.run((step) => cleanUpSteps.unshift(step)), failWhenLate()]);
  } catch (error) {
    fault = { error: error ?? new Error('failed'), seen: await readPageRecords() };
  }
  timeLimit.abort();
  for (const step of cleanUpSteps) {
    try {
      await step();
    } catch (error) {
      fault ??= { error, seen: await readPageRecords() };
    }
  }
  return fault;
}

/**
 * Starts a server and a browser together, and ends both with the story, the browser first.
 * @throws if one of them did not start
 */
export async function startServerAndBrowser(
  installation: Promise<Installation>,
  browser: Promise<Browser>,
  cleanUp: CleanUp,
): Promise<[Installation, Browser]> {
  await Promise.allSettled([installation, browser.then(recordConsole)]);
  cleanUp(async () => (await installation.catch(() => undefined))?.stop());
  cleanUp(async () => (await browser.catch(() => undefined))?.close());
  return Promise.all([installation, browser]);
}
