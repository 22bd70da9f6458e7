/** Probes in Kubernetes' sense, and what other products call them. */
import type { Context } from 'hono';
import type { Env } from '../http/env';
import { respondJson } from '../http/response';

export const LIVENESS_PATH = '/api/live';
export const READINESS_PATH = '/api/ready';

/**
 * Common names of probes that are not ours. With the app's page as the response, a wrong probe would
 * always succeed.
 */
export const UNKNOWN_PROBE_PATHS = ['/health', '/healthz', '/livez', '/readyz', '/metrics'];

/** Whether the process works: without the database, so that its loss restarts no process. */
export function respondLive(context: Context<Env>): Response {
  context.set('endpoint', `GET ${LIVENESS_PATH}`);
  return respondJson(context, 200, { status: 'ok' });
}
