/**
 * The outbox as a queue for any number of server processes: claim rows, record what became of them, give back what was
 * not sent. A row is claimed by raising its `claimed_until`; a process that dies leaves claims that simply run out.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Database, Engine } from './open';
import type { DeliveryState } from './schema';

/** A row to be sent, with all that sending needs, as it stood just after the row was claimed. */
export interface Claim {
  id: number;
  /** Together with `id` it says whose claim this is. Milliseconds since 1970. */
  claimedUntil: number;
  /** Attempts before this one. */
  attempts: number;
  message: { id: string; title: string; text: string; createdAt: number; expiresAt: number };
  /**
   * Who is to get it, and by which topic. Undefined if nobody waits for it any more: the device, the subscription or the topic is gone, or the topic was
   * switched off for this device since the message was sent.
   */
  recipient: { deviceId: number; userId: number; topicId: number; token: string; tokenHash: string } | undefined;
}

export interface ClaimOptions {
  now: number;
  /** Milliseconds until the claim runs out; to be longer than any attempt can take. */
  lease: number;
  limit: number;
}

/** Claims up to `limit` rows that are due. No two callers get the same row, unless a claim ran out in between. */
export async function claimDue(db: Database, engine: Engine, { now, lease, limit }: ClaimOptions): Promise<Claim[]> {
  const claimedUntil = now + lease;
  const claimed = await db
    .with('due', (due) =>
      due
        .selectFrom('deliveries')
        .select('id')
        .where('state', '=', 'pending')
        .where('due_at', '<=', now)
        .where((row) => row.or([row('claimed_until', 'is', null), row('claimed_until', '<=', now)]))
        .orderBy('due_at')
        .limit(limit)
        // Rows that another process is claiming at this moment are passed over, not waited for. SQLite has one writer.
        .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked()),
    )
    .updateTable('deliveries')
    .set({ claimed_until: claimedUntil })
    .where('id', 'in', (due) => due.selectFrom('due').select('due.id'))
    .returning('id')
    .execute();
  return claimed.length === 0 ? [] : readClaims(db, claimed.map(({ id }) => id), claimedUntil);
}

/** A second query on purpose: it sees whatever was unsubscribed or deleted until now. */
async function readClaims(db: Database, ids: number[], claimedUntil: number): Promise<Claim[]> {
  const rows = await db
    .selectFrom('deliveries')
    .innerJoin('messages', 'messages.id', 'deliveries.message_id')
    .leftJoin('devices', 'devices.id', 'deliveries.device_id')
    .leftJoin('subscriptions', (join) =>
      join.onRef('subscriptions.user_id', '=', 'devices.user_id').onRef('subscriptions.topic_id', '=', 'messages.topic_id'),
    )
    .leftJoin('device_preferences as own', (join) =>
      join.onRef('own.device_id', '=', 'devices.id').onRef('own.topic_id', '=', 'messages.topic_id'),
    )
    .leftJoin('account_preferences as account', (join) =>
      join.onRef('account.user_id', '=', 'devices.user_id').onRef('account.topic_id', '=', 'messages.topic_id'),
    )
    .where('deliveries.id', 'in', sql<number>`(select cast(key as bigint) from ${tableOf(ids.map((id) => [id, 0]))})`)
    .select([
      'deliveries.id', 'deliveries.attempts', 'deliveries.message_id as messageId',
      'messages.topic_title as title', 'messages.text', 'messages.created_at as createdAt', 'messages.expires_at as expiresAt',
      'devices.id as deviceId', 'devices.user_id as userId', 'devices.token', 'devices.token_hash as tokenHash',
      'subscriptions.topic_id as topicId', 'own.enabled as ownEnabled', 'account.enabled as accountEnabled',
    ])
    .orderBy('deliveries.id')
    .execute();

  return rows.map(({ id, attempts, messageId, title, text, createdAt, expiresAt, ...row }) => {
    const message = { id: messageId, title, text, createdAt, expiresAt };
    return { id, claimedUntil, attempts, message, recipient: recipientOf(row) };
  });
}

