/** People, their links, and the browsers they signed in with. */
import type { Generated } from 'kysely';
import type { Invitation, LostDevice, Role, UserStatus } from '../../../src/shared/contract';

export interface UsersTable {
  id: Generated<number>;
  username: string;
  /** NFKC and lower case; unique. */
  username_key: string;
  email: string | null;
  /** NFKC and lower case; unique where set. */
  email_key: string | null;
  email_verified_at: number | null;
  /** argon2id; null while PENDING. */
  password_hash: string | null;
  role: Role;
  status: UserStatus;
  /** When and how the last device was lost; null where none ever was. */
  device_lost_at: number | null;
  device_lost_why: LostDevice['why'] | null;
  /**
   * Part of every login token: raising it ends all tokens given out before (password or role
   * changed). Every request reads the user anyway, so the check costs nothing.
   */
  session_version: Generated<number>;
  created_at: number;
}

export type TokenPurpose =
  | 'registration'
  | 'password-reset'
  | 'email-verification'
  | 'email-change';

/**
 * Links that work once. Only the hash of the token is stored. `nonce` lets the server, and no one
 * who only has the database, derive a registration token again to show its link: token =
 * HMAC(server secret, purpose, nonce).
 */
export interface OneTimeTokensTable {
  id: Generated<number>;
  user_id: number;
  /** Unique together with `user_id`. */
  purpose: TokenPurpose;
  nonce: string;
  /** SHA-256 of the token, base64url; unique. */
  token_hash: string;
  created_at: number;
  expires_at: number;
}

/** What became of somebody's registration link; no row where they were added one by one, and it was never opened. */
export interface InvitationsTable {
  user_id: number;
  mail: Generated<Invitation['mail']>;
  /** The same for all people of an import. */
  imported_at: number | null;
  /** When the page that it leads to was first asked for. */
  opened_at: number | null;
}

/**
 * Browsers in which somebody signed in (`accounts/sign-in/known-clients.ts`). One browser may be several
 * people's.
 */
export interface KnownClientsTable {
  user_id: number;
  /** SHA-256 of the token that the browser keeps, base64url. */
  token_hash: string;
  last_seen_at: number;
}

/**
 * Sessions that ended before their token does, as their device was signed out. Each is a row,
 * because a new `session_version` would sign out the person's other devices, too.
 */
export interface EndedSessionsTable {
  session_id: string;
  user_id: number;
  /** When the token would have ended at the latest. */
  ends_at: number;
}

/**
 * Addresses that people asked for, until the link that is mailed to them is opened, or `ends_at`.
 */
export interface EmailChangesTable {
  user_id: number;
  email: string;
  ends_at: number;
}
