/** Confirms that the account's owner calls, and not someone at an open page. */
import { foldCase } from '../../../src/shared/case-fold';
import { recordFailure } from '../../audit/repeats';
import type { Config } from '../../config/config';
import type { UserRow } from '../../db/schema';
import { inTransaction } from '../../db/transaction';
import type { Transact } from '../../http/access/authority';
import { readToken } from '../../http/access/session';
import { rateLimitAddress } from '../../http/connections/client-address';
import { HttpError } from '../../http/errors';
import { consumeLimit, refundLimit } from '../../http/rate-limits';
import type { Limit } from '../../http/rate-limits';
import type { Services } from '../../services';
import { createAuditAuthor } from '../audit-author';
import { passwordMatches } from '../passwords/passwords';
import { MINUTE_MS } from '../../lib/durations';

export interface AccountCaller {
  user: UserRow;
  transact: Transact;
  header(name: string): string | undefined;
  address: string;
}

/** All calls together allow as many wrong passwords as sign-in from a known browser. */
const wrongPasswordLimit = (userId: number): Limit => ({
  key: ['own-password', String(userId)],
  max: 10,
  windowMs: 15 * MINUTE_MS,
});

const attemptLimit = (userId: number): Limit => ({
  key: ['own-password-all', String(userId)],
  max: 40,
  windowMs: 15 * MINUTE_MS,
});

/**
 * @param field the body's field, for the error.
 * @throws HttpError 403, 429
 */
export async function confirmPassword(
  { user, address }: Pick<AccountCaller, 'user' | 'address'>,
  password: string,
  field: string,
  services: Services,
): Promise<void> {
  const { db, now, log } = services;
  const limit = [wrongPasswordLimit(user.id)];
  // The attempt is counted first, so that simultaneous attempts don't pass the limit.
  const wait = await consumeLimit([...limit, attemptLimit(user.id)], db, now());
  const attempt = { user: user.id, network: rateLimitAddress(address) };
  if (wait !== undefined) {
    log.warn('password rejected: rate limit', attempt);
    throw new HttpError(429, 'Too many wrong passwords.', wait);
  }
  if (!(await passwordMatches(user.password_hash, password))) {
    log.warn('password rejected: wrong password', attempt);
    await inTransaction(db, (transaction) =>
      recordFailure(
        user.id,
        'Wrong current password',
        createAuditAuthor(address, services),
        transaction,
      ),
    );
    throw new HttpError(403, [{ message: 'This is not your current password.', path: field }]);
  }
  await refundLimit(limit, db);
}

/** A sign-in this recent counts as a confirmation: some providers would not ask again. */
const FRESH_SECONDS = 10 * 60;

/** Whether the account has a password that may be used here. */
export const hasPassword = (
  { password_hash, username_key }: Pick<UserRow, 'password_hash' | 'username_key'>,
  { passwordSignIn, adminUsername }: Pick<Config, 'passwordSignIn' | 'adminUsername'>,
): boolean =>
  password_hash !== null && (passwordSignIn || username_key === foldCase(adminUsername));

/**
 * Accounts without a password need a recent sign-in instead.
 * @throws HttpError 400, 403, 429
 */
export async function confirmPerson(
  { user, header, address }: Omit<AccountCaller, 'transact'>,
  password: string | undefined,
  services: Services,
): Promise<void> {
  const { config, now } = services;
  if (!hasPassword(user, config)) {
    const { auth_time } = await readToken(header('authorization'), services);
    if (now() / 1000 - auth_time < FRESH_SECONDS) return;
    throw new HttpError(
      403,
      'You signed in more than ten minutes ago. Please sign out, sign in again, and retry.',
    );
  }
  if (password === undefined || password === '')
    throw new HttpError(400, [{ message: 'Please enter your password.', path: 'password' }]);
  await confirmPassword({ user, address }, password, 'password', services);
}
