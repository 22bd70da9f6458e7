/** What the installation itself keeps. */
import type { Generated } from 'kysely';

/** Few named values that belong to the installation, such as its VAPID key pair (JSON text). */
export interface SettingsTable {
  name: string;
  value: string;
}

/**
 * How much of a limit is used up: by `ends_at` nothing will be (`limits.ts`). The key is a hash: it
 * names no one.
 */
export interface RateLimitsTable {
  key: string;
  /** Read only for limits that are strict. */
  count: number;
  ends_at: number;
}

/** Requests that made something and may come again (`http/idempotency.ts`), until `ends_at`. */
export interface RequestsTable {
  /** A hash of the sender and the Idempotency-Key. */
  key: string;
  /** Who sent it; for a registration, whose it is. */
  user_id: number;
  /** A hash of all that was asked for, without any password. */
  fingerprint: string;
  /** What was made, as its feature needs it to answer again. */
  made: Generated<string>;
  ends_at: number;
}

/**
 * Work that is due at some time (`jobs/`), until it is done; one row for each kind and subject.
 */
export interface JobsTable {
  id: Generated<number>;
  kind: string;
  /**
   * For mails the account's id; that of no account, where somebody asked for a mail to an unknown
   * address.
   */
  subject: string;
  created_at: number;
  due_at: number;
  /** Raised each time it is asked for again. */
  generation: Generated<number>;
  claimed_until: number | null;
  attempts: Generated<number>;
}
