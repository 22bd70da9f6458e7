/**
 * Login tokens: JWTs signed with HS256 (RFC 7519), tied to the state that the account had when they
 * were given out.
 */
import { randomBytes } from 'node:crypto';
import type { webcrypto } from 'node:crypto';
import { SignJWT, errors, jwtVerify } from 'jose';
import * as v from 'valibot';
import type { Role } from '../../../src/shared/contract';
import type { Database } from '../../db/open';
import type { UserRow } from '../../db/schema';
import { HttpError } from '../errors';
import type { Services } from '../../services';

const HOUR = 60 * 60;
/** From the sign-in: somebody who may change everything proves now and then that it is them. */
const ADMIN_SECONDS = 12 * HOUR;
/** From the last use: people who only get messages should not miss one for want of a password. */
const SESSION_SECONDS = 30 * 24 * HOUR;

const claims = v.object({
  id: v.pipe(v.number(), v.safeInteger()),
  role: v.string(),
  type: v.literal('access'),
  v: v.number(),
  exp: v.number(),
  /** When the person signed in; this and `sid` as OpenID Connect names them. */
  auth_time: v.number(),
  /** The session, through all of its tokens. */
  sid: v.string(),
});
/** What a token that we signed says. Whether it still holds is the database's to say. */
export type SessionClaims = v.InferOutput<typeof claims>;

/** Whose request it is. */
export interface Session {
  /** As the database knows them now. */
  user: UserRow;
  sid: string;
}

const ENDED = 'You are not signed in, or your session has ended. Please sign in again.';
/** Not signed in, or not any more. */
export const sessionEnded = (): HttpError => new HttpError(401, ENDED);
/**
 * Its device was signed out: the app there forgets the person. The body says so, because a header
 * would have to be exposed to apps on other hosts.
 */
export const signedOut = (): HttpError => new HttpError(401, ENDED, undefined, 'signed_out');

const SID_BYTES = 16;
const makeSid = (): string => randomBytes(SID_BYTES).toString('base64url');
const seconds = (services: Services): number => Math.floor(services.now() / 1000);

/** As bytes it would be made a key again with every request. */
const keys = new WeakMap<Services['config'], Promise<webcrypto.CryptoKey>>();
function keyOf({ config }: Services): Promise<webcrypto.CryptoKey> {
  const known = keys.get(config);
  if (known !== undefined) return known;
  const bytes = new TextEncoder().encode(config.jwtSecret);
  const made = crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
  keys.set(config, made);
  return made;
}

const endOf = (role: Role, signedInAt: number, issuedAt: number): number =>
  role === 'ADMIN' ? signedInAt + ADMIN_SECONDS : issuedAt + SESSION_SECONDS;

/**
 * A login token for the account as it is now; it ends in its time, or when role or password change.
 */
export const createSession = (user: UserRow, services: Services): Promise<string> =>
  sign(user, { signedInAt: seconds(services), sid: makeSid() }, services);

/** When no token of a session that is used now can hold any more, whoever it is. */
export const lastEnd = (now: number): number => now + SESSION_SECONDS * 1000;

/**
 * Another token for a session that is used: with a whole term before it, except for
 * administrators. The session stays the same.
 * @param authorization of the session that asks, which is the user's
 * @param isAnother it is another session, which began when that one did
 */
export async function renewSession(
  authorization: string | undefined,
  user: UserRow,
  services: Services,
  isAnother = false,
): Promise<string> {
  const { auth_time, sid: former } = await readToken(authorization, services);
  const sid = isAnother ? makeSid() : former;
  return sign(user, { signedInAt: Math.min(auth_time, seconds(services)), sid }, services);
}

/** @param signedInAt in seconds since 1970 */
async function sign(
  user: UserRow,
  { signedInAt, sid }: { signedInAt: number; sid: string },
  services: Services,
): Promise<string> {
  const issuedAt = seconds(services);
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
    .setExpirationTime(endOf(user.role, signedInAt, issuedAt))
    .sign(await keyOf(services));
}

/**
 * The account that an `Authorization` header speaks for, read afresh, so that deletion and changes
 * count at once.
 * @throws HttpError 401, the same for every reason but that its device was signed out
 */
export async function readSession(
  authorization: string | undefined,
  services: Services,
): Promise<Session> {
  const said = await readToken(authorization, services);
  const { sid } = said;
  const found = await services.db
    .selectFrom('users')
    .selectAll()
    .select(({ exists, selectFrom }) =>
      exists(selectFrom('ended_sessions').select('user_id').where('session_id', '=', sid)).as(
        'isSignedOut',
      ),
    )
    .where('id', '=', said.id)
    .executeTakeFirst();
  if (found === undefined) throw sessionEnded();
  const { isSignedOut, ...user } = found;
  // First: a device that was signed out forgets the person, also where their password changed since.
  if (isSignedOut) throw signedOut();
  if (!isTokenCurrent(said, user)) throw sessionEnded();
  return { user, sid };
}

/** Which of these sessions were ended with their devices. */
export async function findSignedOut(sids: readonly string[], db: Database): Promise<Set<string>> {
  if (sids.length === 0) return new Set();
  const rows = await db
    .selectFrom('ended_sessions')
    .select('session_id')
    .where('session_id', 'in', sids)
    .execute();
  return new Set(rows.map(({ session_id }) => session_id));
}

/** Whether the account is as it was when the token was given out. */
export const isTokenCurrent = (
  said: SessionClaims,
  user: Pick<UserRow, 'role' | 'session_version' | 'status'>,
): boolean =>
  user.session_version === said.v && user.role === said.role && user.status === 'ACTIVE';

/** @throws HttpError 401 unless the header has a token of ours that has not run out */
export async function readToken(
  authorization: string | undefined,
  services: Services,
): Promise<SessionClaims> {
  const token = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw sessionEnded();
  try {
    const { payload } = await jwtVerify(token, await keyOf(services), {
      algorithms: ['HS256'],
      typ: 'JWT',
      currentDate: new Date(services.now()),
    });
    return v.parse(claims, payload);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof v.ValiError) throw sessionEnded();
    throw error;
  }
}
