/** How machines send: keys of topics, publishing, and the hooks of monitoring systems. Types only. */
import type { Message, Timestamp } from './common';
import type { MessageOptions, Priority } from './messages';

/** With it a machine sends to one topic, and does nothing else. */
export interface TopicKey {
  id: number;
  /** To 60 characters. Its messages have the sender `key: NAME`. */
  name: string;
  /** The key's first eight characters. */
  prefix: string;
  createdAt: Timestamp;
  /** To the minute; null if it was never used. */
  lastUsedAt: Timestamp | null;
  /** At least so many messages were held back, as the key was over its limit; kept for a day. */
  heldBack?: { alerts: number; since: Timestamp };
}

/** The priorities of ntfy: 1 and 2 are `info`, 3 is `normal`, 4 and 5 are `urgent`. */
export type NtfyPriority =
  | 1
  | 2
  | 3
  | 4
  | 5
  | '1'
  | '2'
  | '3'
  | '4'
  | '5'
  | 'min'
  | 'low'
  | 'default'
  | 'high'
  | 'max';

/**
 * A message as JSON. `topic`, `click` and `delay` are ntfy's: the topic is that of the key whatever
 * is named, `click` is `link`, and `delay` says when it is sent (seconds since 1970, `30m`, `2 h`,
 * `1 day`, `tomorrow, 10am`, or as `sendAt`). What else ntfy knows is passed over.
 */
export interface Publication extends Omit<MessageOptions, 'priority' | 'policyId' | 'undoSeconds'> {
  message?: string;
  priority?: Priority | NtfyPriority;
  topic?: string;
  click?: string;
  delay?: string | number;
}

/** What was published, in ntfy's words. */
export interface Published {
  /** Of the message. */
  id: string;
  /** When it leaves, or left, in seconds since 1970. */
  time: number;
  event: 'message';
  /** The topic's title. */
  topic: string;
  message: string;
}

/**
 * An alert as Alertmanager's webhook (version 4) and Grafana's tell of it; both send further fields.
 */
export interface Alert {
  status: 'firing' | 'resolved';
  labels: Record<string, string>;
  annotations?: Record<string, string>;
  /** When it began: with the fingerprint it says which one it is. */
  startsAt: string;
  /** When it ended, once it is resolved. */
  endsAt?: string;
  fingerprint: string;
  generatorURL?: string;
  /** Grafana's alone. */
  dashboardURL?: string;
  panelURL?: string;
}

/** Of more than a thousand alerts the first thousand are taken. */
export interface Alerts {
  alerts: Alert[];
  /** So many more were not taken. Alertmanager says so of its own, too. */
  truncatedAlerts?: number;
}

/** What became of the alerts: they sum up to all that were taken. */
export interface Hooked {
  /** So many messages were sent. */
  sent: number;
  /** So many ended, and their messages with them. */
  resolved: number;
  /** Of so many nothing was new. */
  unchanged: number;
}

/** Those without `/admin/` are opened by a key alone: `Authorization: Bearer KEY`. */
export interface KeyCalls {
  /** The newest first. */
  'GET /api/admin/topics/:id/keys': { answer: { keys: TopicKey[] } };
  /** `key` is told this once. */
  'POST /api/admin/topics/:id/keys': {
    body: { name: string };
    answer: TopicKey & { key: string };
  };
  /** From then on it opens nothing. */
  'DELETE /api/admin/keys/:id': { answer: Message };
  /**
   * Sends to the key's topic: text, or JSON. Title, priority, link and time of a text come from
   * headers and query, as ntfy has them. Takes an `Idempotency-Key`.
   */
  'POST /api/publish': { body: string | Publication; answer: Published };
  'PUT /api/publish': { body: string | Publication; answer: Published };
  /** The same, for scripts that name a topic behind the host; which one says the key. */
  'POST /api/publish/:topic': { body: string | Publication; answer: Published };
  'PUT /api/publish/:topic': { body: string | Publication; answer: Published };
  /** A message for each alert that began; what is over is resolved. Told again, nothing changes. */
  'POST /api/hooks/alertmanager': { body: Alerts; answer: Hooked };
  'POST /api/hooks/grafana': { body: Alerts; answer: Hooked };
}
