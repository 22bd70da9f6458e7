import type { ResponseOf, TwoFactorSetUp, Body } from '../../../src/shared/contract';
import type { UserRow } from '../../db/schema';
import { recordFailure, recordSignIn } from '../../audit/repeats';
import { inTransaction } from '../../db/transaction';
import { createSession } from '../../http/access/session';
import { rateLimitAddress } from '../../http/connections/client-address';
import { refundLimit } from '../../http/rate-limits';
import type { Services } from '../../services';
import { rememberBrowser } from '../sign-in/known-browsers';
import { createAuditAuthor, recordOwnAction } from '../audit-author';
import { requireUser, toUser } from '../users';
import { readSignInChallenge, lockChallengedAccount, challengeExpiredError } from './challenge';
import {
  countCodeAttempt,
  hasTwoFactor,
  enableTwoFactor,
  useSecondFactorCode,
  wrongCodeError,
} from './codes';
import { beginTotpSetUp, confirmTotpSetUp } from './set-up';

/** @throws HttpError 400 for a wrong code or an expired challenge; 429 */
export async function passChallenge(
  { challenge, code, clientToken }: Body<'POST /api/auth/second-factor'>,
  callerAddress: string,
  services: Services,
): Promise<ResponseOf<'POST /api/auth/second-factor'>> {
  const { db, now, log } = services;
  const author = createAuditAuthor(callerAddress, services);
  const challengedUser = readSignInChallenge(challenge, 'second_factor', services);
  const attempt = await countCodeAttempt(challengedUser.id, { clientToken }, services);
  const outcome = await inTransaction(db, async (transaction) => {
    const user = await lockChallengedAccount(challengedUser, transaction);
    const codeKind = await useSecondFactorCode(user.id, code, transaction, services);
    if (codeKind === undefined) return undefined;
    const browserToken = await rememberBrowser(user.id, clientToken, transaction, now());
    const isRecovery = codeKind === 'recovery';
    if (isRecovery) await recordOwnAction('totp.recovery', user.id, author, transaction);
    const codeText = isRecovery ? 'With a recovery code' : 'With an authenticator code';
    await recordSignIn(user.id, codeText, author, transaction);
    return { user, browserToken };
  });
  if (outcome === undefined) {
    services.metrics.countSignInFailure('wrong');
    log.warn('sign-in failed', {
      user: challengedUser.id,
      network: rateLimitAddress(callerAddress),
      by: 'code',
    });
    await inTransaction(db, (transaction) =>
      recordFailure(challengedUser.id, 'Wrong code', author, transaction),
    );
    throw wrongCodeError();
  }
  await refundLimit(attempt, db);
  return createSignInResponse(outcome.user, outcome.browserToken, services);
}

async function createSignInResponse(
  user: UserRow,
  clientToken: string,
  services: Services,
): Promise<ResponseOf<'POST /api/auth/login'>> {
  return { token: await createSession(user, services), user: toUser(user), clientToken };
}

export async function beginSetUpAtSignIn(
  { challenge }: Body<'POST /api/auth/second-factor/begin'>,
  services: Services,
): Promise<TwoFactorSetUp> {
  const { id } = readSignInChallenge(challenge, 'second_factor_set_up', services);
  return beginTotpSetUp(await requireUser(id, services.db), services);
}

/** @throws HttpError 400 for a wrong code, an expired challenge, or an app set up meanwhile */
export async function confirmSetUpAtSignIn(
  { challenge, begun, code, clientToken }: Body<'POST /api/auth/second-factor/confirm'>,
  callerAddress: string,
  services: Services,
): Promise<ResponseOf<'POST /api/auth/second-factor/confirm'>> {
  const { db, now } = services;
  const challengedUser = readSignInChallenge(challenge, 'second_factor_set_up', services);
  const confirmedFactor = await confirmTotpSetUp({ begun, code }, challengedUser.id, services);
  const { user, browserToken, recoveryCodes } = await inTransaction(db, async (transaction) => {
    const account = await lockChallengedAccount(challengedUser, transaction);
    if (await hasTwoFactor(account.id, transaction)) throw challengeExpiredError();
    const codes = await enableTwoFactor(account.id, confirmedFactor, transaction, services);
    const token = await rememberBrowser(account.id, clientToken, transaction, now());
    const author = createAuditAuthor(callerAddress, services);
    await recordOwnAction('totp.on', account.id, author, transaction);
    await recordSignIn(account.id, 'With an authenticator code', author, transaction);
    return { user: account, recoveryCodes: codes, browserToken: token };
  });
  return { ...(await createSignInResponse(user, browserToken, services)), recoveryCodes };
}
