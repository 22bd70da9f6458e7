/** Strangers can't use up the attempts in known browsers (OWASP's device cookies). */
import { randomBytes } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Database } from '../../db/open';
import type { Tables } from '../../db/schema';
import { sha256 } from '../../lib/sha256';

const MAX_KNOWN_BROWSERS = 20;
const BROWSER_TOKEN_PATTERN = /^[\w-]{22}$/;

/** The token that a browser sends (`clientToken` on the wire). An invalid token counts as none. */
export type BrowserToken = string | null | undefined;

/** An unknown username (undefined) runs the same query, so that both take the same time. */
export async function isKnownBrowser(
  userId: number | undefined,
  browserToken: BrowserToken,
  db: Database,
): Promise<boolean> {
  if (!BROWSER_TOKEN_PATTERN.test(browserToken ?? '')) return false;
  const row = await db
    .selectFrom('known_clients')
    .select('user_id')
    .where('token_hash', '=', sha256(browserToken ?? ''))
    .where('user_id', '=', userId ?? 0)
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns the token that the browser keeps: the sent token if it is known, or a new one */
export async function rememberBrowser(
  userId: number,
  browserToken: BrowserToken,
  transaction: Transaction<Tables>,
  now: number,
): Promise<string> {
  const token = (await isStoredToken(browserToken, transaction))
    ? (browserToken ?? '')
    : randomBytes(16).toString('base64url');
  await transaction
    .insertInto('known_clients')
    .values({ user_id: userId, token_hash: sha256(token), last_seen_at: now })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'token_hash']).doUpdateSet({ last_seen_at: now }),
    )
    .execute();
  await transaction
    .deleteFrom('known_clients')
    .where('user_id', '=', userId)
    .where('token_hash', 'not in', (build) =>
      build
        .selectFrom('known_clients')
        .select('token_hash')
        .where('user_id', '=', userId)
        .orderBy('last_seen_at', 'desc')
        .orderBy('token_hash')
        .limit(MAX_KNOWN_BROWSERS),
    )
    .execute();
  return token;
}

async function isStoredToken(browserToken: BrowserToken, db: Database): Promise<boolean> {
  if (!BROWSER_TOKEN_PATTERN.test(browserToken ?? '')) return false;
  const row = await db
    .selectFrom('known_clients')
    .select('user_id')
    .where('token_hash', '=', sha256(browserToken ?? ''))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
