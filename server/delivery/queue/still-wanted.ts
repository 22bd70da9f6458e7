/** Asks again, just before a push leaves, whether somebody still waits for it. */
import type { Claim, Fallen } from '../../db/outbox/claim';
import { findFallen } from '../../db/outbox/still-wanted';
import type { Database } from '../../db/open';

/**
 * Milliseconds for which the answer is believed, counted from the question. So no push begins later
 * than this after whatever it needs was deleted or switched off, in all processes; and a fan-out
 * that flows asks no second time.
 */
export const BELIEVED = 250;

/** `unknown`: the database did not answer. */
export type StillWanted = 'stands' | Fallen | 'unknown';

/**
 * Makes the question: `since` is when it was asked before, in milliseconds of the monotonic clock.
 */
export function createStillWanted(
  db: Database,
  elapsed: () => number,
): (claim: Claim, since: number) => Promise<StillWanted> {
  let gathered: { claim: Claim; answer: (standing: StillWanted) => void }[] = [];

  async function askAll(): Promise<void> {
    const asked = gathered;
    gathered = [];
    const fallen = await findFallen(
      db,
      asked.map(({ claim }) => claim),
    ).catch(() => undefined);
    for (const { claim, answer } of asked) {
      if (fallen === undefined) answer('unknown');
      else answer(fallen.get(claim) ?? 'stands');
    }
  }

  return async (claim, since) => {
    if (elapsed() - since <= BELIEVED) return 'stands';
    return new Promise((answer) => {
      gathered.push({ claim, answer });
      // Pushes that begin together ask together.
      if (gathered.length === 1) setImmediate(() => void askAll());
    });
  };
}
