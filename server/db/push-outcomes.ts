/** What push services last did with our pushes, across all processes. */
import { sql } from 'kysely';
import { isOnPostgres } from './lock';
import type { Database } from './open';
import { RETRY_ORDER_START } from './outbox/queue-order';
import type { PushServiceState } from './schema';

/** A service accepted so recently is neither unreachable nor refusing. */
const RECENTLY_ACCEPTED_MS = 60_000;
/** Bounds the cost of a response. */
const MAX_LISTED_SERVICES = 256;

/** Times are milliseconds since 1970. */
interface PushServiceOutcome {
  id: number;
  /** The state is undefined while too little is known. */
  state?: PushServiceState | undefined;
  /** When the state began, if it is new. */
  since: number;
  acceptedAt?: number | undefined;
  rejected?: { at: number; reason: string } | undefined;
  unreachable?: { at: number; reason: string } | undefined;
}

/** Records a process's view of a service. If two disagree, acceptance wins. */
export async function recordPushService(
  { id, state, since, acceptedAt, rejected, unreachable }: PushServiceOutcome,
  db: Database,
  now: number,
): Promise<void> {
  const isTrouble = state === 'unreachable' || state === 'refusing';
  // A reachable service may be accepting in another process.
  const changesState = state === 'reachable' ? sql`coalesce(state, '') <> 'accepting'` : sql`true`;
  const isBelieved = isTrouble
    ? sql`(accepted_at is null or accepted_at <= cast(${since} as bigint) or accepted_at < cast(${now - RECENTLY_ACCEPTED_MS} as bigint))`
    : state === undefined
      ? sql`false`
      : changesState;
  const isNew = sql`${isBelieved} and coalesce(state, '') <> cast(${state ?? null} as text)`;
  await db
    .updateTable('push_services')
    .set({
      state: sql`case when ${isBelieved} then cast(${state ?? null} as text) else state end`,
      state_since: sql`case when ${isNew} then cast(${since} as bigint) else state_since end`,
      ...(acceptedAt !== undefined && { accepted_at: acceptedAt }),
      ...(rejected && { refused_at: rejected.at, refused_reason: rejected.reason }),
      ...(unreachable && {
        unreachable_at: unreachable.at,
        unreachable_reason: unreachable.reason,
      }),
    })
    .where('id', '=', id)
    .execute();
}

/** Push services with a known state. */
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
      'throttled_until',
    ])
    .where('state', 'is not', null)
    .orderBy('id')
    .limit(MAX_LISTED_SERVICES)
    .execute();

export type ListedPushService = Awaited<ReturnType<typeof listPushServices>>[number];

/** Waiting pushes of one service. */
export interface PushQueue {
  waiting: number;
  /** When the oldest was written. Milliseconds since 1970. */
  oldestAt: number;
}

/** The queues of the services, without delayed tests. Empty queues are left out. */
export async function readPushQueues(
  ids: readonly number[],
  db: Database,
  now: number,
): Promise<Map<number, PushQueue>> {
  if (ids.length === 0) return new Map();
  // Ids grow as rows are written, so the lowest one is the oldest.
  const { rows } = await sql<{ service_id: number; waiting: number; oldest_at: number }>`
    select queue.service_id, queue.waiting, deliveries.created_at as oldest_at
    from (select service_id, count(*) as waiting, min(id) as oldest from deliveries
      where state = 'pending' and service_id in (${sql.join(ids)})
        and not (sort_key > ${RETRY_ORDER_START + now} and attempts = 0 and reason is null) group by service_id) as queue
    inner join deliveries on deliveries.id = queue.oldest`.execute(db);
  return new Map(
    rows.map(({ service_id, waiting, oldest_at }) => [
      Number(service_id),
      { waiting: Number(waiting), oldestAt: Number(oldest_at) },
    ]),
  );
}

/** Small, so that no writer waits long, yet more than usually wait for a late retry. */
const MAX_HASTENED_PUSHES = 500;

/** A service responds again: retries at once what waited for its silence, not what it postponed. */
export async function retryNow(
  { id, reasons }: { id: number; reasons: readonly string[] },
  db: Database,
  now: number,
): Promise<void> {
  if (reasons.length === 0) return;
  await db
    .updateTable('deliveries')
    .set({ due_at: now, sort_key: RETRY_ORDER_START + now })
    .where('id', 'in', (build) =>
      build
        .selectFrom('deliveries')
        .select('id')
        .where('state', '=', 'pending')
        .where('service_id', '=', id)
        .where('sort_key', '>', RETRY_ORDER_START + now)
        .where('reason', 'in', reasons)
        .where('claimed_until', 'is', null)
        .orderBy('sort_key')
        .limit(MAX_HASTENED_PUSHES)
        // Rows that another transaction changes are already under way.
        .$if(isOnPostgres(db), (query) => query.forUpdate().skipLocked()),
    )
    .execute();
}
