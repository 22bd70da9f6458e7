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
export interface SecondFactorsTable {
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
  /** Used rows stay, so that a restored backup does not revive a code. */
  used_at: number | null;
}
