/**
 * The history that Insights shows. No row references a topic or a person, so history outlives both.
 * `topic_id` is 0 for all topics, and negative for a team: its members when it was recorded.
 */

/**
 * The messages sent in a quarter of an hour. All time zones differ by whole quarters, so their days
 * are exact sums of these rows.
 */
export interface InsightQuartersTable {
  topic_id: number;
  starts_at: number;
  /** When the row was last counted; receipts arrive later. */
  noted_at: number;
  messages: number;
  /** People who got the message through this topic. */
  recipients: number;
  displayed: number;
  read: number;
  /** Recipients of messages with answers. */
  asked: number;
  acknowledged: number;
  /** Answers of `acknowledged` that came within five minutes. */
  prompt: number;
  /** Milliseconds from accepted to displayed, as a JSON list (`insights/delays.ts`). */
  delays: string;
}

/** Rows are written once a day. */
export interface InsightReachTable {
  topic_id: number;
  noted_at: number;
  reachable: number;
  people: number;
}

/** The phones of a make that are reachable, late or silent, noted once a day. */
export interface InsightMakesTable {
  noted_at: number;
  make: string;
  devices: number;
  late: number;
  silent: number;
}

/** The same counts for one topic's subscribers or one team's members. Only the latest ones are kept. */
export interface InsightGroupMakesTable extends InsightMakesTable {
  topic_id: number;
}
