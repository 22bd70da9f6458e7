/** Teams and senders. */
import type { Generated } from 'kysely';

export interface TeamsTable {
  id: Generated<number>;
  name: string;
  /** NFKC and lower case; unique. */
  name_key: string;
  description: string;
  /** Name and description, NFKC and lower case, for searches. */
  search_key: string;
  created_at: number;
}

export interface TeamMembersTable {
  team_id: number;
  user_id: number;
}

/** Topics that a team's members are subscribed to; `subscriptions` has a row for each of them. */
export interface TeamTopicsTable {
  team_id: number;
  topic_id: number;
}

/** People who may send to a topic. */
export interface TopicSendersTable {
  topic_id: number;
  user_id: number;
}

/** Teams whose members may send to a topic. */
export interface TopicSenderTeamsTable {
  topic_id: number;
  team_id: number;
}
