/** Attempts that would take a test minutes to make. */
import { hash } from '../../server/hash';
import type { Services } from '../../server/services';

const QUARTER_OF_AN_HOUR = 15 * 60_000;

/** Sets a rate limit's counter to where so many attempts, made just now, would have brought it. */
export async function countBefore(attempts: number, key: readonly string[], { db, now }: Services): Promise<void> {
  const counter = { key: hash(JSON.stringify(key)), count: attempts, ends_at: now() + QUARTER_OF_AN_HOUR };
  await db.insertInto('rate_limits').values(counter).onConflict((taken) => taken.column('key').doUpdateSet(counter)).execute();
}
