/** Counts attempts to sign in, and records those that failed. */
import { recordFailure } from '../../audit/repeats';
import type { UserRow } from '../../db/schema';
import { inTransaction } from '../../db/transaction';
import { rateLimitAddress } from '../../http/connections/client-address';
import { HttpError } from '../../http/errors';
import { consumeLimit, refundLimitInTransaction } from '../../http/rate-limits';
import type { Limit } from '../../http/rate-limits';
import type { Services } from '../../services';
import { createAuditAuthor } from '../audit-author';
import { isKnownBrowser } from './known-browsers';
import type { BrowserToken } from './known-browsers';
import { knownBrowserLimit, correctPasswordLimit, unknownBrowserLimits } from './sign-in-limits';

interface AttemptedAccount {
  user: UserRow | undefined;
  name: string;
}

/** The limits that a wrong or a correct password uses up. Other attempts get a refund. */
export interface AttemptLimits {
  wrongPasswordLimits: Limit[];
  correctPasswordLimits: Limit[];
}

/** @param wait in seconds */
export const tooManyAttemptsError = (wait: number): HttpError =>
  new HttpError(429, 'Too many attempts to sign in.', wait);

/**
 * Counts per account: separate counts for its two names would double the attempts.
 * @throws HttpError 429
 */
export async function countAttempt(
  { user, name }: AttemptedAccount,
  browserToken: BrowserToken,
  callerAddress: string,
  services: Services,
): Promise<AttemptLimits> {
  const { db, now } = services;
  const account = user?.username_key ?? name;
  const correctPasswordLimits = [correctPasswordLimit(account)];
  if (await isKnownBrowser(user?.id, browserToken, db)) {
    const wrongPasswordLimits = [knownBrowserLimit(account, browserToken ?? '')];
    if (
      (await consumeLimit([...correctPasswordLimits, ...wrongPasswordLimits], db, now())) ===
      undefined
    )
      return { wrongPasswordLimits, correctPasswordLimits };
  }
  const wrongPasswordLimits = unknownBrowserLimits(account, callerAddress);
  const wait = await consumeLimit([...correctPasswordLimits, ...wrongPasswordLimits], db, now());
  if (wait !== undefined) {
    services.metrics.countSignInFailure('limited');
    services.log.warn('sign-in rejected: rate limit', { network: rateLimitAddress(callerAddress) });
    throw tooManyAttemptsError(wait);
  }
  return { wrongPasswordLimits, correctPasswordLimits };
}

/** Typed usernames are never logged, because people type passwords into that field. */
export async function recordWrongAttempt(
  userId: number | undefined,
  { detail, by }: { detail: string; by?: string },
  { correctPasswordLimits }: AttemptLimits,
  callerAddress: string,
  services: Services,
): Promise<void> {
  services.metrics.countSignInFailure('wrong');
  services.log.warn('sign-in failed', {
    user: userId,
    network: rateLimitAddress(callerAddress),
    ...(by !== undefined && { by }),
  });
  await inTransaction(services.db, async (transaction) => {
    await refundLimitInTransaction(correctPasswordLimits, transaction);
    await recordFailure(userId, detail, createAuditAuthor(callerAddress, services), transaction);
  });
}
