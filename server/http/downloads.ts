/** How many long answers are under way at once: each holds a piece of itself in memory. */
import type { Database } from '../db/open';
import { clock } from '../lib/clock';
import { HttpError } from './errors';

export const downloadLimits = {
  /** Of one person. */
  ofOne: 3,
  ofAll: 32,
  /** An answer is cut off by then, whoever reads it how slowly (`connections/listen.ts`). */
  milliseconds: 40_000,
};

interface Download {
  who: number;
  begun: number;
}

/** Of each installation in this process. */
const underWay = new WeakMap<Database, Set<Download>>();

/**
 * Answers somebody with what is long. @param answer is handed what says that it is over; where it
 * fails, it is
 * @throws HttpError 429 where too many are under way
 */
export async function inDownload<Answer>(
  who: number,
  db: Database,
  answer: (leave: () => void) => Promise<Answer>,
  now = clock.elapsed(),
): Promise<Answer> {
  const all = underWay.get(db) ?? new Set();
  underWay.set(db, all);
  // Nobody says so of an answer that is never begun to be read.
  for (const one of all) if (one.begun <= now - downloadLimits.milliseconds) all.delete(one);
  const own = [...all].filter((one) => one.who === who).length;
  if (own >= downloadLimits.ofOne || all.size >= downloadLimits.ofAll)
    throw new HttpError(429, 'Too much is being downloaded at once. Please try again.', 5);
  const download = { who, begun: now };
  const leave = (): void => void all.delete(download);
  all.add(download);
  try {
    return await answer(leave);
  } catch (error) {
    leave();
    throw error;
  }
}
