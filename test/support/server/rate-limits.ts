import { sha256 } from '../../../server/lib/sha256';
import type { Limit } from '../../../server/http/rate-limits';
import type { Services } from '../../../server/services';

/** Sets a rate limit as if `attempts` had just been made. */
export async function useUpLimit(
  attempts: number,
  { key, max, windowMs }: Limit,
  { db, now }: Services,
): Promise<void> {
  const counter = {
    key: sha256(JSON.stringify(key)),
    count: attempts,
    ends_at: now() + Math.min(attempts, max + 1) * Math.floor(windowMs / max),
  };
  await db
    .insertInto('rate_limits')
    .values(counter)
    .onConflict((taken) => taken.column('key').doUpdateSet(counter))
    .execute();
}
