/** Whether pushes and mails leave as they should, and the database answers. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from '../../src/shared/contract';
import { isReadOnly } from '../db/engines/readiness';
import { databaseFault } from '../db/errors';
import { PROMPT_MAIL_KINDS } from '../db/jobs/kinds';
import { readJobs } from '../db/jobs/jobs';
import { oldestDueAt } from '../db/outbox/queues';
import { readMailServerOutcome } from '../db/settings';
import { describeError } from '../lib/log';
import type { Services } from '../services';
import { judgePushServices } from './push-services';
import { createWriteProbe } from './write-probe';

/** Set by the build: the package's version with a mark of the app that was built with it. */
declare const VERSION: string;

type Health = Answer<'GET /api/health'>;

/** Why this process is to get no requests for now. */
export type HealthTrouble =
  | 'stopping'
  | 'the database cannot be reached'
  | 'the database takes no changes';

/**
 * A delivery to a working push service that no process began for so long: delivery does not keep
 * up, or stands still. Retries are due later.
 */
const LATE_MILLISECONDS = 5 * 60_000;

/**
 * Who asks is a balancer or a supervisor, and waits for some seconds. A pooler, or a machine that is
 * lost, may keep a statement waiting for longer.
 */
const PATIENCE_MILLISECONDS = 3000;

/**
 * Health, or what is to be said with 503, within three seconds. A database that only reads is a
 * standby to which connections were led, or one that is not promoted yet; one on a full disk takes no
 * changes either. The database is asked once at a time, for all who ask meanwhile: questions without
 * an answer must not take all connections.
 */
export function createHealth(
  services: Services,
  patience = PATIENCE_MILLISECONDS,
): () => Promise<Health | HealthTrouble> {
  let asked: Promise<Health | HealthTrouble> | undefined;
  const canWrite = createWriteProbe(services);
  const ask = async (): Promise<Health | HealthTrouble> => {
    try {
      if ((await isReadOnly(services.db)) || !(await canWrite()))
        return 'the database takes no changes';
      return await readHealth(services);
    } catch (error) {
      if (databaseFault(error) !== 'unavailable') throw error;
      services.log.error('database unavailable', describeError(error));
      return 'the database cannot be reached';
    } finally {
      asked = undefined;
    }
  };
  return async () => {
    if (services.isStopping()) return 'stopping';
    asked ??= ask();
    const answered = new AbortController();
    const late = wait(patience, 'the database cannot be reached' as const, {
      signal: answered.signal,
    });
    try {
      return await Promise.race([asked, late]);
    } finally {
      late.catch(() => undefined);
      answered.abort();
    }
  };
}

export async function readHealth(services: Services): Promise<Health> {
  return {
    status: 'ok',
    version: VERSION,
    ...(await judgeDelivery(services)),
    mail: await judgeMail(services),
  };
}

/**
 * Asks the database, so it rejects (and health answers 503) if that cannot answer. Trouble with
 * push services is told but fails nothing: taking a process out of service or starting it again
 * would help no one.
 */
async function judgeDelivery(
  services: Services,
): Promise<Pick<Health, 'delivery' | 'pushServices'>> {
  const { db, now } = services;
  const { delivery, ...pushServices } = await judgePushServices(services);
  const dueAt = await oldestDueAt(db);
  const isBehind = dueAt !== undefined && dueAt < now() - LATE_MILLISECONDS;
  return { delivery: delivery === 'ok' && isBehind ? 'late' : delivery, pushServices };
}

/**
 * As above: told, and no failure. A retry that waits for its time is not late, nor are the
 * invitations of an import, which take their time.
 */
async function judgeMail({ db, now }: Services): Promise<Health['mail']> {
  const { oldestDueAt: dueAt } = await readJobs(PROMPT_MAIL_KINDS, db);
  const { acceptedAt, failedAt } = await readMailServerOutcome(db);
  if (failedAt !== null && failedAt > (acceptedAt ?? 0)) return 'failing';
  return dueAt !== undefined && dueAt < now() - LATE_MILLISECONDS ? 'late' : 'ok';
}
