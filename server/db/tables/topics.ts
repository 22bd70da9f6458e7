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
  /** As in `device_reach`. */
  user_id: Generated<number | null>;
  topic_id: number;
  enabled: 0 | 1;
}
