/** Whether pushes and mails leave as they should. */
import type { Answer } from '../../src/shared/contract';
import { isReadOnly } from '../db/engines/readiness';
import { databaseFault } from '../db/errors';
import { PROMPT_MAIL_KINDS, readJobs } from '../db/jobs';
import { oldestDueAt } from '../db/outbox/queues';
import { describeError } from '../lib/log';
import type { Services } from '../services';

/** Set by the build: the package's version with a mark of the app that was built with it. */
declare const VERSION: string;

type Health = Answer<'GET /api/health'>;

/** Why this process is to get no requests for now. */
export type Trouble =
  | 'stopping'
  | 'the database cannot be reached'
  | 'the database takes no changes';

/**
 * A delivery to a working push service that no process began for so long: delivery does not keep
 * up, or stands still. Retries are due later.
 */
const LATE_MILLISECONDS = 5 * 60_000;

/**
 * What is to be said with 503, or undefined if all is well. A database that only reads is a standby
 * to which connections were led, or one that is not promoted yet.
 */
export async function findTrouble({ db, log, isStopping }: Services): Promise<Trouble | undefined> {
  if (isStopping()) return 'stopping';
  try {
    return (await isReadOnly(db)) ? 'the database takes no changes' : undefined;
  } catch (error) {
    if (databaseFault(error) !== 'unavailable') throw error;
    log.error('database unavailable', describeError(error));
    return 'the database cannot be reached';
  }
}

export async function readHealth(services: Services): Promise<Health> {
  return {
    status: 'ok',
    version: VERSION,
    delivery: await judgeDelivery(services),
    mail: await judgeMail(services),
  };
}

/**
 * Asks the database, so it rejects (and health answers 503) if that cannot answer. Trouble with
 * push services is told but fails nothing: taking a process out of service or starting it again
 * would help no one.
 */
async function judgeDelivery({ db, now, isRefused }: Services): Promise<Health['delivery']> {
  const dueAt = await oldestDueAt(db);
  if (isRefused()) return 'refused';
  return dueAt !== undefined && dueAt < now() - LATE_MILLISECONDS ? 'late' : 'ok';
}

/**
 * As above: told, and no failure. A retry that waits for its time is not late, nor are the
 * invitations of an import, which take their time.
 */
async function judgeMail({ db, now, isMailFailing }: Services): Promise<Health['mail']> {
  const { oldestDueAt: dueAt } = await readJobs(PROMPT_MAIL_KINDS, db);
  if (isMailFailing()) return 'failing';
  return dueAt !== undefined && dueAt < now() - LATE_MILLISECONDS ? 'late' : 'ok';
}
