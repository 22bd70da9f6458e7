import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import type { Context, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import type { Endpoint } from '../src/shared/contract';
import { addCompanyRoutes } from './accounts/company/routes';
import { addAccountExportRoute } from './account-export/export';
import { addOwnAccountRoutes } from './accounts/own-account/routes';
import { addSignInRoutes, addUserRoutes } from './accounts/routes';
import { addPasskeyRoutes } from './accounts/passkeys/routes';
import { addTwoFactorRoutes } from './accounts/two-factor/routes';
import { addAuditRoutes } from './audit-log/routes';
import type { Settings } from './config/config';
import { addCheckInRoutes } from './check-ins/routes';
import { addHeartbeatRoutes } from './heartbeats/routes';
import { findReceiptAuthors } from './inbox/receipt-authors';
import { addDeviceTestRoutes } from './device-tests/routes';
import { sendAlarmsToLateDevice } from './check-ins/late-devices';
import { addDeviceRoutes } from './devices/routes';
import { addEscalationRoutes } from './escalation/routes';
import { connectionLimitAddress, createProxyWarning } from './http/connections/client-address';
import { respondToError } from './http/error-response';
import { respondJson } from './http/response';
import { SERVICE_UNAVAILABLE, UNAVAILABLE_RETRY_SECONDS, notFoundError } from './http/errors';
import { addIncomingAlertRoutes } from './incoming-alerts/routes';
import { createAddRoute } from './http/route';
import type { KnownRoute } from './http/route';
import type { App, Env } from './http/env';
import type { ServeStatic } from './http/static/files';
import { addImportRoutes } from './import/routes';
import { addInboxRoutes } from './inbox/routes';
import { addMessageRoutes } from './messages/routes';
import { addOpenApiRoutes } from './openapi/routes';
import {
  LIVENESS_PATH,
  UNKNOWN_PROBE_PATHS,
  READINESS_PATH,
  respondLive,
} from './operations/liveness';
import { addOperationRoutes } from './operations/routes';
import { addPublishRoutes } from './publish/routes';
import { addQuietHoursRoutes } from './quiet-hours/routes';
import { addInsightRoutes } from './insights/routes';
import { addReachRoutes } from './reach/routes';
import { addSenderRoutes, addSenderMessageRoutes } from './senders/routes';
import type { Services } from './services';
import { readFirstScreen } from './subscriptions/first-screen';
import { addTopicPreferenceRoutes, addSubscriptionRoutes } from './subscriptions/routes';
import { addSuspensionRoutes } from './suspension/routes';
import { addTeamRoutes } from './teams/routes';
import { addTemplateRoutes } from './templates/routes';
import { addTopicKeyRoutes, addTopicRoutes } from './topics/routes';
import { addWebhookRoutes } from './webhooks/routes';

/** This call has no `/api` prefix: the app itself may have pages under /notifications/. */
const UNPREFIXED_CALL_PATH = '/notifications/subscriptions';
const API_PATHS = ['/api/*', UNPREFIXED_CALL_PATH];
const isApiCall = (path: string): boolean =>
  path.startsWith('/api/') || path === UNPREFIXED_CALL_PATH;
/** Responses of the API are for their caller alone: never stored, sniffed or framed. */
const API_SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
};

/** Runs until the database responds: serves the app's files, and returns 503 to calls. */
export function createWaitingApp(services: { config: Settings }, serveStatic?: ServeStatic): App {
  const app = new Hono<Env>();
  app.use(setHeaders(services.config, Date.now), requireHost);
  app.get(LIVENESS_PATH, respondLive);
  rejectOtherProbes(app);
  for (const calls of API_PATHS) {
    app.use(calls, allowOrigins(services));
    app.all(calls, (context) =>
      respondJson(
        context,
        503,
        { status: 'waiting for the database', error: SERVICE_UNAVAILABLE },
        { 'Retry-After': String(UNAVAILABLE_RETRY_SECONDS) },
      ),
    );
  }
  app.notFound((context) => serveStatic?.(context.req.raw) ?? context.text('Not found.\n', 404));
  return app;
}

/** @param serveStatic serves everything but API calls; without it there is only the API */
export function createApp(services: Services, serveStatic?: ServeStatic): App {
  const app = new Hono<Env>();
  app.use(setHeaders(services.config, services.now), observe(services), requireHost);
  for (const calls of API_PATHS) app.use(calls, allowOrigins(services));

  const routes = new Map<Endpoint, KnownRoute>();
  const add = createAddRoute(app, services, routes);
  addSignInRoutes(add, services, (user) => readFirstScreen(user, services.db));
  addOwnAccountRoutes(add, services);
  addAccountExportRoute(add, services);
  addPasskeyRoutes(add, services);
  addTwoFactorRoutes(add, services);
  addCompanyRoutes(app, add, services);
  addUserRoutes(add, services);
  addSuspensionRoutes(add, services);
  addImportRoutes(add, services);
  addTopicRoutes(add, services);
  addTopicKeyRoutes(add, services);
  addSenderRoutes(add, services);
  addWebhookRoutes(add, services);
  addSubscriptionRoutes(add, services);
  addTeamRoutes(add, services);
  addTopicPreferenceRoutes(add, services);
  addDeviceRoutes(add, services, (userId) => sendAlarmsToLateDevice(userId, services));
  addDeviceTestRoutes(add, services);
  addInboxRoutes(add, services);
  addQuietHoursRoutes(add, services);
  addCheckInRoutes(add, services, async (caller, at, transaction) => {
    const report = { claimed: caller, receipts: [], at };
    const [author] = await findReceiptAuthors([report], transaction, services);
    return author;
  });
  addMessageRoutes(add, services);
  addSenderMessageRoutes(add, services);
  addPublishRoutes(add, services);
  addTemplateRoutes(add, services);
  addEscalationRoutes(add, services);
  addIncomingAlertRoutes(add, services);
  addHeartbeatRoutes(add, services);
  addReachRoutes(add, services);
  addInsightRoutes(add, services);
  addAuditRoutes(add, services);
  addOperationRoutes(app, add, services);
  addOpenApiRoutes(app, add, routes);

  rejectOtherProbes(app);
  app.all('/api/*', () => {
    throw notFoundError('This endpoint does not exist.');
  });
  app.notFound((context) => serveStatic?.(context.req.raw) ?? context.text('Not found.\n', 404));
  app.onError((error, context) => respondToError(error, context, services));
  return app;
}

