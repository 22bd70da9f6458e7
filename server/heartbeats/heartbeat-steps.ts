/** The job of a heartbeat: alerts its topic once when it falls silent. */
import type { Transaction } from 'kysely';
import { recordAudit } from '../audit/record-audit';
import type { Job } from '../db/jobs/jobs';
import { HEARTBEAT_JOB } from '../db/jobs/kinds';
import { lockForUpdate } from '../db/lock';
import type { HeartbeatRow, Tables } from '../db/schema';
import type { JobSteps } from '../jobs/job-steps';
import type { Services } from '../services';
import { requireTopic } from '../topics/topics';
import { heartbeatSilentAt, watchedAfterOutage } from './heartbeat-rules';
import { sendSilenceAlert } from './messages';

export const heartbeatSteps: JobSteps = {
  kinds: [HEARTBEAT_JOB],
  limit: 40,
  atOnce: 4,
  step: ({ subject }: Job, transaction, services) =>
    watchHeartbeat(Number(subject), transaction, services),
};

/** @returns when to look again; undefined if the next heartbeat or a resume plans that */
async function watchHeartbeat(
  id: number,
  transaction: Transaction<Tables>,
  { now: clock, log }: Services,
): Promise<number | undefined> {
  const heartbeatQuery = transaction.selectFrom('heartbeats').selectAll().where('id', '=', id);
  const row = await lockForUpdate(heartbeatQuery, transaction).executeTakeFirst();
  const now = clock();
  if (row === undefined || row.silent_at !== null || row.paused_at !== null) return undefined;
  if (heartbeatSilentAt(row) > now) return heartbeatSilentAt(row);
  const watched_from = watchedAfterOutage(row, now);
  const change =
    watched_from === undefined ? await sendAndRecordAlert(row, transaction, now) : { watched_from };
  await transaction.updateTable('heartbeats').set(change).where('id', '=', id).execute();
  if (watched_from === undefined) {
    log.info('heartbeat silent', { heartbeat: id, late: now - heartbeatSilentAt(row) });
    return undefined;
  }
  log.info('heartbeat not watched for a while', {
    heartbeat: id,
    late: now - heartbeatSilentAt(row),
  });
  return heartbeatSilentAt({ ...row, watched_from });
}

async function sendAndRecordAlert(
  row: HeartbeatRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Pick<HeartbeatRow, 'silent_at' | 'alert_id'>> {
  const alert_id = await sendSilenceAlert(row, transaction, now);
  const { title } = await requireTopic(row.topic_id, transaction);
  await recordAudit({ action: 'heartbeat.silent', on: title, detail: row.name }, transaction);
  return { silent_at: now, alert_id };
}
