/**
 * The outbox as a queue for any number of server processes: claim rows, record what became of them,
 * give back what was not sent. A row is claimed by raising its `claimed_until`; a process that dies
 * leaves claims that simply run out.
 *
 * Each push service has a queue of its own, so that nobody waits behind, or even reads, the rows of
 * one that hangs. Within it `sort_key` says what comes next, and an index holds the rows in that
 * order: whatever may be sent now lies below `PARKED + now`, so that waiting rows are never looked
 * at in vain.
 */
import {
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type SqlBool,
  sql,
} from 'kysely';
import { accountPreference, effectiveEnabled, ownPreference } from './effective-preference';
import type { Database, Engine } from './open';
import { NO_SERVICE } from './push-services';
import type { DeliveryState, Tables } from './schema';
import { inTransaction } from './transaction';

/**
 * Rows that wait for another try have it in front of their time: they come after all that were
 * never tried.
 */
export const PARKED = 100_000_000_000_000;
/**
 * Milliseconds by which each further row of a message lies behind the one before: whoever sends to
 * five while another message goes to ten thousand waits for few of those.
 */
const SPACING = 100;
/** No claim is for longer: one that seems to be was made by a clock that was wrong. */
const MAX_CLAIM = 120_000;
/** A process that died that often in a row while it held a row must not be ended by it again. */
export const MAX_LOST = 3;

/** A row to be sent, with all that sending needs, as it stood just after the row was claimed. */
export interface Claim {
  id: number;
  /** Together with `id` it says whose claim this is. Milliseconds since 1970. */
  claimedUntil: number;
  /** Attempts before this one, those of processes that died included. */
  attempts: number;
  /** How many claims in a row before this one ended without a word. */
  lost: number;
  /** In whose queue it was. */
  service: number;
  message: { id: string; title: string; text: string; createdAt: number; expiresAt: number };
  /**
   * Who is to get it, and by which topic. Undefined if nobody waits for it any more: the device,
   * the subscription or the topic is gone, or the topic was switched off for this device since the
   * message was sent.
   */
  recipient:
    | { deviceId: number; userId: number; topicId: number; token: string; tokenHash: string }
    | undefined;
}

/** How many rows to take of a service's queue. */
export interface Share {
  service: number;
  limit: number;
}

export interface ClaimOptions {
  now: number;
  /** Milliseconds until the claim runs out; to be longer than any attempt can take. */
  lease: number;
  from: readonly Share[];
}

/**
 * The `sort_key` of each row of a message, for an insert that selects them: in the order of the
 * devices.
 */
export const firstKey = (now: number): RawBuilder<number> =>
  sql<number>`cast(${now} as bigint) + ${sql.lit(SPACING)} * (row_number() over (order by devices.id) - 1)`;

/** Whether nobody holds a row: never claimed, run out, or claimed by a clock that was far ahead. */
const isFree =
  (now: number) =>
  (row: ExpressionBuilder<Tables, 'deliveries'>): Expression<SqlBool> =>
    row.or([
      row('claimed_until', 'is', null),
      row('claimed_until', '<=', now),
      row('claimed_until', '>', now + MAX_CLAIM),
    ]);

/**
 * Claims what is due, of each queue as much as its share. No two callers get the same row, unless a
 * claim ran out in between.
 */
