import { setTimeout as wait } from 'node:timers/promises';
import type { ResponseOf } from '../../src/shared/contract';
import { databaseFault } from '../db/errors';
import { PROMPT_MAIL_KINDS } from '../db/jobs/kinds';
import { readJobs } from '../db/jobs/jobs';
import { oldestDueAt } from '../db/outbox/queues';
import { readMailServerOutcome } from '../db/settings';
import { describeError } from '../lib/log';
import type { Services } from '../services';
import { ratePushServices } from './push-services';
import { createWriteProbe } from './write-probe';

/** The build sets the package's version, and a mark of the app that was built with it. */
declare const VERSION: string;

type Health = ResponseOf<'GET /api/health'>;

/** Why this process must not get requests now. */
export type HealthTrouble =
  | 'stopping'
  | 'the database is unreachable'
  | 'the database rejects writes';

/** A due push to a working service that waits this long: delivery is overloaded, or stopped. */
const LATE_PUSH_MS = 5 * 60_000;

/** A balancer waits some seconds; a lost machine may block a statement for longer. */
const DATABASE_TIMEOUT_MS = 3000;

/** Within three seconds. All callers share one query, or they might take all connections. */
export function createHealth(
  services: Services,
  maxWait = DATABASE_TIMEOUT_MS,
): () => Promise<Health | HealthTrouble> {
  let pendingHealth: Promise<Health | HealthTrouble> | undefined;
  const canWrite = createWriteProbe(services);
  const probeDatabase = async (): Promise<Health | HealthTrouble> => {
    try {
      if (!(await canWrite())) return 'the database rejects writes';
      return await readHealth(services);
    } catch (error) {
      if (databaseFault(error) !== 'unavailable') throw error;
      services.log.error('database unavailable', describeError(error));
      return 'the database is unreachable';
    } finally {
      pendingHealth = undefined;
    }
  };
  return async () => {
    if (services.isStopping()) return 'stopping';
    pendingHealth ??= probeDatabase();
    const abort = new AbortController();
    const timeout = wait(maxWait, 'the database is unreachable' as const, {
      signal: abort.signal,
    });
    try {
      return await Promise.race([pendingHealth, timeout]);
    } finally {
      timeout.catch(() => undefined);
      abort.abort();
    }
  };
}

export async function readHealth(services: Services): Promise<Health> {
  return {
    status: 'ok',
    version: VERSION,
    ...(await rateDelivery(services)),
    mail: await rateMail(services),
  };
}

/** Trouble with push services fails nothing: restarting a process would not help. */
async function rateDelivery(
  services: Services,
): Promise<Pick<Health, 'delivery' | 'pushServices'>> {
  const { db, now } = services;
  const { delivery, ...pushServices } = await ratePushServices(services);
  const dueAt = await oldestDueAt(db);
  const isBehind = dueAt !== undefined && dueAt < now() - LATE_PUSH_MS;
  return { delivery: delivery === 'ok' && isBehind ? 'late' : delivery, pushServices };
}

/** Ignores retries that are not due, and invitations of an import, which take time. */
async function rateMail({ db, now }: Services): Promise<Health['mail']> {
  const { oldestDueAt: dueAt } = await readJobs(PROMPT_MAIL_KINDS, db);
  const { acceptedAt, failedAt } = await readMailServerOutcome(db);
  if (failedAt !== null && failedAt > (acceptedAt ?? 0)) return 'failing';
  return dueAt !== undefined && dueAt < now() - LATE_PUSH_MS ? 'late' : 'ok';
}
