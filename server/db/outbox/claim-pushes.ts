/** Claims rows of the outbox, for any number of processes. The claims of a dead process expire. */
import { sql } from 'kysely';
import { isUnclaimed } from '../claim-rows';
import type { Database, Engine } from '../open';
import { inTransaction } from '../transaction';
import type { ClaimedPush } from './claimed-push';
import { RETRY_ORDER_START } from './queue-order';
import { readClaims } from './unwanted-pushes';

/** A row held by this many dying processes in a row is abandoned. */
export const MAX_LOST_CLAIMS = 3;

/** Whether the row may have caused its processes' deaths. */
export const isSuspectPush = ({ lostClaims }: Pick<ClaimedPush, 'lostClaims'>): boolean =>
  lostClaims >= MAX_LOST_CLAIMS - 1;

/** How many rows to claim of a queue. */
export interface ServiceShare {
  service: number;
  limit: number;
  /** The first key. If it is missing, PostgreSQL reads a large message's ended rows for each claim. */
  from?: number;
  /** How many due retries to claim before untried rows, which would otherwise always come first. */
  retries?: number;
}

interface ClaimOptions {
  now: number;
  /** Milliseconds until the claim expires; longer than any attempt. */
  leaseMs: number;
  from: readonly ServiceShare[];
  withoutSuspects?: boolean;
}

/**
 * Claims due rows, by each queue's share. No two callers get the same row unless a claim expired.
 * Shares and suspects exist only here, so it has its own statement beside `claimRows`.
 */
export async function claimDue(
  db: Database,
  engine: Engine,
  { now, leaseMs, from, withoutSuspects = false }: ClaimOptions,
): Promise<ClaimedPush[]> {
  const claimedUntil = now + leaseMs;
  const lostClaims = sql<number>`lost + case when claimed_until <= ${now} then 1 else 0 end`;
  const claimRows = async (share: ServiceShare, database: Database): Promise<number[]> => {
    const claimedRows = await database
      .with('due', (due) =>
        due
          .selectFrom('deliveries')
          .select('id')
          .where('state', '=', 'pending')
          .where('service_id', '=', share.service)
          .where('sort_key', '>=', share.from ?? 0)
          .where('sort_key', '<=', RETRY_ORDER_START + now)
          .where(isUnclaimed(now))
          .$if(withoutSuspects, (query) => query.where(lostClaims, '<', MAX_LOST_CLAIMS - 1))
          .orderBy('sort_key')
          .limit(share.limit)
          // Skips rows that another process is claiming. SQLite has one writer.
          .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked()),
      )
      .updateTable('deliveries')
      .set({
        claimed_until: claimedUntil,
        attempts: sql`attempts + 1`,
        lost: lostClaims,
      })
      .where('id', 'in', (due) => due.selectFrom('due').select('due.id'))
      .returning('id')
      .execute();
    return claimedRows.map(({ id }) => id);
  };
  const claimShare = async (share: ServiceShare, database: Database): Promise<number[]> => {
    const { service, limit, retries = 0 } = share;
    const retriedIds =
      retries > 0
        ? await claimRows({ service, limit: retries, from: RETRY_ORDER_START }, database)
        : [];
    if (retriedIds.length === limit) return retriedIds;
    return [
      ...retriedIds,
      ...(await claimRows({ ...share, limit: limit - retriedIds.length }, database)),
    ];
  };
  const [onlyShare] = from;
  if (onlyShare === undefined) return [];
  const ids =
    from.length === 1
      ? await claimShare(onlyShare, db)
      : await inTransaction(db, async (transaction) => {
          const claimedIds: number[] = [];
          for (const share of from) claimedIds.push(...(await claimShare(share, transaction)));
          return claimedIds;
        });
  // A separate query sees unsubscriptions and deletions up to now.
  return ids.length === 0 ? [] : readClaims(db, ids, claimedUntil);
}

/** Releases claimed rows untouched, so that they need not expire first. */
export async function releaseClaims(db: Database, claims: readonly ClaimedPush[]): Promise<void> {
  const [firstClaim] = claims;
  if (!firstClaim) return;
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
