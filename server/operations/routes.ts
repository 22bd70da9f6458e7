import { createHash, timingSafeEqual } from 'node:crypto';
import { CustomResponse, respond, respondJson } from '../http/response';
import { authorizeUser } from '../http/access/caller';
import type { App } from '../http/env';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { SERVICE_UNAVAILABLE, UNAVAILABLE_RETRY_SECONDS } from '../http/errors';
import { createHealth } from './health';
import type { HealthTrouble } from './health';
import { LIVENESS_PATH, READINESS_PATH, respondLive } from './liveness';
import { readOverview } from './overview';

export function addOperationRoutes(app: App, add: AddRoute, services: Services): void {
  const health = createHealth(services);
  add('GET /api/health', {
    action: 'health.read',
    respond: async () => {
      const state = await health();
      return typeof state === 'string' ? replyUnhealthy(state) : state;
    },
  });

  // Kubernetes' names. Like metrics, for machines and not a part of the contract.
  app.get(READINESS_PATH, async (context) => {
    context.set('endpoint', `GET ${READINESS_PATH}`);
    const state = await health();
    return typeof state === 'string'
      ? respondJson(context, 503, describeTrouble(state), RETRY_AFTER_HEADER)
      : respondJson(context, 200, state);
  });
  app.get(LIVENESS_PATH, respondLive);

  add('GET /api/admin/overview', {
    action: 'overview.read',
    respond: ({ user }) => readOverview(user, services),
  });

  // Text for machines; not a part of the contract.
  app.get('/api/metrics', async (context) => {
    context.set('endpoint', 'GET /api/metrics');
    const authorization = context.req.header('authorization');
    if (!isScraper(authorization, services.config.metricsToken))
      await authorizeUser('metrics.read', authorization, services);
    const state = await health();
    const words =
      typeof state === 'string'
        ? { status: state }
        : { status: state.status, delivery: state.delivery, mail: state.mail };
    return respond(context, 200, await services.metrics.read(words), {
      'Content-Type': services.metrics.contentType,
    });
  });
}

const RETRY_AFTER_HEADER = { 'Retry-After': String(UNAVAILABLE_RETRY_SECONDS) };
const describeTrouble = (status: HealthTrouble) => ({ status, error: SERVICE_UNAVAILABLE });
const replyUnhealthy = (status: HealthTrouble): CustomResponse =>
  new CustomResponse(
    503,
    { 'Content-Type': 'application/json', ...RETRY_AFTER_HEADER },
    JSON.stringify(describeTrouble(status)),
  );

/** Compares hashes, which have one length, so that the time reveals nothing of the token. */
function isScraper(authorization: string | undefined, metricsToken: string | undefined): boolean {
  if (metricsToken === undefined || authorization === undefined) return false;
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(authorization), hash(`Bearer ${metricsToken}`));
}
