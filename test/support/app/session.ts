import type { Claims, Role } from '../../../src/shared/contract';
import { signInError, loadSession, restoreSession } from '../../../src/state/session';

const base64url = (value: unknown): string =>
  btoa(JSON.stringify(value)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

/** Creates a token that is valid for 30 days by default. */
export function createToken(change: Partial<Claims> & { iat?: number } = {}): string {
  const claims = {
    id: 7,
    username: 'm.okafor',
    role: 'TECHNICIAN',
    type: 'access',
    exp: Math.floor(Date.now() / 1000) + 30 * 24 * 3600,
    ...change,
  };
  return `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}.signature`;
}

export function signInAs(role: Role, change: Partial<Claims> = {}): string {
  const token = createToken({ role, ...change });
  localStorage.setItem('jwt_token', btoa(token));
  restoreSession();
  return token;
}

export function endSession(): void {
  localStorage.clear();
  loadSession();
  signInError.value = '';
}
