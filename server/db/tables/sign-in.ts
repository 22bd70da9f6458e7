/** How people sign in besides a password. */

/** Whom a provider of OpenID Connect knows as whom: one of each for a person. */
export interface IdentitiesTable {
  /** The provider, as it calls itself. Unique together with `user_id`. */
  issuer: string;
  /** The person there (`sub`), whatever they are called. Unique together with `issuer`. */
  subject: string;
  user_id: number;
  linked_at: number;
}

/** Who is asked for a code of an authenticator app. */
export interface SecondFactorsTable {
  user_id: number;
  /** Sealed (`lib/seal.ts`): the database alone makes no code. */
  secret: string;
  /** The time step of the last code that was used (RFC 6238): none up to it counts again. */
  last_step: number;
  created_at: number;
}

/** Codes for whoever lost their phone. */
export interface RecoveryCodesTable {
  user_id: number;
  /** SHA-256 of the code, base64url. */
  hash: string;
  /** A row that is used stays, so that no restored backup makes its code good again. */
  used_at: number | null;
}
