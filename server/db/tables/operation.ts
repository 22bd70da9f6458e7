/** Data of the installation itself. */
import type { Generated } from 'kysely';

/** Named values, such as the VAPID key pair (JSON). */
export interface SettingsTable {
  name: string;
  value: string;
}

/** Usage of rate limits, empty again by `ends_at` (`http/rate-limits.ts`). */
export interface RateLimitsTable {
  key: string;
  /** Only strict limits use this. */
  count: number;
  ends_at: number;
}

/** Requests that may be repeated (`http/idempotency.ts`), until `ends_at`. */
export interface RequestsTable {
  /** A hash of the sender and the Idempotency-Key. */
  key: string;
  /** The sender; for a registration, its person. */
  user_id: number;
  /** A hash of the request, without passwords. */
  fingerprint: string;
  /** The result, from which the feature can write the response again. */
  made: Generated<string>;
  ends_at: number;
}

/** Pending jobs (`jobs/`), one per kind and subject. */
export interface JobsTable {
  id: Generated<number>;
  kind: string;
  /** A mail's subject is an account's id, or an unused id to hide that an address is unknown. */
  subject: string;
  created_at: number;
  due_at: number;
  /** Each new request of the job raises this number. */
  generation: Generated<number>;
  claimed_until: number | null;
  attempts: Generated<number>;
}
