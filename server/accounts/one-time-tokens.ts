/** Links that work once. Only hashes are stored. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Insertable, Transaction } from 'kysely';
import { lockForUpdate } from '../db/lock';
import type { Database } from '../db/open';
import type { Tables, TokenPurpose } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { sha256 } from '../lib/sha256';
import type { Services } from '../services';
import { MINUTE_MS, HOUR_MS } from '../lib/durations';

const lifetimes: Record<TokenPurpose, number> = {
  registration: 7 * 24 * HOUR_MS,
  'email-verification': 3 * 24 * HOUR_MS,
  'password-reset': HOUR_MS,
  'email-change': 24 * HOUR_MS,
  'new-phone': 10 * MINUTE_MS,
};

/** Needs the nonce and the server's secret: the database alone opens no link. */
function deriveToken(purpose: TokenPurpose, nonce: string, secret: string): string {
  return createHmac('sha256', secret)
    .update(`one-time token\0${purpose}\0${nonce}`)
    .digest('base64url');
}

export async function deleteTokens(
  userId: number,
  purposes: readonly TokenPurpose[],
  db: Database,
): Promise<void> {
  await db
    .deleteFrom('one_time_tokens')
    .where('user_id', '=', userId)
    .where('purpose', 'in', [...purposes])
    .execute();
}

export interface OneTimeLink {
  token: string;
  nonce: string;
  hash: string;
  createdAt: number;
  expiresAt: number;
}

export function createOneTimeLink(purpose: TokenPurpose, { config, now }: Services): OneTimeLink {
  const nonce = randomBytes(16).toString('base64url');
  const token = deriveToken(purpose, nonce, config.jwtSecret);
  const createdAt = now();
  const expiresAt = createdAt + lifetimes[purpose];
  return { token, nonce, hash: sha256(token), createdAt, expiresAt };
}

export async function issueToken(
  userId: number,
  purpose: TokenPurpose,
  db: Database,
  services: Services,
): Promise<string> {
  return (await issueLink(userId, purpose, db, services)).token;
}

type NewPhoneLinkColumns =
  | 'session_version'
  | 'former_email'
  | `creator_${'id' | 'session_id' | 'session_version'}`;

/** @param phone for a new phone's link: the conditions under which the link ends */
export async function issueLink(
  userId: number,
  purpose: TokenPurpose,
  db: Database,
  services: Services,
  phone?: Pick<Insertable<Tables['one_time_tokens']>, NewPhoneLinkColumns>,
): Promise<OneTimeLink> {
  const link = createOneTimeLink(purpose, services);
  const row = {
    nonce: link.nonce,
    token_hash: link.hash,
    created_at: link.createdAt,
    expires_at: link.expiresAt,
    ...phone,
  };
  await db
    .insertInto('one_time_tokens')
    .values({ user_id: userId, purpose, ...row })
    .onConflict((conflict) => conflict.columns(['user_id', 'purpose']).doUpdateSet(row))
    .execute();
  return link;
}

/** The owner of a token: a cheap check before a password is hashed or a row locked. */
export async function findTokenOwner(
  token: string,
  purpose: TokenPurpose,
  db: Database,
  now: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('one_time_tokens')
    .select('user_id')
    .where('token_hash', '=', sha256(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.user_id;
}

/**
 * Locks the account's row first, as a deletion does.
 * @returns undefined for an invalid token
 */
export async function consumeOneTimeToken(
  token: string,
  purpose: TokenPurpose,
  transaction: Transaction<Tables>,
  now: number,
): Promise<number | undefined> {
  const owner = await findTokenOwner(token, purpose, transaction, now);
  if (owner === undefined) return undefined;
  const account = transaction.selectFrom('users').select('id').where('id', '=', owner);
  await lockForUpdate(account, transaction).execute();
  const row = await transaction
    .deleteFrom('one_time_tokens')
    .where('token_hash', '=', sha256(token))
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .returning('user_id')
    .executeTakeFirst();
  return row?.user_id;
}

type TokenAndExpiry = Pick<OneTimeLink, 'token' | 'expiresAt'>;

export async function readOrRenewRegistrationTokens(
  userIds: number[],
  services: Services,
): Promise<Map<number, string>> {
  const links = await readOrRenewRegistrationLinks(userIds, services);
  return new Map([...links].map(([id, { token }]) => [id, token]));
}

/** Replaces links that expired or had another secret. A registered account has none. */
export async function readOrRenewRegistrationLinks(
  userIds: number[],
  services: Services,
): Promise<Map<number, TokenAndExpiry>> {
  const links = await readRegistrationLinks(userIds, services.db, services);
  for (const userId of userIds) {
    const link = links.get(userId) ?? (await renewLink(userId, services));
    if (link !== undefined) links.set(userId, link);
  }
  return links;
}

async function readRegistrationLinks(
  userIds: number[],
  db: Database,
  services: Services,
): Promise<Map<number, TokenAndExpiry>> {
  const links = new Map<number, TokenAndExpiry>();
  if (userIds.length === 0) return links;
  const rows = await db
    .selectFrom('one_time_tokens')
    .select(['user_id', 'nonce', 'token_hash', 'expires_at'])
    .where('user_id', 'in', userIds)
    .where('purpose', '=', 'registration')
    .where('expires_at', '>', services.now())
    .execute();
  for (const row of rows) {
    const token = deriveToken('registration', row.nonce, services.config.jwtSecret);
    if (sha256(token) === row.token_hash)
      links.set(row.user_id, { token, expiresAt: row.expires_at });
  }
  return links;
}

/** If two lists renew a link at once, the second shows the first one's link. */
function renewLink(userId: number, services: Services): Promise<TokenAndExpiry | undefined> {
  return inTransaction(services.db, async (transaction) => {
    // A write that changes nothing locks the row on both engines.
    const pendingUser = await transaction
      .updateTable('users')
      .set((update) => ({ session_version: update.ref('session_version') }))
      .where('id', '=', userId)
      .where('status', '=', 'PENDING')
      .returning('id')
      .executeTakeFirst();
    if (pendingUser === undefined) return undefined;
    const currentLinks = await readRegistrationLinks([userId], transaction, services);
    return currentLinks.get(userId) ?? issueLink(userId, 'registration', transaction, services);
  });
}
