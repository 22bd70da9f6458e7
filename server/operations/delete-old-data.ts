import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { deleteOldEntries } from '../audit-log/delete-old-entries';
import { recordRepeats } from '../audit/repeats';
import type { Database } from '../db/open';
import { removeServices } from '../db/push-services';
import { deleteOldTests } from '../device-tests/delete-old-tests';
import { type Clock, clock } from '../lib/clock';
import { runInBatches } from '../lib/loop';
import type { Services } from '../services';
import { describeError } from '../lib/log';
import { forgetPeople } from './forget';
import { collectInsights } from '../insights/collect-insights';
import { deleteOldMailFiles } from './delete-old-mail-files';
import { deleteOldDeliveries } from '../messages/delete-old-deliveries';
import { deleteOldDigests, deleteOldMessages } from '../messages/delete-old-messages';
import { deleteOldCalls } from '../webhooks/calls';
import { HOUR_MS, MINUTE_MS } from '../lib/durations';

type WaitFor = (
  milliseconds: number,
  value: undefined,
  options: { signal: AbortSignal },
) => Promise<unknown>;

/** How long a browser stays known after its last sign-in. */
const KNOWN_BROWSER_RETENTION_MS = 180 * 24 * HOUR_MS;
/** An alert that is not reported for this time counts as resolved. */
const ALERT_RETENTION_MS = 90 * 24 * HOUR_MS;
/** A trail of where people worked alone is kept no longer. */
const CHECK_IN_RETENTION_MS = 90 * 24 * HOUR_MS;
/** Insights show 90 days; a year and some weeks allow to compare with the year before. */
const INSIGHT_RETENTION_MS = 400 * 24 * HOUR_MS;
/** Small batches, so that other writers do not wait long. */
const ROWS_PER_DELETION = 1000;

/** Rows are removed `after` milliseconds behind the time in the column, which has an index. */
const retentionRules = [
  { table: 'one_time_tokens', column: 'expires_at', key: 'id', after: 0 },
  { table: 'email_changes', column: 'ends_at', key: 'user_id', after: 0 },
  { table: 'passkey_challenges', column: 'ends_at', key: 'hash', after: 0 },
  { table: 'rate_limits', column: 'ends_at', key: 'key', after: 0 },
  { table: 'requests', column: 'ends_at', key: 'key', after: 0 },
  // Other processes' clocks may be behind.
  { table: 'ended_sessions', column: 'ends_at', key: 'session_id', after: HOUR_MS },
  {
    table: 'known_clients',
    column: 'last_seen_at',
    key: ['user_id', 'token_hash'],
    after: KNOWN_BROWSER_RETENTION_MS,
  },
  {
    table: 'alerts',
    column: 'seen_at',
    key: ['topic_id', 'fingerprint', 'starts_at'],
    after: ALERT_RETENTION_MS,
  },
  {
    table: 'insight_quarters',
    column: 'starts_at',
    key: ['topic_id', 'starts_at'],
    after: INSIGHT_RETENTION_MS,
  },
  {
    table: 'insight_reach',
    column: 'noted_at',
    key: ['topic_id', 'noted_at'],
    after: INSIGHT_RETENTION_MS,
  },
  {
    table: 'insight_makes',
    column: 'noted_at',
    key: ['noted_at', 'make'],
    after: INSIGHT_RETENTION_MS,
  },
  // A running check-in has not ended.
  { table: 'check_ins', column: 'ended_at', key: 'id', after: CHECK_IN_RETENTION_MS },
] as const;

type RetentionSettings = Pick<Services['config'], 'messageDays' | 'auditDays' | 'dataDir'>;
const DEFAULT_RETENTION: RetentionSettings = { messageDays: 365, auditDays: 365, dataDir: '' };

export async function deleteOldData(
  db: Database,
  now: number,
  stopSignal: AbortSignal,
  settings: RetentionSettings = DEFAULT_RETENTION,
): Promise<void> {
  await recordRepeats(db, now, stopSignal);
  for (const end of retentionRules)
    await runInBatches(
      async () => (await deleteSome(end, now, db)) === ROWS_PER_DELETION,
      stopSignal,
    );
  let after = 0;
  await runInBatches(async () => {
    after = await removeServices(db, now, after);
    return after > 0;
  }, stopSignal);
  await collectInsights(db, now, stopSignal, settings.messageDays);
  await deleteOldDeliveries(db, now, stopSignal);
  await deleteOldTests(db, now, stopSignal);
  await deleteOldDigests(db, now, stopSignal);
  await deleteOldMessages(db, now, stopSignal, settings.messageDays);
  await deleteOldCalls(db, now, stopSignal);
  await deleteOldEntries(db, now, settings.auditDays, stopSignal);
  await forgetPeople(db, now, stopSignal);
  await deleteOldMailFiles(settings.dataDir, db, now, stopSignal);
}

/** A row that changed meanwhile, such as a counter, stays. */
async function deleteSome(
  { table, column, key, after }: (typeof retentionRules)[number],
  now: number,
  db: Database,
): Promise<number> {
  const keys = sql.join([key].flat().map((name) => sql.ref(name)));
  const isExpired = sql`${sql.ref(column)} < ${now - after}`;
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ${isExpired}
      and (${keys}) in (select ${keys} from ${sql.table(table)} where ${isExpired} order by ${sql.ref(column)} limit ${sql.lit(ROWS_PER_DELETION)})`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}

/** Hourly, once the time of day is certain. Safe in several processes. */
export function startDeletingOldData(
  { db, log, config }: Pick<Services, 'db' | 'log'> & { config: RetentionSettings },
  { now, isSure }: Pick<Clock, 'now' | 'isSure'> = clock,
  pause: WaitFor = wait,
): () => Promise<void> {
  const stopController = new AbortController();
  const { signal } = stopController;
  const keepDeleting = async (): Promise<void> => {
    while (!signal.aborted) {
      const isClockTrusted = isSure();
      if (isClockTrusted)
        await deleteOldData(db, now(), signal, config).catch((error: unknown) =>
          log.warn('old data not deleted, retrying', describeError(error)),
        );
      await pause(isClockTrusted ? HOUR_MS : MINUTE_MS, undefined, { signal }).catch(
        () => undefined,
      );
    }
  };
  const deletionEnd = keepDeleting();
  return async () => {
    stopController.abort();
    await deletionEnd;
  };
}
