/**
 * Company sign-in. The outcome is in the fragment of /login, which no server sees, sealed for the
 * page that started it (`handover.ts`).
 */
import type { Context } from 'hono';
import { recordFailure, recordSignIn } from '../../audit/repeats';
import { inTransaction } from '../../db/transaction';
import { createSession } from '../../http/access/session';
import { respond } from '../../http/response';
import { rateLimitAddress, readAddress } from '../../http/connections/client-address';
import type { App, Env } from '../../http/env';
import { consumeLimit, refundLimit } from '../../http/rate-limits';
import type { Limit } from '../../http/rate-limits';
import type { AddRoute } from '../../http/route';
import type { Services } from '../../services';
import { createSignInChallenge, findChallengeStep } from '../two-factor/challenge';
import type { ChallengeStep } from '../two-factor/challenge';
import { createAuditAuthor } from '../audit-author';
import { flowCookie, clearFlowCookie, readFlowCookie } from './cookie';
import { openHandover, readSecretHash, sealHandover } from './handover';
import { findOrLinkAccount } from './linked-account';
import type { SignInRejection } from './linked-account';
import { createProvider, findProviderDownError } from './provider';
import type { Provider } from './provider';

/** The app has a sentence for each (`src/state/account/company-sign-in.ts`). */
type Outcome = SignInRejection | 'refused' | 'cancelled' | 'expired' | 'down' | 'busy' | 'off';

/** Counts failures only: many people share one address. */
const failureLimit = (callerAddress: string): Limit => ({
  key: ['company-sign-in', rateLimitAddress(callerAddress)],
  max: 100,
  windowMs: 15 * 60_000,
});

export function addCompanyRoutes(app: App, add: AddRoute, services: Services): void {
  const { config } = services;
  const { oidc } = config;
  // The address is read late: a port that the system chose is not known yet.
  const callbackUrl = (): string =>
    oidc?.callbackUrl ?? `${config.publicUrl}/api/auth/oidc/callback`;
  const provider = oidc && createProvider(oidc, callbackUrl, services);

  app.get('/api/auth/oidc/start', async (context) => {
    context.set('endpoint', 'GET /api/auth/oidc/start');
    const next = context.req.query('next') ?? '';
    if (provider === undefined)
      return redirectToSignIn(context, services, ['refused', 'off'], next);
    if (isForeign(context, callbackUrl(), services))
      return redirectTo(context, signInPageUrl(services, next));
    const callerAddress = readClientAddress(context, services);
    try {
      const { address, flow } = await provider.begin();
      const bind = readSecretHash(context.req.query('bind'));
      const cookie = flowCookie({ ...flow, next, bind }, callbackUrl(), services);
      return redirectTo(context, address.href, cookie);
    } catch (error) {
      return redirectToSignIn(
        context,
        services,
        ['refused', logAndClassify(error, callerAddress, services)],
        next,
      );
    }
  });

  app.get('/api/auth/oidc/callback', async (context) => {
    context.set('endpoint', 'GET /api/auth/oidc/callback');
    const flow = readFlowCookie(context.req.header('cookie'), callbackUrl(), services);
    const result = await finishFlow(provider, flow, callbackUrl(), context, services);
    const outcome = flow?.bind ? sealForHandover(result, flow.bind, services) : result;
    return redirectToSignIn(
      context,
      services,
      outcome,
      flow?.next ?? '',
      clearFlowCookie(callbackUrl()),
    );
  });

  add('POST /api/auth/oidc/handover', {
    action: 'sessions.create',
    respond: ({ body }) => openHandover(body, services),
  });
}

type SignInResult = RejectedSignIn | [name: 'token' | ChallengeStep, value: string];
type RejectedSignIn = [name: 'refused', why: Outcome];

/** A rejection is not sealed: it is not secret, and starts no session. */
const sealForHandover = (
  result: SignInResult,
  secretHash: string,
  services: Services,
): RejectedSignIn | [name: 'code', value: string] =>
  result[0] === 'refused'
    ? result
    : ['code', sealHandover({ name: result[0], value: result[1] }, secretHash, services)];

