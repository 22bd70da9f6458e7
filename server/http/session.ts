/**
 * Login tokens: JWTs signed with HS256 (RFC 7519), tied to the state that the account had when they
 * were given out.
 */
import { SignJWT, errors, jwtVerify } from 'jose';
import * as v from 'valibot';
import type { UserRow } from '../db/schema';
import { HttpError } from './errors';
import type { Services } from '../services';

const SESSION_SECONDS = 12 * 60 * 60;

const claims = v.object({
  id: v.pipe(v.number(), v.safeInteger()),
  role: v.string(),
  type: v.literal('access'),
  v: v.number(),
  exp: v.number(),
});

/** Not signed in, or not any more. */
export const ended = (): HttpError =>
  new HttpError(401, 'You are not signed in, or your session has ended. Please sign in again.');
const key = (services: Services): Uint8Array => new TextEncoder().encode(services.config.jwtSecret);

/**
 * A login token for the account as it is now; it ends after 12 hours, or when role or password
 * change.
 */
export function createSession(user: UserRow, services: Services): Promise<string> {
  const issuedAt = Math.floor(services.now() / 1000);
  return new SignJWT({
    id: user.id,
    username: user.username,
    role: user.role,
    type: 'access',
    v: user.session_version,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + SESSION_SECONDS)
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
  const token = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw ended();
  const said = await verify(token, services);
  const user = await services.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', said.id)
    .executeTakeFirst();
  if (user?.session_version !== said.v || user.role !== said.role || user.status !== 'ACTIVE')
    throw ended();
  return user;
}

async function verify(token: string, services: Services): Promise<v.InferOutput<typeof claims>> {
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
