import type { Transaction } from 'kysely';
import type { Database } from '../../db/open';
import type { Tables } from '../../db/schema';
import { HttpError } from '../../http/errors';
import { clearLimits, consumeLimit } from '../../http/rate-limits';
import type { Limit } from '../../http/rate-limits';
import { seal, unseal } from '../../lib/seal';
import type { SealOptions } from '../../lib/seal';
import { sha256 } from '../../lib/sha256';
import type { Services } from '../../services';
import { generateGroupedSecret } from '../passwords/passwords';
import { isKnownBrowser } from '../sign-in/known-browsers';
import type { BrowserToken } from '../sign-in/known-browsers';
import { findTotpStep } from './totp';
import { MINUTE_MS, DAY_MS } from '../../lib/durations';

/** Each known browser has its own limits, so a stranger with the password can't use them up. */
const codeLimits = (userId: number, place: string): Limit[] => [
  { key: ['second-factor', String(userId), place], max: 5, windowMs: 15 * MINUTE_MS },
  { key: ['second-factor-day', String(userId), place], max: 40, windowMs: DAY_MS },
];
const UNKNOWN_BROWSERS = 'sign-in';

type CodeOrigin = 'session' | { clientToken: BrowserToken };

/**
 * @returns the limits to refund if the code is right.
 * @throws HttpError 429
 */
export async function countCodeAttempt(
  userId: number,
  place: CodeOrigin,
  { db, now }: Services,
): Promise<Limit[]> {
  const ownPlace =
    place === 'session' ? place : await findKnownPlace(userId, place.clientToken, db);
  const limits = codeLimits(userId, ownPlace ?? UNKNOWN_BROWSERS);
  const wait = await consumeLimit(limits, db, now());
  if (wait !== undefined) throw new HttpError(429, 'Too many codes were tried.', wait);
  return limits;
}

const findKnownPlace = async (
  userId: number,
  clientToken: BrowserToken,
  db: Database,
): Promise<string | undefined> =>
  (await isKnownBrowser(userId, clientToken, db)) ? (clientToken ?? undefined) : undefined;

/** Lifts the limits of an account that an operator reset. */
export const clearCodeLimits = (userId: number, transaction: Transaction<Tables>): Promise<void> =>
  clearLimits(
    [...codeLimits(userId, UNKNOWN_BROWSERS), ...codeLimits(userId, 'session')],
    transaction,
  );

export const wrongCodeError = (): HttpError =>
  new HttpError(400, [{ message: 'This code is wrong or was already used.', path: 'code' }]);

const sealOptions = (userId: number, { config }: Pick<Services, 'config'>): SealOptions => ({
  secret: config.jwtSecret,
  purpose: `second factor ${userId}`,
});

type CodeKind = 'app' | 'recovery';

/**
 * The caller has locked the account's row, so a code works once.
 * @returns undefined if wrong
 */
export async function useSecondFactorCode(
  userId: number,
  code: string,
  transaction: Transaction<Tables>,
  services: Services,
): Promise<CodeKind | undefined> {
  const digits = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(digits))
    return (await useRecoveryCode(userId, code, transaction, services.now()))
      ? 'recovery'
      : undefined;
  const factor = await transaction
    .selectFrom('second_factors')
    .select('secret')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  const secret = factor && unseal(factor.secret, sealOptions(userId, services));
  if (typeof secret !== 'string') return undefined;
  const step = await findTotpStep(digits, secret, services.now());
  if (step === undefined) return undefined;
  const usedStep = await transaction
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst();
  return usedStep && 'app';
}

export async function hasTwoFactor(userId: number, db: Database): Promise<boolean> {
  const row = db.selectFrom('second_factors').select('user_id').where('user_id', '=', userId);
  return (await row.executeTakeFirst()) !== undefined;
}

/**
 * @param step of the code that proved the secret.
 * @returns the recovery codes, shown once
 */
export async function enableTwoFactor(
  userId: number,
  { secret, step }: { secret: string; step: number },
  transaction: Transaction<Tables>,
  services: Services,
): Promise<string[]> {
  const row = {
    secret: seal(secret, sealOptions(userId, services)),
    last_step: step,
    created_at: services.now(),
  };
  await transaction
    .insertInto('second_factors')
    .values({ user_id: userId, ...row })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute();
  return generateRecoveryCodes(userId, transaction);
}

/** @returns whether the account had a second factor */
export async function removeTwoFactor(userId: number, db: Database): Promise<boolean> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  const { numDeletedRows } = await db
    .deleteFrom('second_factors')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const RECOVERY_CODES = 10;

/** Ignores case and separators. */
const hashOfRecoveryCode = (code: string): string =>
  sha256(code.toLowerCase().replace(/[^a-z0-9]/g, ''));

/**
 * Stores hashes of codes of 79 bits.
 * @returns the codes, which are shown once
 */
export async function generateRecoveryCodes(
  userId: number,
  transaction: Transaction<Tables>,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => generateGroupedSecret(4, 4));
  await transaction.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await transaction
    .insertInto('recovery_codes')
    .values(
      codes.map((code) => ({ user_id: userId, hash: hashOfRecoveryCode(code), used_at: null })),
    )
    .execute();
  return codes;
}

/**
 * Uses the code up.
 * @returns whether the code was valid
 */
async function useRecoveryCode(
  userId: number,
  code: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const usedCode = await transaction
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('hash', '=', hashOfRecoveryCode(code))
    .where('used_at', 'is', null)
    .returning('hash')
    .executeTakeFirst();
  return usedCode !== undefined;
}
