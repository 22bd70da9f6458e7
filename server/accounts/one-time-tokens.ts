/** Links that work once: made, derived again for an administrator, and consumed. Only hashes are stored. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Database } from '../db/open';
import type { TokenPurpose } from '../db/schema';
import { hash } from '../hash';
import type { Services } from '../services';

const HOUR = 60 * 60 * 1000;
const lifetimes: Record<TokenPurpose, number> = {
  registration: 7 * 24 * HOUR,
  'email-verification': 3 * 24 * HOUR,
  'password-reset': HOUR,
};

/** 256 bits that need both the nonce and the server's secret: who reads the database alone can use no link. */
function deriveToken(purpose: TokenPurpose, nonce: string, secret: string): string {
  return createHmac('sha256', secret).update(`one-time token\0${purpose}\0${nonce}`).digest('base64url');
}

/** Makes a token, which replaces those that the account has for the same purpose. */
export async function issueToken(userId: number, purpose: TokenPurpose, db: Database, services: Services): Promise<string> {
  const nonce = randomBytes(16).toString('base64url');
  const token = deriveToken(purpose, nonce, services.config.jwtSecret);
  const now = services.now();
  await db.deleteFrom('one_time_tokens').where('user_id', '=', userId).where('purpose', '=', purpose).execute();
  await db
    .insertInto('one_time_tokens')
    .values({ user_id: userId, purpose, nonce, token_hash: hash(token), created_at: now, expires_at: now + lifetimes[purpose] })
    .execute();
  return token;
}

/** Whether the token could be consumed now: a cheap look before a password is hashed or anything locked for writing. */
export async function isGoodToken(token: string, purpose: TokenPurpose, db: Database, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('one_time_tokens')
    .select('id')
    .where('token_hash', '=', hash(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Uses a token up.
 * @returns the account it belongs to, or undefined if it never was, is used or has expired
 */
export async function consumeToken(token: string, purpose: TokenPurpose, db: Database, now: number): Promise<number | undefined> {
  const row = await db
    .deleteFrom('one_time_tokens')
    .where('token_hash', '=', hash(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  return row?.user_id;
}

/**
 * The registration tokens of these accounts, for an administrator to hand out again. One that has expired, or was made
 * under another secret, is replaced: whoever sees a link in the list can rely on it.
 */
export async function revealRegistrationTokens(userIds: number[], services: Services): Promise<Map<number, string>> {
  const tokens = new Map<number, string>();
  if (userIds.length === 0) return tokens;
  const rows = await services.db
    .selectFrom('one_time_tokens')
    .select(['user_id', 'nonce', 'token_hash'])
    .where('user_id', 'in', userIds)
    .where('purpose', '=', 'registration')
    .where('expires_at', '>', services.now())
    .execute();
  for (const row of rows) {
    const token = deriveToken('registration', row.nonce, services.config.jwtSecret);
    if (hash(token) === row.token_hash) tokens.set(row.user_id, token);
  }
  for (const userId of userIds) {
    if (!tokens.has(userId)) tokens.set(userId, await renew(userId, services));
  }
  return tokens;
}

const renew = (userId: number, services: Services): Promise<string> =>
  services.db.transaction().execute((transaction) => issueToken(userId, 'registration', transaction, services));