export async function claimDue(
  db: Database,
  engine: Engine,
  { now, lease, from }: ClaimOptions,
): Promise<Claim[]> {
  const claimedUntil = now + lease;
  const claim = async (each: Share, on: Database): Promise<number[]> => {
    const claimed = await on
      .with('due', (due) =>
        due
          .selectFrom('deliveries')
          .select('id')
          .where('state', '=', 'pending')
          .where('service_id', '=', each.service)
          .where('sort_key', '<=', PARKED + now)
          .where(isFree(now))
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
        lost: sql`lost + case when claimed_until <= ${now} then 1 else 0 end`,
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
  return ids.length === 0 ? [] : readClaims(db, ids, claimedUntil);
}

/** A second query on purpose: it sees whatever was unsubscribed or deleted until now. */
async function readClaims(db: Database, ids: number[], claimedUntil: number): Promise<Claim[]> {
  const rows = await selectStanding(db, ids)
    .select([
      'deliveries.attempts',
      'deliveries.lost',
      'deliveries.service_id as service',
      'deliveries.message_id as messageId',
      'messages.topic_title as title',
      'messages.text',
      'messages.created_at as createdAt',
      'messages.expires_at as expiresAt',
    ])
    .orderBy('deliveries.id')
    .execute();
  return rows.map(
    ({ id, attempts, lost, service, messageId, title, text, createdAt, expiresAt, ...row }) => {
      const message = { id: messageId, title, text, createdAt, expiresAt };
      return {
        id,
        claimedUntil,
        attempts: attempts - 1,
        lost,
        service,
        message,
        recipient: toRecipient(row),
      };
    },
  );
}

/** Which of the claimed rows somebody still waits for, under the token that the claim knows. */
export async function findStanding(db: Database, claims: readonly Claim[]): Promise<Set<Claim>> {
  const rows = await selectStanding(
    db,
    claims.map(({ id }) => id),
  ).execute();
  const standing = new Map(rows.map(({ id, ...row }) => [id, toRecipient(row)]));
  return new Set(
    claims.filter(
      ({ id, recipient }) =>
        recipient !== undefined && standing.get(id)?.tokenHash === recipient.tokenHash,
    ),
  );
}

function selectStanding(db: Database, ids: number[]) {
  return db
    .selectFrom('deliveries')
    .innerJoin('messages', 'messages.id', 'deliveries.message_id')
    .leftJoin('devices', 'devices.id', 'deliveries.device_id')
    .leftJoin('subscriptions', (join) =>
      join
        .onRef('subscriptions.user_id', '=', 'devices.user_id')
        .onRef('subscriptions.topic_id', '=', 'messages.topic_id'),
    )
    .leftJoin(
      'device_preferences as own',
      ownPreference({ device: 'devices.id', topic: 'messages.topic_id' }),
    )
    .leftJoin(
      'account_preferences as account',
      accountPreference({ user: 'devices.user_id', topic: 'messages.topic_id' }),
    )
    .where(
      'deliveries.id',
      'in',
      sql<number>`(select cast(key as bigint) from ${tableOf(ids.map((id) => [id, 0]))})`,
    )
    .select([
      'deliveries.id',
      'devices.id as deviceId',
      'devices.user_id as userId',
      'devices.token',
      'devices.token_hash as tokenHash',
      'subscriptions.topic_id as topicId',
      effectiveEnabled.as('enabled'),
    ]);
}

/** What the left joins found; null where there was nothing. */
interface Standing {
  deviceId: number | null;
  userId: number | null;
  topicId: number | null;
  token: string | null;
  tokenHash: string | null;
  enabled: 0 | 1;
}

function toRecipient({
  deviceId,
  userId,
  topicId,
  token,
  tokenHash,
  enabled,
}: Standing): Claim['recipient'] {
  if (
    deviceId === null ||
    userId === null ||
    topicId === null ||
    token === null ||
    tokenHash === null
  )
    return undefined;
  return enabled === 1 ? { deviceId, userId, topicId, token, tokenHash } : undefined;
}

/** What became of a claimed row. One that was not `attempted` takes its attempt back. */
export type Settlement = { claim: Claim; reason: string | null } & (
  | { state: Exclude<DeliveryState, 'pending'>; attempted: boolean }
  /** To be tried again, not before `dueAt` (milliseconds since 1970). */
  | { state: 'pending'; attempted: boolean; dueAt: number }
);

/**
 * Writes all settlements in one transaction, and deletes the devices found `gone`: only while they
 * still hold the token that was tried, because a device may have registered a new one meanwhile. An
 * end is recorded even if the claim ran out and somebody else holds the row now; a later attempt is
 * not, since it is theirs to decide.
 */
export async function recordOutcomes(
  db: Database,
  settlements: readonly Settlement[],
  now: number,
): Promise<void> {
  if (settlements.length === 0) return;
  const settled = settlements.map((settlement): [number, unknown] => {
    const { claim, state, reason, attempted } = settlement;
    return [
      claim.id,
      [
        claim.claimedUntil,
        state,
        reason,
        state === 'pending' ? settlement.dueAt : null,
        attempted ? 1 : 0,
      ],
    ];
  });
  await inTransaction(db, async (transaction) => {
    for (const { state, claim } of settlements) {
      if (state !== 'gone' || !claim.recipient) continue;
      const { deviceId, tokenHash } = claim.recipient;
      await transaction
        .deleteFrom('devices')
        .where('id', '=', deviceId)
        .where('token_hash', '=', tokenHash)
        .execute();
    }
    await sql`
      with settled as (
        select cast(key as bigint) as id, cast(value->>0 as bigint) as claimed_until, value->>1 as state, value->>2 as reason,
          cast(value->>3 as bigint) as due_at, cast(value->>4 as integer) as attempted
        from ${tableOf(settled)})
      update deliveries set
        state = settled.state,
        reason = settled.reason,
        due_at = coalesce(settled.due_at, deliveries.due_at),
        sort_key = coalesce(${sql.lit(PARKED)} + settled.due_at, deliveries.sort_key),
        attempts = deliveries.attempts - 1 + settled.attempted,
        lost = case when settled.attempted = 1 then 0 else deliveries.lost end,
        claimed_until = null,
        updated_at = ${now}
      from settled
      where deliveries.id = settled.id and deliveries.state = 'pending'
        and (settled.state <> 'pending' or deliveries.claimed_until = settled.claimed_until)`.execute(
      transaction,
    );
  });
}

/**
 * Rows as a table of `key` (their id, as text) and `value`. One parameter, whatever their number:
 * reading the text of a statement with hundreds of them took as long as the work. Both engines have
 * json_each for objects and mean the same.
 */
function tableOf(rows: [id: number, value: unknown][]): RawBuilder<unknown> {
  return sql`json_each(${JSON.stringify(Object.fromEntries(rows))})`;
}

/** Gives claimed rows back untouched, so that nobody has to wait for the claim to run out. */
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

/** The proven services, and the queue of rows that name none, as a table `lane` of `id`. */
const trusted = sql`(select cast(${sql.lit(NO_SERVICE)} as bigint) as id union all select id from push_services where proven_at is not null) as lane`;

/** Which of the queues that have slots of their own hold something that is due. */
export async function listDueTrusted(db: Database, now: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select lane.id from ${trusted}
    where exists (select 1 from deliveries where state = 'pending' and service_id = lane.id and sort_key <= ${PARKED + now}
      and (claimed_until is null or claimed_until <= ${now} or claimed_until > ${now + MAX_CLAIM}))`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Which of the services of these origins that are not proven have something due. */
export async function listDueAt(
  db: Database,
  now: number,
  origins: readonly string[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from push_services where origin in (${sql.join(origins)}) and proven_at is null and
      (select sort_key from deliveries where state = 'pending' and service_id = push_services.id order by sort_key limit 1) <= ${PARKED + now}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/**
 * Looks for queues of services that are not proven, beginning after the id `after`: at most `steps`
 * queues, each by one look into the index, however many rows it has.
 * @returns those that hold something due, and where to go on; `next` is 0 at the end
 */
export async function scanUntrusted(
  db: Database,
  now: number,
  after: number,
  steps: number,
): Promise<{ services: { id: number; origin: string | null }[]; next: number }> {
  const nextAfter = (id: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(select service_id from deliveries where state = 'pending' and service_id > ${id} order by service_id limit 1)`;
  // Not `with` first: the embedded engine takes that for a write.
  const { rows } = await sql<{ id: number; origin: string | null; due: number | boolean }>`
    select lane.id, push_services.origin, push_services.proven_at is null and
      (select sort_key from deliveries where state = 'pending' and service_id = lane.id order by sort_key limit 1) <= ${PARKED + now} as due
    from (with recursive lane(id, step) as (
      select ${nextAfter(sql`cast(${after} as bigint)`)}, 1
      union all
      select ${nextAfter(sql`lane.id`)}, step + 1 from lane where lane.id is not null and step < ${sql.lit(steps)})
      select id from lane where id is not null) as lane
    left join push_services on push_services.id = lane.id order by lane.id`.execute(db);
  return {
    services: rows.filter(({ due }) => Boolean(due)).map(({ id, origin }) => ({ id, origin })),
    next: rows.length < steps ? 0 : (rows.at(-1)?.id ?? 0),
  };
}

/**
 * Since when the first row is due that a working push service could have got (milliseconds since
 * 1970; undefined if none waits). What clients made up is left out: how long that waits says
 * nothing about us.
 */
export async function oldestDueAt(db: Database): Promise<number | undefined> {
  const { rows } = await sql<{ due_at: number | null }>`
    select (select due_at from deliveries where state = 'pending' and service_id = lane.id and claimed_until is null
      order by sort_key limit 1) as due_at from ${trusted}`.execute(db);
  const times = rows.flatMap(({ due_at }) => due_at ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** How much is still to do, and since when, as `oldestDueAt` says. */
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
