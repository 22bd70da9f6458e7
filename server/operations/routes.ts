/** What operators ask the server: whether it is well, and its figures. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Endpoints } from '../../src/shared/contract';
import { MAIL_KINDS, readJobs } from '../db/jobs';
import { oldestDueAt } from '../db/outbox/queues';
import { authorize } from '../http/route';
import type { AddRoute, App } from '../http/route';
import type { Services } from '../services';

/** Set by the build: the package's version with a mark of the app that was built with it. */
declare const VERSION: string;

/**
 * A delivery to a working push service that no process began for so long: delivery does not keep
 * up, or stands still. Retries are due later.
 */
const LATE_MILLISECONDS = 5 * 60_000;

export function addOperationRoutes(app: App, add: AddRoute, services: Services): void {
  add('GET /api/health', {
    access: 'anyone',
    answer: async () => ({
      status: 'ok',
      version: VERSION,
      delivery: await judgeDelivery(services),
      mail: await judgeMail(services),
    }),
  });

  // Text, and for machines of ours: no part of the contract with the app.
  app.get('/api/metrics', async (context) => {
    context.set('endpoint', 'GET /api/metrics');
    const authorization = context.req.header('authorization');
    if (!isScraper(authorization, services.config.metricsToken))
      await authorize('admin', authorization, services);
    return context.body(await services.metrics.read(), 200, {
      'Content-Type': services.metrics.contentType,
    });
  });
}

/**
 * Asks the database, so it rejects (and health answers 503) if that cannot answer. Trouble with
 * push services is told but fails nothing: taking a process out of service or starting it again
 * would help no one.
 */
async function judgeDelivery({
  db,
  now,
  isRefused,
}: Services): Promise<Endpoints['GET /api/health']['answer']['delivery']> {
  const dueAt = await oldestDueAt(db);
  if (isRefused()) return 'refused';
  return dueAt !== undefined && dueAt < now() - LATE_MILLISECONDS ? 'late' : 'ok';
}

/** As above: told, and no failure. A retry that waits for its time is not late. */
async function judgeMail({
  db,
  now,
  isMailFailing,
}: Services): Promise<Endpoints['GET /api/health']['answer']['mail']> {
  const { oldestDueAt: dueAt } = await readJobs(MAIL_KINDS, db);
  if (isMailFailing()) return 'failing';
  return dueAt !== undefined && dueAt < now() - LATE_MILLISECONDS ? 'late' : 'ok';
}

/** Compared as hashes, which are of one length: the time tells nothing of the token. */
function isScraper(authorization: string | undefined, metricsToken: string | undefined): boolean {
  if (metricsToken === undefined || authorization === undefined) return false;
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(authorization), hash(`Bearer ${metricsToken}`));
}