function rejectOtherProbes(app: App): void {
  for (const path of UNKNOWN_PROBE_PATHS)
    app.all(path, (context) =>
      context.text('Not found. See /api/live, /api/ready and /api/metrics.\n', 404),
    );
}

/** These calls come every few seconds, so only `LOG_LEVEL=debug` logs them. */
const UNLOGGED = new Set([
  '/api/health',
  LIVENESS_PATH,
  READINESS_PATH,
  '/api/metrics',
  ...UNKNOWN_PROBE_PATHS,
]);

/** Logs and counts each request, by the route's pattern: real paths hold one-time tokens. */
const observe = ({ log, metrics, config }: Services) => {
  const noticeProxy = createProxyWarning(config.trustedProxies, (proxy) =>
    log.warn('X-Forwarded-For from untrusted proxy ignored', {
      proxy,
      help: 'If this proxy is yours, add it to TRUSTED_PROXIES. Limits now count all its clients as one.',
    }),
  );
  return async (context: Context<Env>, next: () => Promise<void>): Promise<void> => {
    noticeProxy(
      context.env.incoming.socket.remoteAddress ?? '',
      context.req.header('x-forwarded-for'),
    );
    const startedAt = performance.now();
    await next();
    const milliseconds = performance.now() - startedAt;
    metrics.countRequest(context.get('endpoint'), context.res.status, milliseconds / 1000);
    const fields = {
      id: context.get('requestId'),
      trace: context.get('traceId'),
      route: context.get('endpoint') ?? `${context.req.method} (no route)`,
      status: context.res.status,
      milliseconds: Math.round(milliseconds),
      user: context.get('userId'),
      key: context.get('keyId'),
    };
    if (UNLOGGED.has(context.req.path)) log.debug('request', fields);
    else log.info('request', fields);
  };
};

/** Rejects a Host such as `999.999.999.999` or `xn--`, which makes the request's URL invalid. */
async function requireHost(
  context: Context<Env>,
  next: () => Promise<void>,
): Promise<Response | undefined> {
  if (!URL.canParse(context.req.url)) return context.text('The Host header is not valid.\n', 400);
  await next();
  return undefined;
}

/** Strangers may not choose what the log says, so both come from a trusted proxy alone. */
const readId = (context: Context<Env>): string | undefined =>
  /^[\w.-]{8,64}$/.exec(context.req.header('x-request-id') ?? '')?.[0];
/** The trace of W3C's Trace Context. */
const readTrace = (context: Context<Env>): string | undefined =>
  /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/.exec(
    context.req.header('traceparent') ?? '',
  )?.[1];

/** HSTS for a year (RFC 6797): only the operator knows whether other hosts have TLS. */
const setHeaders = ({ hstsIncludeSubdomains, trustedProxies }: Settings, now: () => number) => {
  const tls = `max-age=31536000${hstsIncludeSubdomains ? '; includeSubDomains' : ''}`;
  return async (context: Context<Env>, next: () => Promise<void>): Promise<void> => {
    const socket = context.env.incoming.socket.remoteAddress ?? '';
    const isProxy = connectionLimitAddress(socket, trustedProxies) === undefined;
    const id = (isProxy && readId(context)) || randomUUID();
    const trace = isProxy ? readTrace(context) : undefined;
    if (trace !== undefined) context.set('traceId', trace);
    const headers = {
      // The app sets its clock by it, so it must be the clock of the server's own times.
      Date: new Date(now()).toUTCString(),
      'X-Request-Id': id,
      'Strict-Transport-Security': tls,
      ...(isApiCall(context.req.path) && API_SECURITY_HEADERS),
    };
    context.set('requestId', id);
    context.set('headers', headers);
    await next();
    if (context.get('hasResponded')) return;
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
  };
};

/** Tokens travel in a header, so credentials are never allowed. */
const allowOrigins = ({ config }: { config: Settings }): MiddlewareHandler<Env> => {
  const allow = cors({
    origin: (origin) => (config.corsOrigins.includes(origin) ? origin : null),
    allowMethods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match'],
    exposeHeaders: ['Content-Disposition', 'Date', 'ETag', 'Retry-After', 'X-Request-Id'],
    maxAge: 600,
  });
  // Most requests come from the app's own origin and need no CORS headers.
  return (context, next) =>
    config.corsOrigins.includes(context.req.header('origin') ?? '') ? allow(context, next) : next();
};
