/** That it is the person who asks, and not somebody at a page that they left open. */
import { recordFailure } from '../../audit/repeats';
import type { UserRow } from '../../db/schema';
import { inTransaction } from '../../db/transaction';
import { addressBlock } from '../../http/connections/address';
import { HttpError } from '../../http/errors';
import { consumeLimit, refundLimit } from '../../http/rate-limits';
import type { Limit } from '../../http/rate-limits';
import type { Services } from '../../services';
import { authorOf } from '../author';
import { isPassword } from '../passwords/passwords';

const MINUTE = 60_000;
/** As many as a browser has that the person is known by, whatever it is asked for. */
const limitOf = (userId: number): Limit => ({
  key: ['own-password', String(userId)],
  max: 10,
  windowMilliseconds: 15 * MINUTE,
});

/** Right ones, too: each costs a hash, and nobody needs as many. */
const allLimit = (userId: number): Limit => ({
  key: ['own-password-all', String(userId)],
  max: 40,
  windowMilliseconds: 15 * MINUTE,
});

interface Asked {
  /** Of the body, which the refusal is about. */
  field: string;
  /** The address of the connection. */
  from: string;
}

/**
 * Whether the password is that of who is signed in. Only those who have a session use these
 * attempts up: signing in has its own.
 * @throws HttpError 403 if not; 429 after too many wrong ones
 */
export async function confirmPassword(
  user: UserRow,
  password: string,
  { field, from }: Asked,
  services: Services,
): Promise<void> {
  const { db, now, log } = services;
  const limit = [limitOf(user.id)];
  // Counted before it is looked at, so that many attempts at once are no way around it.
  const wait = await consumeLimit([...limit, allLimit(user.id)], db, now());
  const failed = { user: user.id, network: addressBlock(from) };
  if (wait !== undefined) {
    log.warn('password refused by a limit', failed);
    throw new HttpError(429, 'Too many wrong passwords. Please try again later.', wait);
  }
  if (!(await isPassword(user.password_hash, password))) {
    log.warn('password not confirmed', failed);
    await inTransaction(db, (transaction) =>
      recordFailure(user.id, 'Wrong current password', authorOf(from, services), transaction),
    );
    throw new HttpError(403, [{ message: 'This is not your current password.', path: field }]);
  }
  await refundLimit(limit, db);
}
