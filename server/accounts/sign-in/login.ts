import type { Answer, Body } from '../../../src/shared/contract';
import { lockForUpdate } from '../../db/lock';
import type { Database } from '../../db/open';
import type { UserRow } from '../../db/schema';
import { inTransaction } from '../../db/transaction';
import { foldCase } from '../../../src/shared/case-fold';
import { recordFailure, recordSignIn } from '../../audit/repeats';
import { addressBlock } from '../../http/connections/address';
import { HttpError } from '../../http/errors';
import { consumeLimit, refundLimit, refundWithin } from '../../http/rate-limits';
import type { Limit } from '../../http/rate-limits';
import type { Services } from '../../services';
import { authorOf } from '../author';
import { isKnown, noteClient } from './known-clients';
import type { ClientToken } from './known-clients';
import { knownLimit, rightLimit, strangersLimits } from './login-limits';
import { isPassword } from '../passwords/passwords';
import { challenged, stepAfter } from '../second-factor/challenge';
import { createSession } from '../../http/access/session';
import { toUser } from '../users';

type Login = 'POST /api/auth/login';
const refused = (): HttpError => new HttpError(401, 'Invalid username or password.');

/**
 * Signs a person in by their name, or their e-mail address, and password.
 * @throws HttpError 401, the same for every reason but that a second step is asked; 429 after too
 * many failures
 */
export async function logIn(
  { username, password, clientToken }: Body<Login>,
  from: string,
  services: Services,
): Promise<Answer<Login>> {
  const { db } = services;
  const name = foldCase(username.trim());
  requireAllowed(name, services);
  const user = await findAccount(name, db);
  // Counted before the password is looked at, so that many attempts at once are no way around it.
  const counted = await countAttempt({ user, name }, clientToken, from, services);
  const matches = await isPassword(user?.password_hash, password);
  if (user === undefined || !matches) {
    noteFailure('sign-in failed', user?.id, from, services);
    await inTransaction(db, async (transaction) => {
      await refundWithin(counted.ifRight, transaction);
      await recordFailure(user?.id, 'Wrong password', authorOf(from, services), transaction);
    });
    throw refused();
  }
  const step = await stepAfter(user, services);
  if (step !== undefined) {
    await refundLimit(counted.ifWrong, db);
    throw challenged(user, step, services);
  }
  const kept = await rememberClient(user, clientToken, from, services);
  await refundLimit(counted.ifWrong, db);
  return { token: await createSession(user, services), user: toUser(user), clientToken: kept };
}

/**
 * Where passwords are switched off, one account's still counts, for the day on which the company's
 * sign-in is broken. It goes by what was typed, to reveal no account.
 * @throws HttpError 401
 */
function requireAllowed(name: string, { config }: Services): void {
  if (config.passwordSignIn || name === foldCase(config.adminUsername)) return;
  const company = config.oidc?.company ?? '';
  throw new HttpError(401, `Passwords are switched off here. Sign in with ${company}.`);
}

/**
 * The account with that username, else the one with that email: a username that looks like somebody's
 * address takes nothing away from its owner. An unverified email signs in, too: without a mail
 * server none is ever verified, and the password is still needed.
 */
const findAccount = (name: string, db: Database): Promise<UserRow | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where((row) => row.or([row('username_key', '=', name), row('email_key', '=', name)]))
    .orderBy((row) => row.case().when('username_key', '=', name).then(0).else(1).end())
    .limit(1)
    .executeTakeFirst();

/** What was typed, folded, and whose account that is. */
interface Typed {
  user: UserRow | undefined;
  name: string;
}

/** What an attempt was counted by: the part that stays if its password was wrong, or right. */
interface Counted {
  ifWrong: Limit[];
  ifRight: Limit[];
}

/**
 * Counts for the account, whichever of its names was typed. A count for each name would allow as
 * many attempts again, which is worse than revealing that two names belong together.
 * @throws HttpError 429
 */
async function countAttempt(
  { user, name }: Typed,
  clientToken: ClientToken,
  from: string,
  services: Services,
): Promise<Counted> {
  const { db, now } = services;
  const account = user?.username_key ?? name;
  const ifRight = [rightLimit(account)];
  if (await isKnown(user?.id, clientToken, db)) {
    const ifWrong = [knownLimit(account, clientToken ?? '')];
    if ((await consumeLimit([...ifRight, ...ifWrong], db, now())) === undefined)
      return { ifWrong, ifRight };
  }
  const ifWrong = strangersLimits(account, from);
  const wait = await consumeLimit([...ifRight, ...ifWrong], db, now());
  if (wait !== undefined) {
    noteFailure('sign-in refused by a limit', undefined, from, services);
    throw new HttpError(429, 'Too many attempts to sign in. Please try again later.', wait);
  }
  return { ifWrong, ifRight };
}

/**
 * Only while the account is as it was when the password was compared: a reset meanwhile has just
 * forgotten them all.
 */
function rememberClient(
  { id, session_version }: UserRow,
  clientToken: ClientToken,
  from: string,
  services: Services,
): Promise<string> {
  const { db, now } = services;
  return inTransaction(db, async (transaction) => {
    const same = transaction
      .selectFrom('users')
      .select('id')
      .where('id', '=', id)
      .where('session_version', '=', session_version);
    if ((await lockForUpdate(same, transaction).executeTakeFirst()) === undefined) throw refused();
    await recordSignIn(id, 'By password', authorOf(from, services), transaction);
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
