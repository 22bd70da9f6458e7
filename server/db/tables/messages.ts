/** What was sent, to whom, and how far it got. */
import type { Generated } from 'kysely';
import type { Priority, Stopped } from '../../../src/shared/contract';

export interface MessagesTable {
  /** A UUID: it is the notification's tag on every device. */
  id: string;
  /**
   * A `test` and a `digest` are in no inbox and no history. A test has a row of `tests` for each of
   * its pushes; a digest tells one person of messages that waited (`recipients.digest_id`).
   */
  kind: Generated<'message' | 'test' | 'digest'>;
  /** The first of its topics. Null once that was deleted, and for a message to people. */
  topic_id: number | null;
  /** Empty for a message to people. */
  topic_title: string;
  /** Null for what a machine sent, too. */
  sender_id: number | null;
  /** Of the topic's key that it was sent with. Kept after the key is gone, so no foreign key. */
  key_id: number | null;
  /** What that key was called. */
  key_name: string | null;
  /** The sender's; null where the topic's stands for it. */
  title: string | null;
  text: string;
  /** A path of the app, or an https address. */
  link: string | null;
  priority: Generated<Priority>;
  /** None to three texts, as JSON. */
  answers: Generated<string>;
  /** `AudienceIds` as JSON: of nobody for a test and a digest. */
  audience: Generated<string>;
  /** `writing` while its recipients are still written, in chunks. */
  state: Generated<'scheduled' | 'writing' | 'sent' | 'cancelled'>;
  /** When it leaves, or left; null means when it was created. */
  send_at: number | null;
  /** Up to which user's id its recipients are written, or rung again. */
  written_to: Generated<number>;
  /** The `sort_key` of the next row of the outbox that is written for it. */
  next_key: Generated<number>;
  /** For how many people it is. */
  people: Generated<number>;
  /** How often it rang again. */
  rounds: Generated<number>;
  /** Who is notified again at present: states of recipients with commas between; null: all. */
  repeat_states: string | null;
  /** A hash of all that was asked for; empty for a test and a digest. */
  fingerprint: Generated<string>;
  /** Topic and text, NFKC and lower case: what a search looks through. */
  search_key: Generated<string>;
  created_at: number;
  /** After this it is not wanted any more: pushes that are still pending are given up. */
  expires_at: number;
  /** Of the request that sent it; unique together with `sender_id`, and with `key_id`. */
  idempotency_key: string | null;
  /** What the sender was told, to be told again if the request comes again. */
  answer: Generated<string>;
  /** Whether that says that it goes to any device: 1 or 0. */
  notified: Generated<number>;
  /** Deliveries with that outcome whose rows the outbox keeps no longer. */
  accepted: Generated<number>;
  failed: Generated<number>;
  gone: Generated<number>;
  /** How many of those failed because the message had ended. */
  expired: Generated<number>;
  /** 1 once the outbox keeps none of its rows. */
  retired: Generated<0 | 1>;
  /** The policy as it was when it was sent (`Escalation` of the contract), as JSON. */
  policy: string | null;
  /** Why it does not escalate any more; null while it may, and once it has ended by time alone. */
  stopped: Exclude<Stopped, 'expired'> | null;
  stopped_at: number | null;
  /** Whose answer was the last that was needed, or who cancelled it. */
  stopped_by: number | null;
  /** When the alert that it tells of was over; its `state` is `cancelled` then. */
  resolved_at: number | null;
}

/** The topics that a message is for, in the sender's order. */
export interface MessageTopicsTable {
  message_id: string;
  topic_id: number;
  position: number;
}

/** How far the pushes for a person got; receipts are times. */
export type PushState = 'unreachable' | 'muted' | 'held' | 'pending' | 'failed' | 'accepted';

/**
 * The ledger: one row for each person that a message was for. It stays when the person is deleted;
 * then it names an id that is no account's.
 */
export interface RecipientsTable {
  message_id: string;
  /** Unique together with `message_id`. */
  user_id: number;
  /** Counts up from 1 for each person, without gaps: so a phone notices what it missed. */
  seq: number;
  /** The first of the message's topics that the person was in; null if only named. */
  topic_id: number | null;
  /** 1 for who is named in the audience: reached whatever the switches say. */
  named: Generated<0 | 1>;
  state: PushState;
  /** To how many devices it went. */
  devices: Generated<number>;
  /** How many pushes have not come to an end. */
  waiting: Generated<number>;
  /** How many pushes of the latest round that rang again were accepted. */
  round_accepted: Generated<number>;
  displayed_at: number | null;
  read_at: number | null;
  acknowledged_at: number | null;
  answer: string | null;
  /** 1 if the answer came after the message had ended. */
  late: Generated<0 | 1>;
  /** The digest by which the person was told of it, after quiet hours. */
  digest_id: string | null;
}

/** The highest `seq` of each person who ever got a message. */
export interface InboxesTable {
  user_id: number;
  last_seq: Generated<number>;
}

export interface TemplatesTable {
  id: Generated<number>;
  name: string;
  title: string | null;
  text: string;
  priority: Generated<Priority>;
  answers: Generated<string>;
  link: string | null;
}
