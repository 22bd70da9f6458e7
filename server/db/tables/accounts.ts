/** People, their links, browsers and ways to sign in. */
import type { Generated } from 'kysely';
import type { Invitation, LostDevice, Role, UserStatus } from '../../../src/shared/contract';
import type { Language } from '../../../src/shared/languages';

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
  /** When the person was suspended; null for others. */
  suspended_at: number | null;
  /** May read messages, reachability, insights and the audit log, and change nothing. */
  is_auditor: Generated<0 | 1>;
  /** The language that the person chose; null follows the browser. */
  language: Language | null;
  /** The language of the browser that signed in or visited last; null if unknown. */
  browser_language: Language | null;
  /** When and how the last device was lost; null if none was. */
  device_lost_at: number | null;
  device_lost_why: LostDevice['why'] | null;
  /** Part of each login token: raising it ends all sessions. */
  session_version: Generated<number>;
  created_at: number;
}

export type TokenPurpose =
  | 'registration'
  | 'password-reset'
  | 'email-verification'
  | 'email-change'
  | 'new-phone';

/**
 * Links that work once, stored as hashes. With `nonce` the server derives a registration token
 * again to show its link: HMAC(server secret, purpose, nonce).
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
  /** A new phone's link stores the person's `session_version`. A later version ends the link. */
  session_version: number | null;
  /** The person or administrator who created a new phone's link. */
  creator_id: number | null;
  /** The session that created a new phone's link (`sid`). The link ends with that session. */
  creator_session_id: string | null;
  /** A new phone's link stores the creator's `session_version`. A later version ends the link. */
  creator_session_version: number | null;
  /** The person's address when a new phone's link was created: notified even after a change. */
  former_email: string | null;
}

/** A registration link's progress. No row: added one by one, and never opened. */
export interface InvitationsTable {
  user_id: number;
  mail: Generated<Invitation['mail']>;
  /** All people of an import share this value. */
  imported_at: number | null;
  /** When the link's page was first requested. */
  opened_at: number | null;
}

/** Browsers in which people signed in. Several people may share one. */
export interface KnownBrowsersTable {
  user_id: number;
  /** SHA-256 of the browser's token, base64url. */
  token_hash: string;
  last_seen_at: number;
}

/** Sessions whose device was signed out. A new `session_version` would end the others too. */
export interface EndedSessionsTable {
  session_id: string;
  user_id: number;
  /** The token's latest expiry. */
  ends_at: number;
}

/** Requested email addresses, until their mailed link is opened or expires. */
export interface EmailChangesTable {
  user_id: number;
  email: string;
  ends_at: number;
}

/** Identities of an OpenID Connect provider: one per person and per subject. */
export interface IdentitiesTable {
  /** The provider. Unique with `user_id`. */
  issuer: string;
  /** The provider's `sub`. Unique with `issuer`. */
  subject: string;
  user_id: number;
  linked_at: number;
}

/** Authenticator apps. */
export interface TwoFactorTable {
  user_id: number;
  /** Sealed (`lib/seal.ts`), so the database alone generates no code. */
  secret: string;
  /** The time step of the last used code (RFC 6238); earlier ones are rejected. */
  last_step: number;
  created_at: number;
}

/** Codes for people without their phone. */
export interface RecoveryCodesTable {
  user_id: number;
  /** SHA-256 of the code, base64url. */
  hash: string;
  /** Rows of used codes stay, so that a restored backup does not revive a code. */
  used_at: number | null;
}

/** Signs in instead of a password (WebAuthn). */
export interface PasskeysTable {
  /** A UUID. */
  id: string;
  user_id: number;
  /** The authenticator's id of the passkey, base64url; unique. */
  credential_id: string;
  /** COSE, base64url. */
  public_key: string;
  /** The authenticator's counter at the last use; many always send 0. */
  sign_count: number;
  name: string;
  created_at: number;
  last_used_at: number | null;
}

/** Each challenge can be answered once. */
export interface PasskeyChallengesTable {
  /** SHA-256 of the challenge, base64url. */
  hash: string;
  /** The person who adds a passkey; null for a sign-in. */
  user_id: number | null;
  ends_at: number;
}

export interface QuietHoursTable {
  user_id: number;
  /** IANA name. */
  time_zone: string;
  /** The contract's rules as JSON, one at least. */
  rules: string;
}
