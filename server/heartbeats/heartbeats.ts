/** Heartbeats as administrators see and change them. */
import type { Transaction } from 'kysely';
import type { Heartbeat } from '../../src/shared/contract';
import { recordAudit } from '../audit/record-audit';
import { lockForUpdate } from '../db/lock';
import type { Database } from '../db/open';
import type { HeartbeatRow, Tables } from '../db/schema';
import { notFoundError } from '../http/errors';
import { toTime } from '../lib/clock';
import { requireTopic } from '../topics/topics';
import { scheduleSilenceCheck } from './receive-heartbeat';
import { heartbeatDueAt, getHeartbeatState } from './heartbeat-rules';
import { stopAlert } from './messages';

export const NO_SUCH_HEARTBEAT = 'This heartbeat does not exist.';

const toHeartbeat = (row: HeartbeatRow, now: number): Heartbeat => ({
  id: row.id,
  name: row.name,
  every: row.every_seconds,
  grace: row.grace_seconds,
  lastAt: toTime(row.last_at),
  dueAt: toTime(heartbeatDueAt(row)),
  state: getHeartbeatState(row, now),
  ...(row.key_id === null && { isKeyRevoked: true as const }),
  ...(row.silent_at !== null &&
    row.alert_id !== null && {
      alert: { messageId: row.alert_id, at: toTime(row.silent_at) },
    }),
});

/** Lists a topic's heartbeats by name. */
export async function listHeartbeats(
  topicId: number,
  db: Database,
  now: number,
): Promise<Heartbeat[]> {
  const rows = await db
    .selectFrom('heartbeats')
    .selectAll()
    .where('topic_id', '=', topicId)
    .orderBy('name')
    .execute();
  return rows.map((row) => toHeartbeat(row, now));
}

/** @throws HttpError 404 */
export async function pauseHeartbeat(
  id: number,
  paused: boolean,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Heartbeat> {
  const heartbeatQuery = transaction.selectFrom('heartbeats').selectAll().where('id', '=', id);
  const formerHeartbeat = await lockForUpdate(heartbeatQuery, transaction).executeTakeFirst();
  if (formerHeartbeat === undefined) throw notFoundError(NO_SUCH_HEARTBEAT);
  if ((formerHeartbeat.paused_at !== null) === paused) return toHeartbeat(formerHeartbeat, now);
  const change = paused ? { paused_at: now } : { paused_at: null, watched_from: now };
  const row = { ...formerHeartbeat, ...change };
  await transaction.updateTable('heartbeats').set(change).where('id', '=', id).execute();
  if (!paused && row.silent_at === null) await scheduleSilenceCheck(row, transaction, now);
  const action = paused ? 'heartbeat.pause' : 'heartbeat.resume';
  const { title } = await requireTopic(row.topic_id, transaction);
  await recordAudit({ action, on: title, detail: row.name }, transaction);
  return toHeartbeat(row, now);
}

/** @throws HttpError 404 */
export async function deleteHeartbeat(
  id: number,
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const deletedHeartbeat = await transaction
    .deleteFrom('heartbeats')
    .where('id', '=', id)
    .returning(['name', 'topic_id', 'alert_id'])
    .executeTakeFirst();
  if (deletedHeartbeat === undefined) throw notFoundError(NO_SUCH_HEARTBEAT);
  await stopAlert(deletedHeartbeat, userId, transaction, now);
  const { title } = await requireTopic(deletedHeartbeat.topic_id, transaction);
  await recordAudit(
    { action: 'heartbeat.delete', on: title, detail: deletedHeartbeat.name },
    transaction,
  );
}
