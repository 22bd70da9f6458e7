import { randomInt } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import type { Options } from '@node-rs/argon2';

/** OWASP's password storage cheat sheet: argon2id with 19 MiB, two passes, one lane. */
const cost: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Normalizes a password: keyboards compose letters differently (NIST SP 800-63B, 3.1.1.2). */
const normalizePassword = (password: string): string => password.normalize('NFKC');

export const hashPassword = (password: string): Promise<string> =>
  hash(normalizePassword(password), cost);

let decoy: Promise<string> | undefined;

/** Takes just as long without a hash, so that the time does not reveal which names exist. */
export async function passwordMatches(
  passwordHash: string | null | undefined,
  password: string,
): Promise<boolean> {
  decoy ??= hashPassword('a password that no account has');
  const matches = await verify(passwordHash ?? (await decoy), normalizePassword(password));
  return matches && typeof passwordHash === 'string';
}

/** Contains no look-alikes, as the password may be typed from a screen. */
const PASSWORD_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

export function generateGroupedSecret(groups: number, letters: number): string {
  const randomGroup = (): string =>
    Array.from(
      { length: letters },
      () => PASSWORD_LETTERS[randomInt(PASSWORD_LETTERS.length)],
    ).join('');
  return Array.from({ length: groups }, randomGroup).join('-');
}

/** 99 bits. */
export const generatePassword = (): string => generateGroupedSecret(4, 5);
