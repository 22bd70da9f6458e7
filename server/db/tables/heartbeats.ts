/** Heartbeats of machines. */
import type { Generated } from 'kysely';

/** `heartbeats/heartbeat-rules.ts` decides what changes. Times are milliseconds since 1970. */
export interface HeartbeatsTable {
  id: Generated<number>;
  topic_id: number;
  /** The key of the last call; null if that key was revoked. */
  key_id: number | null;
  /** The machine's name, unique in the topic. */
  name: string;
  every_seconds: number;
  grace_seconds: number;
  created_at: number;
  last_at: number;
  /** The last heartbeat, or later: when watching began again after a pause or an outage. */
  watched_from: number;
  paused_at: number | null;
  /** When the topic was alerted; null once the machine is back. */
  silent_at: number | null;
  /** The last message about it: that alert, or that the machine is back. */
  alert_id: string | null;
}