/** What the left joins found; null where there was nothing. */
interface Standing {
  deviceId: number | null;
  userId: number | null;
  topicId: number | null;
  token: string | null;
  tokenHash: string | null;
  ownEnabled: 0 | 1 | null;
  accountEnabled: 0 | 1 | null;
}

function recipientOf({ deviceId, userId, topicId, token, tokenHash, ownEnabled, accountEnabled }: Standing): Claim['recipient'] {
  if (deviceId === null || userId === null || topicId === null || token === null || tokenHash === null) return undefined;
  // A device's own setting goes before the account's; where neither says anything, a subscription is enabled.
  return (ownEnabled ?? accountEnabled ?? 1) === 1 ? { deviceId, userId, topicId, token, tokenHash } : undefined;
}

/** What became of a claimed row. */
export type Settlement = { claim: Claim; reason: string | null } & (
  | { state: Exclude<DeliveryState, 'pending'>; attempted: boolean }
  /** To be tried again, not before `dueAt` (milliseconds since 1970). */
  | { state: 'pending'; attempted: boolean; dueAt: number }
);

/**
 * Writes all settlements in one transaction, and deletes the devices found `gone`: only while they still hold the token
 * that was tried, because a device may have registered a new one meanwhile. An end is recorded even if the claim ran
 * out and somebody else holds the row now; a later attempt is not, since it is theirs to decide.
 */
export async function recordOutcomes(db: Database, settlements: readonly Settlement[], now: number): Promise<void> {
  if (settlements.length === 0) return;
  const settled = settlements.map((settlement): [number, unknown] => {
    const { claim, state, reason, attempted } = settlement;
    return [claim.id, [claim.claimedUntil, state, reason, state === 'pending' ? settlement.dueAt : null, attempted ? 1 : 0]];
  });
  await db.transaction().execute(async (transaction) => {
    for (const { state, claim } of settlements) {
      if (state !== 'gone' || !claim.recipient) continue;
      const { deviceId, tokenHash } = claim.recipient;
      await transaction.deleteFrom('devices').where('id', '=', deviceId).where('token_hash', '=', tokenHash).execute();
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
        attempts = deliveries.attempts + settled.attempted,
        claimed_until = null,
        updated_at = ${now}
      from settled
      where deliveries.id = settled.id and deliveries.state = 'pending'
        and (settled.state <> 'pending' or deliveries.claimed_until = settled.claimed_until)`.execute(transaction);
  });
}

/**
 * Rows as a table of `key` (their id, as text) and `value`. One parameter, whatever their number: reading the text of a
 * statement with hundreds of them took as long as the work. Both engines have json_each for objects and mean the same.
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
    .set({ claimed_until: null })
    .where('id', 'in', claims.map(({ id }) => id))
    .where('claimed_until', 'in', [...new Set(claims.map(({ claimedUntil }) => claimedUntil))])
    .where('state', '=', 'pending')
    .execute();
}

/** How much is still to do, and since when the first of it is due (milliseconds since 1970; undefined if nothing is). */
export async function readBacklog(db: Database): Promise<{ pending: number; oldestDueAt: number | undefined }> {
  const { pending, oldest } = await db
    .selectFrom('deliveries')
    .where('state', '=', 'pending')
    .select(({ fn }) => [fn.countAll<number>().as('pending'), fn.min<number | null>('due_at').as('oldest')])
    .executeTakeFirstOrThrow();
  return { pending, oldestDueAt: oldest ?? undefined };
}

/** When the next row that nobody holds falls due, in milliseconds since 1970; undefined if there is none. */
export async function nextDueAt(db: Database): Promise<number | undefined> {
  const next = await db
    .selectFrom('deliveries')
    .select('due_at')
    .where('state', '=', 'pending')
    .where('claimed_until', 'is', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return next?.due_at;
}
