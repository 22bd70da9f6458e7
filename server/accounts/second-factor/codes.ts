/** Whether a code is good, and how often somebody may try. */
import type { Transaction } from 'kysely';
import type { Database } from '../../db/open';
import type { Tables } from '../../db/schema';
import { HttpError } from '../../http/errors';
import { clearLimits, consumeLimit } from '../../http/rate-limits';
import type { Limit } from '../../http/rate-limits';
import { seal, unseal } from '../../lib/seal';
import type { Sealing } from '../../lib/seal';
import { sha256 } from '../../lib/sha256';
import type { Services } from '../../services';
import { makeGroups } from '../passwords/passwords';
import { isKnown } from '../sign-in/known-clients';
import type { ClientToken } from '../sign-in/known-clients';
import { stepOf } from './totp';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * Each known place has limits of its own: a stranger with the password cannot use them up.
 * @param place `sign-in` for strangers
 */
const limitsOf = (userId: number, place: string): Limit[] => [
  { key: ['second-factor', String(userId), place], max: 5, windowMilliseconds: 15 * MINUTE },
  { key: ['second-factor-day', String(userId), place], max: 40, windowMilliseconds: DAY },
];
const STRANGERS = 'sign-in';

/** Where a code is given: in a session of its person, or at a sign-in in some browser. */
type CodePlace = 'session' | { clientToken: ClientToken };

/**
 * Counts an attempt before its code is looked at. @returns what it was counted by, to be given back
 * where the code is good. @throws HttpError 429
 */
export async function countCode(
  userId: number,
  place: CodePlace,
  { db, now }: Services,
): Promise<Limit[]> {
  const own = place === 'session' ? place : await knownPlace(userId, place.clientToken, db);
  const limits = limitsOf(userId, own ?? STRANGERS);
  const wait = await consumeLimit(limits, db, now());
  if (wait !== undefined)
    throw new HttpError(429, 'Too many codes were tried. Please try again later.', wait);
  return limits;
}

const knownPlace = async (
  userId: number,
  clientToken: ClientToken,
  db: Database,
): Promise<string | undefined> =>
  (await isKnown(userId, clientToken, db)) ? (clientToken ?? undefined) : undefined;

/** For an operator who let the person in anew. */
export const forgetCodes = (userId: number, transaction: Transaction<Tables>): Promise<void> =>
  clearLimits([...limitsOf(userId, STRANGERS), ...limitsOf(userId, 'session')], transaction);

export const wrongCode = (): HttpError =>
  new HttpError(400, [{ message: 'This code is not right, or was used before.', path: 'code' }]);

const sealingOf = (userId: number, { config }: Pick<Services, 'config'>): Sealing => ({
  secret: config.jwtSecret,
  purpose: `second factor ${userId}`,
});

/** What somebody proves by: the app on their phone, or a code that they kept. */
type CodeKind = 'app' | 'recovery';

/**
 * Uses a code up. The caller holds the account's row, so that of two who bring the same code one
 * is refused.
 * @returns undefined if the code is wrong or was used before, and then nothing has changed
 */
export async function useCode(
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
  const secret = factor && unseal(factor.secret, sealingOf(userId, services));
  if (typeof secret !== 'string') return undefined;
  const step = await stepOf(digits, secret, services.now());
  if (step === undefined) return undefined;
  const used = await transaction
    .updateTable('second_factors')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst();
  return used && 'app';
}

/** Whether somebody is asked for a code when they sign in. */
export async function hasSecondFactor(userId: number, db: Database): Promise<boolean> {
  const row = db.selectFrom('second_factors').select('user_id').where('user_id', '=', userId);
  return (await row.executeTakeFirst()) !== undefined;
}

/**
 * Asks for codes from now on, in the place of what was asked for before.
 * @param step of the code that proved the secret, which counts no second time
 * @returns the recovery codes, which are told this once
 */
export async function switchOn(
  userId: number,
  { secret, step }: { secret: string; step: number },
  transaction: Transaction<Tables>,
  services: Services,
): Promise<string[]> {
  const row = {
    secret: seal(secret, sealingOf(userId, services)),
    last_step: step,
    created_at: services.now(),
  };
  await transaction
    .insertInto('second_factors')
    .values({ user_id: userId, ...row })
    .onConflict((before) => before.column('user_id').doUpdateSet(row))
    .execute();
  return makeRecoveryCodes(userId, transaction);
}

/** Asks for no code any more. @returns whether one was asked for */
export async function removeSecondFactor(userId: number, db: Database): Promise<boolean> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  const { numDeletedRows } = await db
    .deleteFrom('second_factors')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const RECOVERY_CODES = 10;

/** However it was typed or pasted. */
const hashOfRecoveryCode = (code: string): string =>
  sha256(code.toLowerCase().replace(/[^a-z0-9]/g, ''));

/**
 * Makes new recovery codes and ends those before. Only their hashes are kept: 79 bits each are
 * enough. @returns them, which are told this once
 */
export async function makeRecoveryCodes(
  userId: number,
  transaction: Transaction<Tables>,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => makeGroups(4, 4));
  await transaction.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await transaction
    .insertInto('recovery_codes')
    .values(
      codes.map((code) => ({ user_id: userId, hash: hashOfRecoveryCode(code), used_at: null })),
    )
    .execute();
  return codes;
}

/** @returns whether it was one of theirs, which is used now */
async function useRecoveryCode(
  userId: number,
  code: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const used = await transaction
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('hash', '=', hashOfRecoveryCode(code))
    .where('used_at', 'is', null)
    .returning('hash')
    .executeTakeFirst();
  return used !== undefined;
}
