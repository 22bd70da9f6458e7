import type { TwoFactorSetUp, TwoFactor } from '../../../src/shared/contract';
import { recordAudit } from '../../audit/record-audit';
import type { UserRow } from '../../db/schema';
import type { Transact } from '../../http/access/authority';
import { type HttpError, conflictError } from '../../http/errors';
import { refundLimit } from '../../http/rate-limits';
import type { Services } from '../../services';
import { confirmPerson, hasPassword } from '../own-account/confirm-password';
import type { AccountCaller } from '../own-account/confirm-password';
import {
  countCodeAttempt,
  hasTwoFactor,
  generateRecoveryCodes,
  removeTwoFactor,
  enableTwoFactor,
  useSecondFactorCode,
  wrongCodeError,
} from './codes';
import { beginTotpSetUp, confirmTotpSetUp } from './set-up';

export async function readTwoFactor(user: UserRow, { db, config }: Services): Promise<TwoFactor> {
  const { id } = user;
  const { unusedCodes } = await db
    .selectFrom('recovery_codes')
    .select(({ fn }) => fn.countAll<number>().as('unusedCodes'))
    .where('user_id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return {
    mode: config.adminTotp,
    isOn: await hasTwoFactor(id, db),
    recoveryCodesLeft: unusedCodes,
    hasPassword: hasPassword(user, config),
  };
}

const twoFactorDisabledError = (): HttpError =>
  conflictError('Authenticator apps are disabled. Ask your Fieldbell operator to set ADMIN_TOTP.');
const alreadySetUpError = (): HttpError =>
  conflictError(
    'You already have an authenticator app. Turn it off before you set up another one.',
  );
const notSetUpError = (): HttpError => conflictError('You have not set up an authenticator app.');

/**
 * Confirms the person first: a stranger at an open session could lock the owner out.
 * @throws HttpError 400, 403, 429 as `confirmPerson`; 409 if disabled or already set up
 */
export async function beginOwnTwoFactor(
  caller: AccountCaller,
  password: string | undefined,
  services: Services,
): Promise<TwoFactorSetUp> {
  const { user, transact } = caller;
  await transact(async (transaction) => {
    if (services.config.adminTotp === 'off') throw twoFactorDisabledError();
    if (await hasTwoFactor(user.id, transaction)) throw alreadySetUpError();
  });
  await confirmPerson(caller, password, services);
  return beginTotpSetUp(user, services);
}

/**
 * @returns the recovery codes.
 * @throws HttpError 400 for a wrong code; 409 as above
 */
export async function confirmOwnTwoFactor(
  body: { begun: string; code: string },
  userId: number,
  transact: Transact,
  services: Services,
): Promise<string[]> {
  return transact(
    async (transaction) => {
      if (services.config.adminTotp === 'off') throw twoFactorDisabledError();
      if (await hasTwoFactor(userId, transaction)) throw alreadySetUpError();
      const confirmedFactor = await confirmTotpSetUp(body, userId, services);
      const codes = await enableTwoFactor(userId, confirmedFactor, transaction, services);
      await recordAudit({ action: 'totp.on', person: userId }, transaction);
      return codes;
    },
    { isExclusive: true },
  );
}

/**
 * Replaces the recovery codes.
 * @throws HttpError 400, 409, 429
 */
export const renewRecoveryCodes = (
  code: string,
  userId: number,
  transact: Transact,
  services: Services,
): Promise<string[]> =>
  runWithCode(code, userId, transact, services, async (transaction) => {
    await recordAudit({ action: 'totp.codes', person: userId }, transaction);
    return generateRecoveryCodes(userId, transaction);
  });

/** @throws HttpError 400, 409, 429 */
export const turnOffOwnTwoFactor = (
  code: string,
  userId: number,
  transact: Transact,
  services: Services,
): Promise<unknown> =>
  runWithCode(code, userId, transact, services, async (transaction) => {
    await recordAudit({ action: 'totp.off', person: userId }, transaction);
    await removeTwoFactor(userId, transaction);
  });

/**
 * Runs `work` only with a second factor, which a stolen session lacks. Counts a wrong code as an attempt.
 * @throws HttpError 400, 409, 429
 */
async function runWithCode<Result>(
  code: string,
  userId: number,
  transact: Transact,
  services: Services,
  work: Parameters<typeof transact<Result>>[0],
): Promise<Result> {
  // This check comes first, so that a call without a second factor uses up no attempts.
  await transact(async (transaction) => {
    if (!(await hasTwoFactor(userId, transaction))) throw notSetUpError();
  });
  const attempt = await countCodeAttempt(userId, 'session', services);
  const outcome = await transact(
    async (transaction) => {
      const codeKind = await useSecondFactorCode(userId, code, transaction, services);
      if (codeKind === undefined) return undefined;
      if (codeKind === 'recovery')
        await recordAudit({ action: 'totp.recovery', person: userId }, transaction);
      return { result: await work(transaction) };
    },
    { isExclusive: true },
  );
  if (outcome === undefined) throw wrongCodeError();
  await refundLimit(attempt, services.db);
  return outcome.result;
}
