import type { User } from '../../src/contract';
import { fold } from '../fold';
import { addressBlock } from '../http/address';
import { HttpError } from '../http/errors';
import { count, forgive, wasCounted } from '../limits';
import type { Limit } from '../limits';
import type { Services } from '../services';
import { isPassword } from './passwords';
import { createSession } from './sessions';
import { toUser } from './users';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** How long an address from which somebody signed in counts as theirs. */
const FAMILIAR_MILLISECONDS = 30 * DAY;

const familiarKey = (username: string, address: string): string[] => ['familiar', username, address];

/**
 * What failed attempts may add up to. The last two stop an attack from many addresses; they would also let an attacker
 * lock somebody out, so they do not count for an address from which that person signed in before.
 */
function limitsFor(username: string, address: string, familiar: boolean): Limit[] {
  const narrow: Limit[] = [
    { key: ['login', username, address], most: 10, windowMilliseconds: 15 * MINUTE },
    { key: ['login-address', address], most: 50, windowMilliseconds: 15 * MINUTE },
  ];
  if (familiar) return narrow;
  return [
    ...narrow,
    { key: ['login-account', username], most: 100, windowMilliseconds: 60 * MINUTE },
    { key: ['login-all'], most: 3000, windowMilliseconds: 10 * MINUTE },
  ];
}

/**
 * Signs a person in by name and password.
 * @throws HttpError 401, the same for every reason; 429 after too many failures
 */
export async function logIn(
  { username, password }: { username: string; password: string },
  from: string,
  services: Services,
): Promise<{ token: string; user: User }> {
  const { db } = services;
  const key = fold(username.trim());
  const address = addressBlock(from);
  const familiar = await wasCounted(familiarKey(key, address), db, services.now());
  const limits = limitsFor(key, address, familiar);
  // Counted before the password is looked at, so that many attempts at once are no way around it.
  const wait = await count(limits, db, services.now());
  if (wait !== undefined) throw new HttpError(429, 'Too many attempts to sign in. Please try again later.', wait);

  const user = await db.selectFrom('users').selectAll().where('username_key', '=', key).executeTakeFirst();
  const matches = await isPassword(user?.password_hash, password);
  if (user === undefined || !matches) throw new HttpError(401, 'Invalid username or password.');

  await forgive(limits, db);
  await count([{ key: familiarKey(key, address), most: Infinity, windowMilliseconds: FAMILIAR_MILLISECONDS }], db, services.now());
  return { token: await createSession(user, services), user: toUser(user) };
}
