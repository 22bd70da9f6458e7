/** Signing in and registration. */
import type { PasswordRules, Role, User, UserPage } from './accounts';
import type { Message, PageQuery } from './common';
import type { FirstScreen } from './subscriptions';

/** What a login token (a JWT) says. `exp` is in seconds since 1970. */
export interface Claims {
  id: number;
  username: string;
  role: Role;
  type?: string;
  exp: number;
  /** The session, through all of its tokens; an earlier server named none. */
  sid?: string;
}

/**
 * What a browser keeps after signing in, signing out included, and sends the next time, also for
 * another person. Where a person signed in before, strangers cannot use up their attempts. It is
 * random and names no one.
 */
export interface KnownClient {
  clientToken?: string | null | undefined;
}

export interface AccountCalls {
  /**
   * `username` may be the e-mail address, too. `firstScreen` saves who is no administrator a round
   * trip; it is left out where it would be large, and by an older server.
   */
  'POST /api/auth/login': {
    body: { username: string; password: string } & KnownClient;
    answer: { token: string; user: User; firstScreen?: FirstScreen } & KnownClient;
  };
  /**
   * Whose link it is; 400 'Invalid or expired registration link.' if it is not good. Uses nothing
   * up.
   */
  'GET /api/auth/registration/:token': {
    answer: { username: string; passwordRules: PasswordRules };
  };
  'GET /api/auth/password-rules': { answer: PasswordRules };
  /** Another token for the session that asks: 30 days, for administrators 12 hours from sign-in. */
  'POST /api/auth/refresh': { answer: { token: string } };
  /**
   * Where `/api/auth/oidc/start` was asked with `bind`, the SHA-256 (base64url) of a secret, its
   * callback leads to `/login#code=CODE`, which says something to who has the secret, once: a
   * `token`, or the challenge of a second step.
   */
  'POST /api/auth/oidc/handover': {
    body: { code: string; secret: string };
    answer: { name: 'token' | 'second_factor' | 'second_factor_set_up'; value: string };
  };
  'POST /api/auth/complete-registration': {
    body: { token: string; password: string; email: string } & KnownClient;
    answer: Message & KnownClient;
  };
  'POST /api/auth/request-password-reset': { body: { email: string }; answer: Message };
  'POST /api/auth/reset-password': {
    body: { token: string; password: string } & KnownClient;
    answer: Message & KnownClient;
  };
  'GET /api/auth/verify-email/:token': { answer: Message };
  'POST /api/auth/resend-verification': { body: { email: string }; answer: Message };
  'GET /api/admin/users': { query: PageQuery; answer: UserPage };
  'POST /api/admin/users': {
    body: { username: string; email?: string; role: Role };
    answer: { user: User; registrationLink: string };
  };
  'GET /api/admin/users/:id': { answer: User };
  'DELETE /api/admin/users/:id': { answer: Message };
  'PUT /api/admin/users/:id/role': { body: { role: Role }; answer: User };
}
