import type { ResponseOf, Body } from '../../../src/shared/contract';
import type { Database } from '../../db/open';
import type { UserRow } from '../../db/schema';
import { inTransaction } from '../../db/transaction';
import { foldCase } from '../../../src/shared/case-fold';
import { recordFailure, recordSignIn } from '../../audit/repeats';
import { HttpError } from '../../http/errors';
import { refundLimit, refundLimitInTransaction } from '../../http/rate-limits';
import type { Services } from '../../services';
import { createAuditAuthor } from '../audit-author';
import { countAttempt, recordWrongAttempt } from './attempts';
import { rememberBrowser } from './known-browsers';
import type { BrowserToken } from './known-browsers';
import { lockUnchangedAccount } from './lock-unchanged';
import { passwordMatches } from '../passwords/passwords';
import { challengeError, findChallengeStep } from '../two-factor/challenge';
import { createSession } from '../../http/access/session';
import { toUser } from '../users';

type PasswordSignIn = 'POST /api/auth/login';
const createInvalidCredentialsError = (): HttpError =>
  new HttpError(401, 'Invalid username or password.');

/**
 * @throws HttpError 401, the same for every cause unless a second step is needed or the account is
 * suspended; 429
 */
export async function signInWithPassword(
  { username, password, clientToken }: Body<PasswordSignIn>,
  callerAddress: string,
  services: Services,
): Promise<ResponseOf<PasswordSignIn>> {
  const { db } = services;
  const name = foldCase(username.trim());
  requireAllowed(name, services);
  const user = await findAccount(name, db);
  // The attempt is counted first, so that simultaneous attempts don't pass the limit.
  const attempt = await countAttempt({ user, name }, clientToken, callerAddress, services);
  const matches = await passwordMatches(user?.password_hash, password);
  if (user === undefined || !matches) {
    const failure = { detail: 'Wrong password' };
    await recordWrongAttempt(user?.id, failure, attempt, callerAddress, services);
    throw createInvalidCredentialsError();
  }
  if (user.suspended_at !== null) {
    await inTransaction(db, async (transaction) => {
      await refundLimitInTransaction(attempt.wrongPasswordLimits, transaction);
      await recordFailure(
        user.id,
        'Suspended',
        createAuditAuthor(callerAddress, services),
        transaction,
      );
    });
    throw new HttpError(401, 'This account is suspended. Contact an administrator.');
  }
  const step = await findChallengeStep(user, services);
  if (step !== undefined) {
    await refundLimit(attempt.wrongPasswordLimits, db);
    throw challengeError(user, step, services);
  }
  const browserToken = await recordSignInAndBrowser(user, clientToken, callerAddress, services);
  await refundLimit(attempt.wrongPasswordLimits, db);
  return {
    token: await createSession(user, services),
    user: toUser(user),
    clientToken: browserToken,
  };
}

/**
 * The account of `ADMIN_USERNAME` keeps its password, for when the provider is down.
 * @throws HttpError 401
 */
function requireAllowed(name: string, { config }: Services): void {
  if (config.passwordSignIn || name === foldCase(config.adminUsername)) return;
  const company = config.oidc?.company ?? '';
  throw new HttpError(401, `Password sign-in is disabled. Sign in with ${company}.`);
}

/** Looks the name up as a username first, then as an email. */
const findAccount = (name: string, db: Database): Promise<UserRow | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where((row) => row.or([row('username_key', '=', name), row('email_key', '=', name)]))
    .orderBy((row) => row.case().when('username_key', '=', name).then(0).else(1).end())
    .limit(1)
    .executeTakeFirst();

/** Fails if the account has changed since the password was compared, as by a reset. */
function recordSignInAndBrowser(
  user: UserRow,
  clientToken: BrowserToken,
  callerAddress: string,
  services: Services,
): Promise<string> {
  const { db, now } = services;
  return inTransaction(db, async (transaction) => {
    if ((await lockUnchangedAccount(user, transaction)) === undefined)
      throw createInvalidCredentialsError();
    await recordSignIn(
      user.id,
      'With a password',
      createAuditAuthor(callerAddress, services),
      transaction,
    );
    return rememberBrowser(user.id, clientToken, transaction, now());
  });
}
