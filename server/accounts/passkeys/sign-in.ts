import type { Body, PasskeyRequest, ResponseOf } from '../../../src/shared/contract';
import { recordSignIn } from '../../audit/repeats';
import type { Database } from '../../db/open';
import type { PasskeyRow, UserRow } from '../../db/schema';
import { inTransaction } from '../../db/transaction';
import { createSession } from '../../http/access/session';
import { rateLimitAddress } from '../../http/connections/client-address';
import { HttpError } from '../../http/errors';
import { consumeLimit, refundLimit } from '../../http/rate-limits';
import type { Limit } from '../../http/rate-limits';
import { sha256 } from '../../lib/sha256';
import type { Services } from '../../services';
import { createAuditAuthor } from '../audit-author';
import { hasPassword } from '../own-account/confirm-password';
import { countAttempt, recordWrongAttempt, tooManyAttemptsError } from '../sign-in/attempts';
import { rememberBrowser } from '../sign-in/known-browsers';
import type { BrowserToken } from '../sign-in/known-browsers';
import { lockUnchangedAccount } from '../sign-in/lock-unchanged';
import { challengeError, findChallengeStep } from '../two-factor/challenge';
import type { ChallengeStep } from '../two-factor/challenge';
import { toUser } from '../users';
import {
  PASSKEY_CHALLENGE_LIFETIME_MS,
  createPasskeyChallenge,
  usePasskeyChallenge,
} from './challenges';
import { passkeyUserId, requirePasskeysEnabled } from './own-passkeys';
import { passkeyHost, verifyPasskeySignIn } from './verify';
import { MINUTE_MS } from '../../lib/durations';

type SignedChallenge = Body<'POST /api/auth/passkey'>;

/**
 * A login form asks when it is shown, and every few minutes. The second limit bounds how many
 * challenges are stored.
 */
const beginLimits = (callerAddress: string): Limit[] => [
  {
    key: ['passkey-begin', rateLimitAddress(callerAddress)],
    max: 300,
    windowMs: 15 * MINUTE_MS,
  },
  { key: ['passkey-begin-all'], max: 10_000, windowMs: PASSKEY_CHALLENGE_LIFETIME_MS },
];

/** @throws HttpError 409, 429 */
export async function createPasskeyRequest(
  callerAddress: string,
  services: Services,
): Promise<PasskeyRequest> {
  const { db, now } = services;
  requirePasskeysEnabled(services);
  const wait = await consumeLimit(beginLimits(callerAddress), db, now());
  if (wait !== undefined) throw tooManyAttemptsError(wait);
  return {
    challenge: await createPasskeyChallenge(null, db, now()),
    rpId: passkeyHost(services),
    timeout: PASSKEY_CHALLENGE_LIFETIME_MS,
    userVerification: 'required',
  };
}

const passkeyRejection = (): HttpError =>
  new HttpError(401, 'This passkey does not work here. Please sign in with your password.');

/**
 * A passkey replaces the password, but not the code: the passkey may be in a cloud account that
 * others can open.
 * @throws HttpError 400 for an expired challenge; 401, the same for every cause unless a code is
 * needed; 409, 429
 */
export async function signInWithPasskey(
  { clientToken, ...signedChallenge }: SignedChallenge,
  callerAddress: string,
  services: Services,
): Promise<ResponseOf<'POST /api/auth/login'>> {
  const { db } = services;
  requirePasskeysEnabled(services);
  const challenge = await usePasskeyChallenge(signedChallenge.clientDataJSON, null, services);
  const storedPasskey = await findPasskey(signedChallenge.id, db);
  const name = storedPasskey?.user.username_key ?? `passkey ${sha256(signedChallenge.id)}`;
  const account = { user: storedPasskey?.user, name };
  const attempt = await countAttempt(account, clientToken, callerAddress, services);
  const signedIn =
    storedPasskey &&
    (await verifyAndLock(
      signedChallenge,
      { storedPasskey, challenge, clientToken, callerAddress },
      services,
    ));
  if (storedPasskey === undefined || signedIn === undefined) {
    const failure = { detail: 'Wrong passkey', by: 'passkey' };
    await recordWrongAttempt(storedPasskey?.user.id, failure, attempt, callerAddress, services);
    throw passkeyRejection();
  }
  await refundLimit(attempt.wrongPasswordLimits, db);
  const { user } = storedPasskey;
  if (signedIn.step !== undefined) throw challengeError(user, signedIn.step, services);
  return {
    token: await createSession(user, services),
    user: toUser(user),
    clientToken: signedIn.browserToken,
  };
}

interface StoredPasskey {
  passkey: PasskeyRow;
  user: UserRow;
}

async function findPasskey(credentialId: string, db: Database): Promise<StoredPasskey | undefined> {
  const passkey = await db
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
  if (passkey === undefined) return undefined;
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', passkey.user_id)
    .executeTakeFirst();
  return user && { passkey, user };
}

interface PasskeyAttempt {
  storedPasskey: StoredPasskey;
  challenge: string;
  clientToken: BrowserToken;
  callerAddress: string;
}

type PasskeyResult =
  | { step: ChallengeStep; browserToken?: never }
  | { step?: never; browserToken: string };

/** @returns undefined if the passkey is wrong, or it or the account have changed or ended meanwhile */
async function verifyAndLock(
  response: SignedChallenge,
  { storedPasskey: { passkey, user }, challenge, clientToken, callerAddress }: PasskeyAttempt,
  services: Services,
): Promise<PasskeyResult | undefined> {
  const { db, now } = services;
  if (response.userHandle !== undefined && response.userHandle !== passkeyUserId(user.id))
    return undefined;
  if (!hasPassword(user, services.config)) return undefined;
  const count = await verifyPasskeySignIn(response, passkey, challenge, services);
  if (count === undefined) return undefined;
  const step = await findChallengeStep(user, services);
  return inTransaction(db, async (transaction) => {
    const lockedUser = await lockUnchangedAccount(user, transaction);
    if (lockedUser === undefined || lockedUser.suspended_at !== null) return undefined;
    const updatedPasskey = await transaction
      .updateTable('passkeys')
      .set({ sign_count: count, last_used_at: now() })
      .where('id', '=', passkey.id)
      .where('sign_count', '=', passkey.sign_count)
      .returning('id')
      .executeTakeFirst();
    if (updatedPasskey === undefined) return undefined;
    if (step !== undefined) return { step };
    const author = createAuditAuthor(callerAddress, services);
    await recordSignIn(user.id, 'With a passkey', author, transaction);
    return { browserToken: await rememberBrowser(user.id, clientToken, transaction, now()) };
  });
}
