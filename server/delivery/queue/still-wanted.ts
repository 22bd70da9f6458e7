/** Checks again, just before a push is sent, whether it is still wanted. */
import type { Claim, Fallen } from '../../db/outbox/claim';
import { findFallen } from '../../db/outbox/still-wanted';
import type { Database } from '../../db/open';

/**
 * Milliseconds that a check is valid. No push starts later than this after what it needs was deleted,
 * and a fast worker checks no second time.
 */
export const BELIEVED = 250;

/** `unknown`: the database did not answer. */
export type StillWanted = 'wanted' | Fallen | 'unknown';

/** Creates the check. `since`: the previous check, in milliseconds of the monotonic clock. */
export function createStillWanted(
  db: Database,
  elapsed: () => number,
): (claim: Claim, since: number) => Promise<StillWanted> {
  let gathered: { claim: Claim; answer: (state: StillWanted) => void }[] = [];

  async function askAll(): Promise<void> {
    const asked = gathered;
    gathered = [];
    const fallen = await findFallen(
      db,
      asked.map(({ claim }) => claim),
    ).catch(() => undefined);
    for (const { claim, answer } of asked) {
      if (fallen === undefined) answer('unknown');
      else answer(fallen.get(claim) ?? 'wanted');
    }
  }

  return async (claim, since) => {
    if (elapsed() - since <= BELIEVED) return 'wanted';
    return new Promise((answer) => {
      gathered.push({ claim, answer });
      // Concurrent pushes share one query.
      if (gathered.length === 1) setImmediate(() => void askAll());
    });
  };
}
