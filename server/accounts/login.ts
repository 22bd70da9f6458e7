import type { Answer, Body } from '../../src/shared/contract';
import { takenAlone } from '../db/lock';
import type { UserRow } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { foldCase } from '../lib/case-fold';
import { addressBlock } from '../http/address';
import { HttpError } from '../http/errors';
import { consumeLimit, refundLimit } from './rate-limits';
import type { Limit } from './rate-limits';
import type { Services } from '../services';
import { isKnown, noteClient } from './known-clients';
import type { ClientToken } from './known-clients';
import { knownLimit, strangersLimits } from './login-limits';
import { isPassword } from './passwords';
import { createSession } from '../http/session';
import { toUser } from './users';

type Login = 'POST /api/auth/login';
const refused = (): HttpError => new HttpError(401, 'Invalid username or password.');

/**
 * Signs a person in by name and password.
 * @param from the address of the connection
 * @throws HttpError 401, the same for every reason; 429 after too many failures
 */
export async function logIn(
  { username, password, clientToken }: Body<Login>,
  from: string,
  services: Services,
): Promise<Answer<Login>> {
  const { db } = services;
  const name = foldCase(username.trim());
  // Counted before the password is looked at, so that many attempts at once are no way around it.
  const counted = await countAttempt(name, clientToken, from, services);
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('username_key', '=', name)
    .executeTakeFirst();
  const matches = await isPassword(user?.password_hash, password);
  if (user === undefined || !matches) {
    noteFailure('sign-in failed', user?.id, from, services);
    throw refused();
  }
  const kept = await rememberClient(user, clientToken, services);
  await refundLimit(counted, db);
  return { token: await createSession(user, services), user: toUser(user), clientToken: kept };
}

/** @returns what it was counted by. @throws HttpError 429 */
async function countAttempt(
  name: string,
  clientToken: ClientToken,
  from: string,
  services: Services,
): Promise<Limit[]> {
  const { db, now } = services;
  if (await isKnown(name, clientToken, db)) {
    const known = [knownLimit(name, clientToken ?? '')];
    if ((await consumeLimit(known, db, now())) === undefined) return known;
  }
  const limits = strangersLimits(name, from);
  const wait = await consumeLimit(limits, db, now());
  if (wait !== undefined) {
    noteFailure('sign-in refused by a limit', undefined, from, services);
    throw new HttpError(429, 'Too many attempts to sign in. Please try again later.', wait);
  }
  return limits;
}

/**
 * Only while the account is as it was when the password was compared: a reset meanwhile has just
 * forgotten them all.
 */
function rememberClient(
  { id, session_version }: UserRow,
  clientToken: ClientToken,
  { db, now }: Services,
): Promise<string> {
  return inTransaction(db, async (transaction) => {
    const same = transaction
      .selectFrom('users')
      .select('id')
      .where('id', '=', id)
      .where('session_version', '=', session_version);
    if ((await takenAlone(same, transaction).executeTakeFirst()) === undefined) throw refused();
    return noteClient(id, clientToken, transaction, now());
  });
}

/**
 * A line for tools that ban addresses. Never the name as it was typed: people type passwords there.
 * @param user the account, if there is one with that name
 */
function noteFailure(
  event: string,
  user: number | undefined,
  from: string,
  { log }: Services,
): void {
  log.warn(event, { user, network: addressBlock(from) });
}
