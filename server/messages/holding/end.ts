/**
 * The end of somebody's quiet hours: what waited rings, once, and all that has not rung is dealt
 * with. A person's job is one transaction, which takes the rows of the ledger that are `held`: a
 * process that dies changes nothing, and a second one finds nothing that is.
 */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { effectiveEnabled } from '../../db/effective-preference';
import { QUIET_JOB } from '../../db/jobs';
import { isOnPostgres } from '../../db/lock';
import { messageTitle } from '../../db/outbox/standing';
import { tableOf } from '../../db/rows';
import type { PushState, Tables } from '../../db/schema';
import { findQuiet } from '../../quiet-hours/hours';
import type { Member } from '../../subscriptions/audience';
import { createTurn } from '../../turns';
import { insertDeliveries } from '../sending/ledger';
import { insertDigest } from './digest';

/** Some people whose quiet hours are over. */
export const quietEnds = createTurn({
  kinds: [QUIET_JOB],
  limit: 50,
  atOnce: 4,
  failure: 'what waited for the end of quiet hours could not be sent',
  async step({ subject }, transaction, { now }) {
    const userId = Number(subject);
    const at = now();
    const until = (await findQuiet([userId], transaction, at)).get(userId);
    // The hours are others by now, or this clock is behind that of who asked.
    if (until !== undefined) return until;
    await ringHeld(userId, transaction, at);
    return undefined;
  },
});

type Device = Member['devices'][number];

async function ringHeld(
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const held = await takeHeld(userId, transaction, now);
  if (held.length === 0) return;
  const { devices, reached } = await readDevices(userId, transaction);
  const rung = held.filter(({ seq, isWanted }) => isWanted && reached.has(seq));
  const pushed = devices.filter((device) =>
    rung.some(({ seq }) => reached.get(seq)?.has(device.id)),
  );
  const digestId = rung.length > 1 ? await insertDigest(rung, userId, transaction, now) : null;
  const id = digestId ?? rung[0]?.messageId;
  if (id !== undefined)
    await insertDeliveries({ id, round: 0 }, [{ userId, devices: pushed }], now, transaction, now);
  const states = held.map((one): [seq: number, state: PushState] => {
    if (rung.includes(one)) return [one.seq, 'pending'];
    if (!one.isWanted) return [one.seq, 'failed'];
    return [one.seq, devices.length === 0 ? 'unreachable' : 'muted'];
  });
  await writeStates(userId, states, { digestId, devices: pushed.length }, transaction);
}

/** A message that waited. */
export interface Held {
  messageId: string;
  seq: number;
  /** As its notification would have it. */
  title: string;
  expiresAt: number;
  /** Nobody cancelled it, it has not ended, and the person has not read it meanwhile. */
  isWanted: boolean;
}

async function takeHeld(
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Held[]> {
  const rows = await transaction
    .selectFrom('recipients')
    .innerJoin('messages', 'messages.id', 'recipients.message_id')
    .leftJoin('topics', 'topics.id', 'recipients.topic_id')
    .where('recipients.user_id', '=', userId)
    .where('recipients.state', '=', 'held')
    .orderBy('recipients.seq')
    .select([
      'recipients.message_id as messageId',
      'recipients.seq',
      'recipients.read_at',
      'messages.state',
      'messages.expires_at as expiresAt',
      messageTitle('topics').as('title'),
    ])
    .$if(isOnPostgres(transaction), (query) => query.forNoKeyUpdate('recipients'))
    .execute();
  return rows.map(({ state, read_at, ...message }) => ({
    ...message,
    isWanted: state !== 'cancelled' && message.expiresAt > now && read_at === null,
  }));
}

/** As they are now: all of the person's devices, and which of them a message that waited reaches. */
async function readDevices(
  userId: number,
  transaction: Transaction<Tables>,
): Promise<{ devices: Device[]; reached: Map<number, Set<number>> }> {
  const { rows } = await sql<Device & { seq: number; enabled: 0 | 1 }>`
    select recipients.seq, devices.id, devices.type, devices.service_id as "serviceId",
      case when recipients.named = 1 or exists (
        select 1 from message_topics
          inner join subscriptions on subscriptions.topic_id = message_topics.topic_id and subscriptions.user_id = recipients.user_id
          left join device_preferences as own on own.device_id = devices.id and own.topic_id = message_topics.topic_id
          left join account_preferences as account on account.user_id = recipients.user_id and account.topic_id = message_topics.topic_id
        where message_topics.message_id = recipients.message_id and ${effectiveEnabled} = 1) then 1 else 0 end as enabled
    from recipients inner join devices on devices.user_id = recipients.user_id
    where recipients.user_id = ${userId} and recipients.state = 'held'
    order by devices.id`.execute(transaction);
  const devices = new Map<number, Device>();
  const reached = new Map<number, Set<number>>();
  for (const { seq, enabled, ...device } of rows) {
    devices.set(device.id, device);
    if (enabled === 1) reached.set(seq, (reached.get(seq) ?? new Set()).add(device.id));
  }
  return { devices: [...devices.values()], reached };
}

async function writeStates(
  userId: number,
  states: readonly [seq: number, state: PushState][],
  { digestId, devices }: { digestId: string | null; devices: number },
  transaction: Transaction<Tables>,
): Promise<void> {
  await sql`update recipients set state = given.state,
      devices = case when given.state = 'pending' then cast(${devices} as integer) else 0 end,
      waiting = case when given.state = 'pending' then cast(${devices} as integer) else 0 end,
      digest_id = case when given.state = 'pending' then cast(${digestId} as text) end
    from (select cast(key as bigint) as seq, value->>0 as state from ${tableOf(states.map(([seq, state]) => [seq, [state]]))}) as given
    where recipients.user_id = ${userId} and recipients.seq = given.seq`.execute(transaction);
}
