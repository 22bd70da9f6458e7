/** Challenges that a passkey signs. Stored, so that each is answered once. */
import { randomBytes } from 'node:crypto';
import type { Database } from '../../db/open';
import { HttpError } from '../../http/errors';
import { sha256 } from '../../lib/sha256';
import type { Services } from '../../services';

export const PASSKEY_CHALLENGE_LIFETIME_MS = 5 * 60_000;
/** Each new challenge removes this many expired ones, so that they do not pile up for an hour. */
const ENDED_AT_ONCE = 20;

/** @param userId who adds a passkey, which ends their former challenge; null for a sign-in */
export async function createPasskeyChallenge(
  userId: number | null,
  db: Database,
  now: number,
): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  if (userId !== null)
    await db.deleteFrom('passkey_challenges').where('user_id', '=', userId).execute();
  await db
    .deleteFrom('passkey_challenges')
    .where('hash', 'in', (build) =>
      build
        .selectFrom('passkey_challenges')
        .select('hash')
        .where('ends_at', '<', now)
        .orderBy('ends_at')
        .limit(ENDED_AT_ONCE),
    )
    .execute();
  await db
    .insertInto('passkey_challenges')
    .values({
      hash: sha256(challenge),
      user_id: userId,
      ends_at: now + PASSKEY_CHALLENGE_LIFETIME_MS,
    })
    .execute();
  return challenge;
}

/**
 * Uses up the challenge of the client data.
 * @throws HttpError 400 if it is expired or unknown
 */
export async function usePasskeyChallenge(
  clientDataJSON: string,
  userId: number | null,
  { db, now }: Pick<Services, 'db' | 'now'>,
): Promise<string> {
  const challenge = readChallenge(clientDataJSON);
  const consumedChallenge = await db
    .deleteFrom('passkey_challenges')
    .where('hash', '=', sha256(challenge))
    .where('user_id', userId === null ? 'is' : '=', userId)
    .where('ends_at', '>', now())
    .returning('hash')
    .executeTakeFirst();
  if (consumedChallenge === undefined)
    throw new HttpError(400, 'This took too long. Please start again.');
  return challenge;
}

/** Returns an empty text if the data has no challenge. */
function readChallenge(clientDataJSON: string): string {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
    return String(Object(data).challenge ?? '');
  } catch {
    return '';
  }
}
