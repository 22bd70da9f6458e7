/** A histogram of milliseconds: small, and still good for a median. */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { DAY_MS } from '../lib/durations';

/** Counts by the lower end of a bucket. */
export type Delays = Map<number, number>;

/** Buckets are 0.1 s wide, then at most an eighth of their lower end. */
const WIDTHS: readonly (readonly [below: number, width: number])[] = [1, 10, 100, 1e3, 1e4].flatMap(
  (scale) =>
    [
      [2000, 100],
      [5000, 250],
      [10_000, 500],
    ].map(([below = 0, width = 0]) => [below * scale, width * scale] as const),
);

/** The lower end of the bucket of a time, in SQL. Above a day counts as a day. */
export const delayBucket = (delay: RawBuilder<number>): RawBuilder<number> =>
  sql<number>`case when ${delay} < 0 then 0 when ${delay} > ${sql.lit(DAY_MS)} then ${sql.lit(DAY_MS)} ${sql.join(
    WIDTHS.map(
      ([below, width]) =>
        sql`when ${delay} < ${sql.lit(below)} then ${delay} / ${sql.lit(width)} * ${sql.lit(width)}`,
    ),
    sql` `,
  )} end`;

export const addDelays = (sum: Delays, addedDelays: Delays): void => {
  for (const [from, count] of addedDelays) sum.set(from, (sum.get(from) ?? 0) + count);
};

/** `[from, count, from, count, …]`: a list is read four times as fast as an object. */
export const writeDelays = (delays: Delays): string => JSON.stringify([...delays].flat());

/** Adds what `writeDelays` wrote. */
export function addStoredDelays(sum: Delays, text: string): void {
  const counts = JSON.parse(text) as number[];
  for (let nth = 0; nth < counts.length; nth += 2) {
    const from = counts[nth] ?? 0;
    sum.set(from, (sum.get(from) ?? 0) + (counts[nth + 1] ?? 0));
  }
}

/** Seconds to a tenth that a share of the displays took at most; null without any. */
export function percentile(delays: Delays, share: number): number | null {
  let remainingCount = share * [...delays.values()].reduce((sum, count) => sum + count, 0);
  if (remainingCount === 0) return null;
  for (const [from, count] of [...delays].sort(([a], [b]) => a - b)) {
    if (remainingCount <= count)
      return Math.round((from + (widthAt(from) * remainingCount) / count) / 100) / 10;
    remainingCount -= count;
  }
  return null;
}

const widthAt = (from: number): number =>
  WIDTHS.find(([below]) => from < below && from < DAY_MS)?.[1] ?? 0;
