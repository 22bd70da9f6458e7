/** Checks again, just before a push is sent, whether it is still wanted. */
import type { ClaimedPush, SkipReason } from '../../db/outbox/claimed-push';
import { findUnwanted } from '../../db/outbox/unwanted-pushes';
import type { Database } from '../../db/open';

/** Milliseconds that a check is valid: the longest delay of a deletion's effect on pushes. */
export const STILL_WANTED_VALID_MS = 250;

/** `unknown`: the database did not respond. */
export type WantedState = 'wanted' | SkipReason | 'unknown';

/** Creates the check. `since`: the previous check, in milliseconds of the monotonic clock. */
export function createStillWantedCheck(
  db: Database,
  elapsed: () => number,
): (claim: ClaimedPush, since: number) => Promise<WantedState> {
  let queries: { claim: ClaimedPush; resolve: (state: WantedState) => void }[] = [];

  async function answerQueries(): Promise<void> {
    const batch = queries;
    queries = [];
    const unwantedClaims = await findUnwanted(
      db,
      batch.map(({ claim }) => claim),
    ).catch(() => undefined);
    for (const { claim, resolve } of batch) {
      if (unwantedClaims === undefined) resolve('unknown');
      else resolve(unwantedClaims.get(claim) ?? 'wanted');
    }
  }

  return async (claim, since) => {
    if (elapsed() - since <= STILL_WANTED_VALID_MS) return 'wanted';
    return new Promise((resolve) => {
      queries.push({ claim, resolve });
      // Concurrent pushes share one query.
      if (queries.length === 1) setImmediate(() => void answerQueries());
    });
  };
}
