/**
 * Login tokens: JWTs signed with HS256 (RFC 7519), tied to the state that the account had when they
 * were given out.
 */
import { SignJWT, errors, jwtVerify } from 'jose';
import * as v from 'valibot';
import type { Role } from '../../src/shared/contract';
import type { UserRow } from '../db/schema';
import { HttpError } from './errors';
import type { Services } from '../services';

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
  iat: v.exactOptional(v.number()),
  /** When the password was typed, as OpenID Connect names it; earlier versions gave none. */
  auth_time: v.exactOptional(v.number()),
});
/** What a token that we signed says. Whether it still holds is the database's to say. */
export type SessionClaims = v.InferOutput<typeof claims>;

/** Not signed in, or not any more. */
export const ended = (): HttpError =>
  new HttpError(401, 'You are not signed in, or your session has ended. Please sign in again.');
const key = (services: Services): Uint8Array => new TextEncoder().encode(services.config.jwtSecret);
const seconds = (services: Services): number => Math.floor(services.now() / 1000);
const endOf = (role: Role, signedInAt: number, issuedAt: number): number =>
  role === 'ADMIN' ? signedInAt + ADMIN_SECONDS : issuedAt + SESSION_SECONDS;

/**
 * A login token for the account as it is now; it ends in its time, or when role or password change.
 */
export const createSession = (user: UserRow, services: Services): Promise<string> =>
  sign(user, seconds(services), services);

/**
 * Another token for a session that is used: with a whole term before it, except for
 * administrators.
 * @param authorization of the session that asks, which is the user's
 */
export async function renewSession(
  authorization: string | undefined,
  user: UserRow,
  services: Services,
): Promise<string> {
  const { auth_time, iat, exp } = await readToken(authorization, services);
  const signedInAt = auth_time ?? iat ?? exp - ADMIN_SECONDS;
  return sign(user, Math.min(signedInAt, seconds(services)), services);
}

/** @param signedInAt in seconds since 1970 */
function sign(user: UserRow, signedInAt: number, services: Services): Promise<string> {
  const issuedAt = seconds(services);
  return new SignJWT({
    id: user.id,
    username: user.username,
    role: user.role,
    type: 'access',
    v: user.session_version,
    auth_time: signedInAt,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(issuedAt)
    .setExpirationTime(endOf(user.role, signedInAt, issuedAt))
    .sign(key(services));
}

/**
 * The account that an `Authorization` header speaks for, read afresh, so that deletion and changes
 * count at once.
 * @throws HttpError 401, the same for every reason
 */
export async function readSession(
  authorization: string | undefined,
  services: Services,
): Promise<UserRow> {
  const said = await readToken(authorization, services);
  const user = await services.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', said.id)
    .executeTakeFirst();
  if (user === undefined || !holds(said, user)) throw ended();
  return user;
}

/** Whether the account is as it was when the token was given out. */
export const holds = (
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
  if (token === undefined) throw ended();
  try {
    const { payload } = await jwtVerify(token, key(services), {
      algorithms: ['HS256'],
      typ: 'JWT',
      currentDate: new Date(services.now()),
    });
    return v.parse(claims, payload);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof v.ValiError) throw ended();
    throw error;
  }
}
