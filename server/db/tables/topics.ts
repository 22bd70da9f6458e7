/** Topics, subscriptions, settings, topic keys, and alerts sent with keys. */
import type { Generated } from 'kysely';

export interface TopicsTable {
  id: Generated<number>;
  title: string;
  description: string;
  /** Title and description, NFKC and lower case, for searches. */
  search_key: Generated<string>;
  created_at: number;
  updated_at: number;
  policy_id: number | null;
}

export interface SubscriptionsTable {
  id: Generated<number>;
  user_id: number;
  topic_id: number;
  /** 0 for someone subscribed only as a member of a team. */
  by_name: Generated<0 | 1>;
  created_at: number;
}

/** A person's settings; no row means enabled. */
export interface AccountPreferencesTable {
  user_id: number;
  topic_id: number;
  enabled: 0 | 1;
}

/** A device's settings, which override the account's. */
export interface DevicePreferencesTable {
  device_id: number;
  /** The device's person, as in `device_reach`. */
  user_id: Generated<number | null>;
  topic_id: number;
  enabled: 0 | 1;
}

/** A key is valid while its row exists. */
export interface TopicKeysTable {
  id: Generated<number>;
  topic_id: number;
  name: string;
  /** The key's first eight characters, by which people recognize the key. */
  prefix: string;
  /** The key itself is not stored. Unique. */
  hash: string;
  created_at: number;
  /** The time of the last use, written at most once a minute. */
  last_used_at: number | null;
  /** Messages rejected in the hour from `held_back_at`, at least. */
  held_back: number | null;
  held_back_at: number | null;
  /** A bit for each of them, in base64 (`http/access/key-budget.ts`). */
  held_back_seen: string | null;
}

/** One occurrence of an alert of a monitoring system. */
export interface AlertsTable {
  /** The key's topic. Unique with `fingerprint` and `starts_at`. */
  topic_id: number;
  fingerprint: string;
  /** UTC with nine digits of fraction; empty if not given. */
  starts_at: string;
  /** The alert's message; null if the alert was resolved before it was announced. */
  message_id: string | null;
  resolved_at: number | null;
  /** The time of the alert's last report, written at most once a minute. */
  seen_at: number;
}
