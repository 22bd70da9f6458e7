/** Keys with which machines send to a topic, and the alerts that they told of. */
import type { Generated } from 'kysely';

/** A row is what makes its key good: deleting it revokes the key. */
export interface TopicKeysTable {
  id: Generated<number>;
  topic_id: number;
  name: string;
  /** The key's first eight characters, by which people tell one from another. */
  prefix: string;
  /** Of the key, which is kept nowhere. Unique. */
  hash: string;
  created_at: number;
  /** Written once a minute at most. */
  last_used_at: number | null;
  /** How many messages at least were held back in the hour that began at `held_back_at`. */
  held_back: number | null;
  held_back_at: number | null;
  /** Which they were: a bit for each, in base64 (`topics/key-budget.ts`). */
  held_back_seen: string | null;
}

/** An alert of a monitoring system: one time that something was wrong. */
export interface AlertsTable {
  /** Of the key by which it came. Unique together with `fingerprint` and `starts_at`. */
  topic_id: number;
  fingerprint: string;
  /** In UTC with nine digits of a second's fraction; empty where nobody says. */
  starts_at: string;
  /** Null if it was over before anybody was told of it. */
  message_id: string | null;
  resolved_at: number | null;
  /** When it was last told of; written once a minute at most. */
  seen_at: number;
}
