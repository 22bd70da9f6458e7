/**
 * Codes that work once, for whoever has no phone at hand. Only their hashes are kept: with 79 bits
 * each, nobody tries them out.
 */
import type { Transaction } from 'kysely';
import type { Tables } from '../../db/schema';
import { sha256 } from '../../lib/sha256';
import { makeGroups } from '../passwords/passwords';

const CODES = 10;
const GROUPS = 4;
const LETTERS = 4;

/** However it was typed or pasted. */
const hashOf = (code: string): string => sha256(code.toLowerCase().replace(/[^a-z0-9]/g, ''));

/** Makes new ones, and ends those before. @returns them, which are told this once */
export async function makeRecoveryCodes(
  userId: number,
  transaction: Transaction<Tables>,
): Promise<string[]> {
  const codes = Array.from({ length: CODES }, () => makeGroups(GROUPS, LETTERS));
  await transaction.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await transaction
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ user_id: userId, hash: hashOf(code), used_at: null })))
    .execute();
  return codes;
}

/** @returns whether it was one of theirs, which is used now */
export async function useRecoveryCode(
  userId: number,
  code: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const used = await transaction
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('hash', '=', hashOf(code))
    .where('used_at', 'is', null)
    .returning('hash')
    .executeTakeFirst();
  return used !== undefined;
}
