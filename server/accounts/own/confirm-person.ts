/** That it is the person who asks, whichever way they sign in. */
import type { Config } from '../../config/config';
import type { UserRow } from '../../db/schema';
import { readToken } from '../../http/access/session';
import { HttpError } from '../../http/errors';
import { foldCase } from '../../../src/shared/case-fold';
import type { Services } from '../../services';
import type { Asker } from './asker';
import { confirmPassword } from './confirm-password';

/** How long a sign-in shows by itself who it is. */
const FRESH_SECONDS = 10 * 60;

/** Whether the account has a password, and one that counts here. */
export const hasPassword = (
  { password_hash, username_key }: Pick<UserRow, 'password_hash' | 'username_key'>,
  { passwordSignIn, adminUsername }: Pick<Config, 'passwordSignIn' | 'adminUsername'>,
): boolean =>
  password_hash !== null && (passwordSignIn || username_key === foldCase(adminUsername));

/**
 * Whether it is the person of the session: by their password, or, who signs in by the company alone,
 * by a sign-in of the last ten minutes.
 * @param password the body's field of that name
 * @throws HttpError 400 where it is missing; 403 for a wrong one, and for a sign-in that is too old;
 * 429 after too many wrong ones
 */
export async function confirmPerson(
  { user, authorization, from }: Omit<Asker, 'transact'>,
  password: string | undefined,
  services: Services,
): Promise<void> {
  const { config, now } = services;
  if (!hasPassword(user, config)) {
    const { auth_time } = await readToken(authorization, services);
    if (now() / 1000 - auth_time < FRESH_SECONDS) return;
    throw new HttpError(
      403,
      'You logged in more than ten minutes ago. Please log out, log in again, and repeat this.',
    );
  }
  if (password === undefined || password === '')
    throw new HttpError(400, [{ message: 'Please enter your password.', path: 'password' }]);
  await confirmPassword(user, password, { field: 'password', from }, services);
}
