/** Whether pushes and mails leave as they should. */
import type { Answer } from '../../src/shared/contract';
import { PROMPT_MAIL_KINDS, readJobs } from '../db/jobs';
import { oldestDueAt } from '../db/outbox/queues';
import type { Services } from '../services';

/** Set by the build: the package's version with a mark of the app that was built with it. */
declare const VERSION: string;

type Health = Answer<'GET /api/health'>;

/**
 * A delivery to a working push service that no process began for so long: delivery does not keep
 * up, or stands still. Retries are due later.
 */
const LATE_MILLISECONDS = 5 * 60_000;

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
