/** Reads the queues of the outbox: where something is due, how much, and since when. */
import { type RawBuilder, sql } from 'kysely';
import { isUnclaimed } from '../claim-rows';
import type { Database } from '../open';
import { NO_SERVICE } from '../push-services';
import { RETRY_ORDER_START } from './queue-order';

/** Proven services, and the queue of rows without a service, as a table `queue` of `id`. */
const provenQueues = sql`(select cast(${sql.lit(NO_SERVICE)} as bigint) as id, cast(null as bigint) as throttled_until union all select id, throttled_until from push_services where proven_at is not null) as queue`;

interface ProvenQueue {
  id: number;
  /** Null, or a past time, if the queue's service does not throttle us. */
  throttledUntil: number | null;
}

/** Queues with slots and a due row. For `exists`, PostgreSQL would read all waiting rows. */
export async function listDueProvenQueues(db: Database, now: number): Promise<ProvenQueue[]> {
  const { rows } = await sql<{ id: number; throttled_until: number | null }>`
    select queue.id, queue.throttled_until from ${provenQueues}
    where (select id from deliveries where state = 'pending' and service_id = queue.id and sort_key <= ${RETRY_ORDER_START + now}
      and ${isUnclaimed(now)} order by sort_key limit 1) is not null`.execute(db);
  return rows.map(({ id, throttled_until: throttledUntil }) => ({ id, throttledUntil }));
}

export async function hasDue(service: number, db: Database, now: number): Promise<boolean> {
  const dueRows = db
    .selectFrom('deliveries')
    .select('id')
    .where('state', '=', 'pending')
    .where('service_id', '=', service)
    .where('sort_key', '<=', RETRY_ORDER_START + now)
    .limit(1);
  return (await dueRows.executeTakeFirst()) !== undefined;
}

/** Finds the unproven services of the given origins that have a due row. */
export async function listDueUnprovenServices(
  db: Database,
  now: number,
  origins: readonly string[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from push_services where origin in (${sql.join(origins)}) and proven_at is null and
      (select sort_key from deliveries where state = 'pending' and service_id = push_services.id order by sort_key limit 1) <= ${RETRY_ORDER_START + now}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/**
 * Scans up to `steps` queues of unproven services after the id `after`, by one index look-up each.
 * @returns those with due rows, and where to continue; `next` is 0 at the end
 */
export async function scanDueUnprovenServices(
  db: Database,
  now: number,
  after: number,
  steps: number,
): Promise<{ services: { id: number; origin: string | null }[]; next: number }> {
  const nextAfter = (id: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(select service_id from deliveries where state = 'pending' and service_id > ${id} order by service_id limit 1)`;
  // Does not start with `with`, which the embedded engine takes for a write.
  const { rows } = await sql<{ id: number; origin: string | null; due: number | boolean }>`
    select queue.id, push_services.origin, push_services.proven_at is null and
      (select sort_key from deliveries where state = 'pending' and service_id = queue.id order by sort_key limit 1) <= ${RETRY_ORDER_START + now} as due
    from (with recursive queue(id, step) as (
      select ${nextAfter(sql`cast(${after} as bigint)`)}, 1
      union all
      select ${nextAfter(sql`queue.id`)}, step + 1 from queue where queue.id is not null and step < ${sql.lit(steps)})
      select id from queue where id is not null) as queue
    left join push_services on push_services.id = queue.id order by queue.id`.execute(db);
  return {
    services: rows.filter(({ due }) => Boolean(due)).map(({ id, origin }) => ({ id, origin })),
    next: rows.length < steps ? 0 : (rows.at(-1)?.id ?? 0),
  };
}

/** When the oldest row of a proven service was due. Services that clients made up do not count. */
export async function oldestDueAt(db: Database): Promise<number | undefined> {
  const { rows } = await sql<{ due_at: number | null }>`
    select (select due_at from deliveries where state = 'pending' and service_id = queue.id and claimed_until is null
      order by sort_key limit 1) as due_at from ${provenQueues}`.execute(db);
  const times = rows.flatMap(({ due_at }) => due_at ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Counts all pending rows, and reads `oldestDueAt`. */
export async function readBacklog(
  db: Database,
): Promise<{ pending: number; oldestDueAt: number | undefined }> {
  const { pending } = await db
    .selectFrom('deliveries')
    .where('state', '=', 'pending')
    .select(({ fn }) => fn.countAll<number>().as('pending'))
    .executeTakeFirstOrThrow();
  return { pending, oldestDueAt: await oldestDueAt(db) };
}

/** Waiting pushes, without delayed tests. A postponed push has a reason or an attempt. */
export async function countWaiting(db: Database, now: number): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`select count(*) as waiting from deliveries
    where state = 'pending' and not (sort_key > ${RETRY_ORDER_START + now} and attempts = 0 and reason is null)`.execute(
    db,
  );
  return Number(rows[0]?.waiting);
}