async function finishFlow(
  provider: Provider | undefined,
  flow: ReturnType<typeof readFlowCookie>,
  callbackUrl: string,
  context: Context<Env>,
  services: Services,
): Promise<SignInResult> {
  const callerAddress = readClientAddress(context, services);
  const author = createAuditAuthor(callerAddress, services);
  if (provider === undefined) return ['refused', 'off'];
  if (flow === undefined) return ['refused', 'expired'];
  const limit = failureLimit(callerAddress);
  if ((await consumeLimit([limit], services.db, services.now())) !== undefined)
    return ['refused', 'busy'];
  try {
    const returnUrl = new URL(callbackUrl);
    returnUrl.search = new URL(context.req.url).search;
    const identity = await provider.finish(returnUrl, flow);
    const user = await findOrLinkAccount(identity, callerAddress, services);
    if (typeof user === 'string') {
      logRejection(user, undefined, callerAddress, services);
      await inTransaction(services.db, (transaction) =>
        recordFailure(undefined, `Company sign-in: ${user}`, author, transaction),
      );
      return ['refused', user];
    }
    await refundLimit([limit], services.db);
    context.set('userId', user.id);
    const step = await findChallengeStep(user, services);
    if (step !== undefined) return [step, createSignInChallenge(user, step, services)];
    await inTransaction(services.db, (transaction) =>
      recordSignIn(user.id, 'Company sign-in', author, transaction),
    );
    return ['token', await createSession(user, services)];
  } catch (error) {
    return ['refused', logAndClassify(error, callerAddress, services)];
  }
}

/**
 * Logs why the sign-in failed.
 * @returns what the person sees of it
 */
function logAndClassify(error: unknown, callerAddress: string, services: Services): Outcome {
  const providerDown = findProviderDownError(error);
  if (providerDown !== undefined) {
    logRejection('down', providerDown, callerAddress, services);
    return 'down';
  }
  // The person canceled, or may not sign in (RFC 6749, section 4.1.2.1).
  const isCanceled = (error as { error?: unknown }).error === 'access_denied';
  const outcome = isCanceled ? 'cancelled' : 'refused';
  logRejection(outcome, error, callerAddress, services);
  return outcome;
}

/** The log line helps tools that ban addresses, and administrators who set the provider up. */
function logRejection(
  reason: Outcome,
  error: unknown,
  callerAddress: string,
  { log }: Services,
): void {
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  log.warn('company sign-in rejected', {
    reason,
    network: rateLimitAddress(callerAddress),
    ...(error !== undefined && { code, detail: message }),
  });
}

const readClientAddress = (context: Context<Env>, services: Services): string =>
  readAddress(context.env, context.req.header('x-forwarded-for'), services);

/**
 * Whether another site sent the browser here: its link would replace the cookie of a running
 * sign-in. An app with its own origin is another site itself.
 */
const isForeign = (
  { req }: Context<Env>,
  callbackUrl: string,
  { config: { publicUrl } }: Services,
): boolean =>
  /^(cross|same)-site$/.test(req.header('sec-fetch-site') ?? '') &&
  new URL(callbackUrl).origin === new URL(publicUrl).origin;

const signInPageUrl = ({ config }: Services, next: string): string =>
  `${config.publicUrl}/login${next === '' ? '' : `?next=${encodeURIComponent(next)}`}`;

const redirectToSignIn = (
  context: Context<Env>,
  services: Services,
  [name, value]: SignInResult | ReturnType<typeof sealForHandover>,
  next: string,
  cookie?: string,
): Response => redirectTo(context, `${signInPageUrl(services, next)}#${name}=${value}`, cookie);

const redirectTo = (context: Context<Env>, to: string, cookie?: string): Response =>
  respond(context, 302, null, { Location: to, ...(cookie && { 'Set-Cookie': cookie }) });
