/** Records the heartbeats with which machines report that they are alive. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { HeartbeatTimes, ResponseOf } from '../../src/shared/contract';
import { MAX_HEARTBEATS } from '../../src/shared/contract/heartbeats';
import { recordAudit } from '../audit/record-audit';
import { addJob } from '../db/jobs/jobs';
import { HEARTBEAT_JOB } from '../db/jobs/kinds';
import { lockForUpdate } from '../db/lock';
import type { HeartbeatRow, Tables } from '../db/schema';
import type { KeyCaller } from '../http/access/topic-key';
import { HttpError, conflictError } from '../http/errors';
import { toTime } from '../lib/clock';
import {
  defaultGrace,
  heartbeatDueAt,
  heartbeatSilentAt,
  heartbeatTimesAfter,
} from './heartbeat-rules';
import { sendHeartbeatRecovery } from './messages';

/**
 * The call and the job lock the same row, so a machine is back or silent, never both.
 * @throws HttpError 400, 409
 */
export async function receiveHeartbeat(
  name: string,
  times: HeartbeatTimes,
  key: KeyCaller,
  transaction: Transaction<Tables>,
  now: number,
): Promise<ResponseOf<'GET /api/heartbeat/:name'>> {
  const formerHeartbeat =
    (await lockNamed(name, key.topicId, transaction)) ??
    (await createHeartbeat(name, times, key, transaction, now));
  const wasSilent = formerHeartbeat.silent_at !== null;
  const change = {
    ...heartbeatTimesAfter(formerHeartbeat, times),
    key_id: key.id,
    last_at: now,
    watched_from: now,
    silent_at: null,
    ...(wasSilent && { alert_id: await sendHeartbeatRecovery(formerHeartbeat, transaction, now) }),
  };
  const row = { ...formerHeartbeat, ...change };
  await transaction.updateTable('heartbeats').set(change).where('id', '=', row.id).execute();
  if (wasSilent)
    await recordAudit(
      { action: 'heartbeat.back', on: key.topicTitle, detail: row.name },
      transaction,
    );
  // A job that is already planned looks in time, and plans the next look itself.
  if (wasSilent || heartbeatSilentAt(row) < heartbeatSilentAt(formerHeartbeat))
    await scheduleSilenceCheck(row, transaction, now);
  return { name: row.name, dueAt: toTime(heartbeatDueAt(row)) };
}

/** Adds the job that looks whether it is silent. */
export const scheduleSilenceCheck = (
  row: HeartbeatRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> =>
  addJob(
    { kind: HEARTBEAT_JOB, subject: String(row.id) },
    transaction,
    now,
    heartbeatSilentAt(row),
  );

/** “Pump” is “pump”. Two names that earlier versions kept apart stay apart. */
const lockNamed = (
  name: string,
  topicId: number,
  transaction: Transaction<Tables>,
): Promise<HeartbeatRow | undefined> =>
  lockForUpdate(
    transaction
      .selectFrom('heartbeats')
      .selectAll()
      .where('topic_id', '=', topicId)
      .where(sql<boolean>`lower(name) = lower(${name})`)
      .orderBy(sql`case when name = ${name} then 0 else 1 end`)
      .limit(1),
    transaction,
  ).executeTakeFirst();

async function createHeartbeat(
  name: string,
  { every, grace }: HeartbeatTimes,
  key: KeyCaller,
  transaction: Transaction<Tables>,
  now: number,
): Promise<HeartbeatRow> {
  if (every === undefined)
    throw new HttpError(400, [
      { message: 'The first call of a heartbeat needs every=SECONDS.', path: 'every' },
    ]);
  await requireHeartbeatsLeft('topic_id', key.topicId, transaction);
  await requireHeartbeatsLeft('key_id', key.id, transaction);
  const insertedRow = await transaction
    .insertInto('heartbeats')
    .values({
      topic_id: key.topicId,
      key_id: key.id,
      name,
      every_seconds: every,
      grace_seconds: grace ?? defaultGrace(every),
      created_at: now,
      last_at: now,
      watched_from: now,
    })
    .onConflict((conflict) => conflict.columns(['topic_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst();
  // Another process with the same first call was faster; this one waited for it.
  if (insertedRow === undefined) {
    const existingHeartbeat = await lockNamed(name, key.topicId, transaction);
    if (existingHeartbeat === undefined)
      throw conflictError('This heartbeat was just deleted. Please try again.');
    return existingHeartbeat;
  }
  await recordAudit({ action: 'heartbeat.add', on: key.topicTitle, detail: name }, transaction);
  await scheduleSilenceCheck(insertedRow, transaction, now);
  return insertedRow;
}

const HEARTBEAT_LIMITS = {
  topic_id: {
    max: MAX_HEARTBEATS.ofTopic,
    message: `This topic already has ${MAX_HEARTBEATS.ofTopic} heartbeats. Please delete one first.`,
  },
  key_id: {
    max: MAX_HEARTBEATS.ofKey,
    message: `This key already has ${MAX_HEARTBEATS.ofKey} heartbeats. Please use another key.`,
  },
};

/** @throws HttpError 409 */
async function requireHeartbeatsLeft(
  column: keyof typeof HEARTBEAT_LIMITS,
  id: number,
  transaction: Transaction<Tables>,
): Promise<void> {
  const { count } = await transaction
    .selectFrom('heartbeats')
    .where(column, '=', id)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (Number(count) >= HEARTBEAT_LIMITS[column].max)
    throw conflictError(HEARTBEAT_LIMITS[column].message);
}
