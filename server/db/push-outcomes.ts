/**
 * What push services last did with our pushes, as all processes together saw it: of those that have
 * a state, which are the ones that an operator knows or that several people use.
 */
import { sql } from 'kysely';
import { isOnPostgres } from './lock';
import type { Database } from './open';
import { PARKED } from './outbox/order';
import type { PushServiceState } from './schema';

/** A service that another process found accepting so lately is neither unreachable nor refusing. */
const ACCEPTED_LATELY = 60_000;
/** Few have a state: it bounds what an answer costs. */
const MAX_LISTED = 256;

/** Times are milliseconds since 1970. */
interface PushServiceOutcome {
  id: number;
  /** Missing while too little is known. */
  state?: PushServiceState | undefined;
  /** Since when, if that is new. */
  since: number;
  acceptedAt?: number | undefined;
  refused?: { at: number; reason: string } | undefined;
  unreachable?: { at: number; reason: string } | undefined;
}

/** Writes what a process learnt of a service. Of two processes that disagree, acceptance counts. */
export async function recordPushService(
  { id, state, since, acceptedAt, refused, unreachable }: PushServiceOutcome,
  db: Database,
  now: number,
): Promise<void> {
  const isTrouble = state === 'unreachable' || state === 'refusing';
  // What answers again may be accepting elsewhere.
  const isOther = state === 'reachable' ? sql`coalesce(state, '') <> 'accepting'` : sql`true`;
  const isBelieved = isTrouble
    ? sql`(accepted_at is null or accepted_at <= cast(${since} as bigint) or accepted_at < cast(${now - ACCEPTED_LATELY} as bigint))`
    : state === undefined
      ? sql`false`
      : isOther;
  const isNew = sql`${isBelieved} and coalesce(state, '') <> cast(${state ?? null} as text)`;
  await db
    .updateTable('push_services')
    .set({
      state: sql`case when ${isBelieved} then cast(${state ?? null} as text) else state end`,
      state_since: sql`case when ${isNew} then cast(${since} as bigint) else state_since end`,
      ...(acceptedAt !== undefined && { accepted_at: acceptedAt }),
      ...(refused && { refused_at: refused.at, refused_reason: refused.reason }),
      ...(unreachable && {
        unreachable_at: unreachable.at,
        unreachable_reason: unreachable.reason,
      }),
    })
    .where('id', '=', id)
    .execute();
}

/** All of which something is known. */
export const listPushServices = (db: Database) =>
  db
    .selectFrom('push_services')
    .select([
      'id',
      'origin',
      'state',
      'state_since',
      'accepted_at',
      'refused_at',
      'refused_reason',
      'unreachable_at',
      'unreachable_reason',
    ])
    .where('state', 'is not', null)
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute();

export type ListedPushService = Awaited<ReturnType<typeof listPushServices>>[number];

/** Pushes of a service that no service has accepted so far. */
export interface PushQueue {
  waiting: number;
  /** When the oldest was written. Milliseconds since 1970. */
  oldestAt: number;
}

/** What waits for these services, without tests that are to leave later. Those without are left out. */
export async function readPushQueues(
  ids: readonly number[],
  db: Database,
  now: number,
): Promise<Map<number, PushQueue>> {
  if (ids.length === 0) return new Map();
  // Rows are numbered as they are written, so the index alone says which is the oldest.
  const { rows } = await sql<{ service_id: number; waiting: number; oldest_at: number }>`
    select lane.service_id, lane.waiting, deliveries.created_at as oldest_at
    from (select service_id, count(*) as waiting, min(id) as oldest from deliveries
      where state = 'pending' and service_id in (${sql.join(ids)})
        and not (sort_key > ${PARKED + now} and attempts = 0 and reason is null) group by service_id) as lane
    inner join deliveries on deliveries.id = lane.oldest`.execute(db);
  return new Map(
    rows.map(({ service_id, waiting, oldest_at }) => [
      Number(service_id),
      { waiting: Number(waiting), oldestAt: Number(oldest_at) },
    ]),
  );
}

/** Few enough that no writer has to wait long; more than ever wait for a far retry. */
const HASTENED = 500;

/**
 * A service answers again: lets those retries leave now that wait only because it gave no answer.
 * What it put off itself waits on.
 */
export async function hastenRetries(
  { id, reasons }: { id: number; reasons: readonly string[] },
  db: Database,
  now: number,
): Promise<void> {
  if (reasons.length === 0) return;
  await db
    .updateTable('deliveries')
    .set({ due_at: now, sort_key: PARKED + now })
    .where('id', 'in', (build) =>
      build
        .selectFrom('deliveries')
        .select('id')
        .where('state', '=', 'pending')
        .where('service_id', '=', id)
        .where('sort_key', '>', PARKED + now)
        .where('reason', 'in', reasons)
        .where('claimed_until', 'is', null)
        .orderBy('sort_key')
        .limit(HASTENED)
        // Those that another transaction is changing are under way.
        .$if(isOnPostgres(db), (query) => query.forUpdate().skipLocked()),
    )
    .execute();
}
