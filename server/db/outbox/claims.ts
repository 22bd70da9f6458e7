/**
 * The outbox as a queue for any number of server processes: claim rows, and give back what was not
 * sent. A row is claimed by raising its `claimed_until`; a process that dies leaves claims that
 * simply run out.
 */
import { sql } from 'kysely';
import { isFree } from '../unclaimed';
import type { Database, Engine } from '../open';
import { inTransaction } from '../transaction';
import type { Claim } from './claim';
import { PARKED } from './order';
import { readClaims } from './still-wanted';

/** A process that died that often in a row while it held a row must not be ended by it again. */
export const MAX_LOST = 3;

/** Whether it may be what ended the processes that held it. */
export const isSuspect = ({ lost }: Pick<Claim, 'lost'>): boolean => lost >= MAX_LOST - 1;

/** How many rows to take of a service's queue. */
export interface Share {
  service: number;
  limit: number;
  /**
   * No row that lies before this is claimed. PostgreSQL looks through all rows of a large message
   * that have ended, until it has swept them: for each claim, if it were not told where to begin.
   */
  from?: number;
}

interface ClaimOptions {
  now: number;
  /** Milliseconds until the claim runs out; to be longer than any attempt can take. */
  lease: number;
  from: readonly Share[];
  /** Passes over rows that would be suspects. */
  withoutSuspects?: boolean;
}

/**
 * Claims due rows, of each queue as many as its share. No two callers get the same row, unless a
 * claim ran out in between. It shares `isFree` with `claimRows`, but not the statement: shares,
 * suspects and the second query exist only here, so one statement for both would be longer.
 */
export async function claimDue(
  db: Database,
  engine: Engine,
  { now, lease, from, withoutSuspects = false }: ClaimOptions,
): Promise<Claim[]> {
  const claimedUntil = now + lease;
  const lost = sql<number>`lost + case when claimed_until <= ${now} then 1 else 0 end`;
  const claim = async (each: Share, on: Database): Promise<number[]> => {
    const claimed = await on
      .with('due', (due) =>
        due
          .selectFrom('deliveries')
          .select('id')
          .where('state', '=', 'pending')
          .where('service_id', '=', each.service)
          .where('sort_key', '>=', each.from ?? 0)
          .where('sort_key', '<=', PARKED + now)
          .where(isFree(now))
          .$if(withoutSuspects, (query) => query.where(lost, '<', MAX_LOST - 1))
          .orderBy('sort_key')
          .limit(each.limit)
          // Rows that another process is claiming at this moment are passed over, not waited for.
          // SQLite has one writer.
          .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked()),
      )
      .updateTable('deliveries')
      .set({
        claimed_until: claimedUntil,
        attempts: sql`attempts + 1`,
        lost,
      })
      .where('id', 'in', (due) => due.selectFrom('due').select('due.id'))
      .returning('id')
      .execute();
    return claimed.map(({ id }) => id);
  };
  const [only] = from;
  if (only === undefined) return [];
  const ids =
    from.length === 1
      ? await claim(only, db)
      : await inTransaction(db, async (transaction) => {
          const all: number[] = [];
          for (const each of from) all.push(...(await claim(each, transaction)));
          return all;
        });
  // A second query on purpose: it sees whatever was unsubscribed or deleted until now.
  return ids.length === 0 ? [] : readClaims(db, ids, claimedUntil);
}

/** Gives claimed rows back untouched, so that no process has to wait for the claim to run out. */
export async function releaseClaims(db: Database, claims: readonly Claim[]): Promise<void> {
  const [first] = claims;
  if (!first) return;
  await db
    .updateTable('deliveries')
    .set({ claimed_until: null, attempts: sql`attempts - 1` })
    .where(
      'id',
      'in',
      claims.map(({ id }) => id),
    )
    .where('claimed_until', 'in', [...new Set(claims.map(({ claimedUntil }) => claimedUntil))])
    .where('state', '=', 'pending')
    .execute();
}
