/** Login tokens: JWTs signed with HS256 (RFC 7519), tied to the account's state at that time. */
import { randomBytes } from 'node:crypto';
import type { webcrypto } from 'node:crypto';
import { SignJWT, errors, jwtVerify } from 'jose';
import * as v from 'valibot';
import type { Role } from '../../../src/shared/contract';
import type { Database } from '../../db/open';
import type { UserRow } from '../../db/schema';
import { HttpError } from '../errors';
import type { Services } from '../../services';

const HOUR_SECONDS = 60 * 60;
/** Counts from the sign-in: administrators prove regularly who they are. */
const ADMIN_SECONDS = 12 * HOUR_SECONDS;
/** Counts from the last use: people should not miss messages because they must sign in again. */
const SESSION_SECONDS = 30 * 24 * HOUR_SECONDS;

const sessionClaims = v.object({
  id: v.pipe(v.number(), v.safeInteger()),
  role: v.string(),
  type: v.literal('access'),
  v: v.number(),
  exp: v.number(),
  /** When the person signed in; named as in OpenID Connect, like `sid`. */
  auth_time: v.number(),
  sid: v.string(),
});
/** The claims of a token that we signed. Only the database knows whether it is still valid. */
export type SessionClaims = v.InferOutput<typeof sessionClaims>;

export interface Session {
  user: UserRow;
  sid: string;
}

const SESSION_ENDED = 'You are not signed in, or your session has expired. Please sign in again.';
export const sessionEndedError = (): HttpError => new HttpError(401, SESSION_ENDED);
/** The app deletes what it knows. The code is in the body: other hosts can't read headers. */
export const signedOutError = (): HttpError =>
  new HttpError(401, SESSION_ENDED, undefined, 'signed_out');

const SID_BYTES = 16;
const createSessionId = (): string => randomBytes(SID_BYTES).toString('base64url');
const nowInSeconds = (services: Services): number => Math.floor(services.now() / 1000);

/** Cached: with raw bytes, each request would import the key again. */
const keys = new WeakMap<Services['config'], Promise<webcrypto.CryptoKey>>();
function importSessionKey({ config }: Services): Promise<webcrypto.CryptoKey> {
  const cachedKey = keys.get(config);
  if (cachedKey !== undefined) return cachedKey;
  const bytes = new TextEncoder().encode(config.jwtSecret);
  const key = crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
  keys.set(config, key);
  return key;
}

const sessionEnd = (role: Role, signedInAt: number, issuedAt: number): number =>
  role === 'ADMIN' ? signedInAt + ADMIN_SECONDS : issuedAt + SESSION_SECONDS;

/** A login token. It expires, and ends when the account's role or password changes. */
export const createSession = (user: UserRow, services: Services): Promise<string> =>
  signToken(user, { signedInAt: nowInSeconds(services), sid: createSessionId() }, services);

/** When the last token of a session in use now has expired, whatever its role. */
export const latestSessionEnd = (now: number): number => now + SESSION_SECONDS * 1000;

/** @param isAnother starts another session, which counts as signed in at the same time */
export async function renewSession(
  authorization: string | undefined,
  user: UserRow,
  services: Services,
  isAnother = false,
): Promise<string> {
  const { auth_time, sid: formerSessionId } = await readToken(authorization, services);
  const sid = isAnother ? createSessionId() : formerSessionId;
  return signToken(
    user,
    { signedInAt: Math.min(auth_time, nowInSeconds(services)), sid },
    services,
  );
}

/** @param signedInAt seconds since 1970 */
async function signToken(
  user: UserRow,
  { signedInAt, sid }: { signedInAt: number; sid: string },
  services: Services,
): Promise<string> {
  const issuedAt = nowInSeconds(services);
  return new SignJWT({
    id: user.id,
    username: user.username,
    role: user.role,
    type: 'access',
    v: user.session_version,
    auth_time: signedInAt,
    sid,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(issuedAt)
    .setExpirationTime(sessionEnd(user.role, signedInAt, issuedAt))
    .sign(await importSessionKey(services));
}

/**
 * Reads the session from the database at each request.
 * @throws HttpError 401, the same for every cause except a signed-out device
 */
export async function readSession(
  authorization: string | undefined,
  services: Services,
): Promise<Session> {
  const token = await readToken(authorization, services);
  const { sid } = token;
  const userRow = await services.db
    .selectFrom('users')
    .selectAll()
    .select(({ exists, selectFrom }) =>
      exists(selectFrom('ended_sessions').select('user_id').where('session_id', '=', sid)).as(
        'isSignedOut',
      ),
    )
    .where('id', '=', token.id)
    .executeTakeFirst();
  if (userRow === undefined) throw sessionEndedError();
  const { isSignedOut, ...user } = userRow;
  // This check comes first: a signed-out device deletes its data even after a new password.
  if (isSignedOut) throw signedOutError();
  if (!isTokenCurrent(token, user)) throw sessionEndedError();
  return { user, sid };
}

export async function findSignedOut(sids: readonly string[], db: Database): Promise<Set<string>> {
  if (sids.length === 0) return new Set();
  const rows = await db
    .selectFrom('ended_sessions')
    .select('session_id')
    .where('session_id', 'in', sids)
    .execute();
  return new Set(rows.map(({ session_id }) => session_id));
}

/** Whether the account's role, password, status and suspension are unchanged since the token was issued. */
export const isTokenCurrent = (
  token: SessionClaims,
  user: Pick<UserRow, 'role' | 'session_version' | 'status' | 'suspended_at'>,
): boolean =>
  user.session_version === token.v &&
  user.role === token.role &&
  user.status === 'ACTIVE' &&
  user.suspended_at === null;

/** @throws HttpError 401 unless the header has a valid token of ours */
export async function readToken(
  authorization: string | undefined,
  services: Services,
): Promise<SessionClaims> {
  const token = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw sessionEndedError();
  try {
    const { payload } = await jwtVerify(token, await importSessionKey(services), {
      algorithms: ['HS256'],
      typ: 'JWT',
      currentDate: new Date(services.now()),
    });
    return v.parse(sessionClaims, payload);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof v.ValiError)
      throw sessionEndedError();
    throw error;
  }
}
