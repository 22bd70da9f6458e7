/** Messages, their recipients, and progress. */
import type { Generated } from 'kysely';
import type { Priority, EscalationStopReason } from '../../../src/shared/contract';

export interface MessagesTable {
  /** A UUID, also the notification's tag. */
  id: string;
  /**
   * A `test` and a `digest` are in no inbox or history. A digest announces held messages. A
   * `reminder` of a check-in is in no history.
   */
  kind: Generated<'message' | 'test' | 'digest' | 'reminder'>;
  /** The message's first topic; null once it was deleted, and for a message to people. */
  topic_id: number | null;
  /** The title is empty for a message to people. */
  topic_title: string;
  /** The sender, null if the person was deleted or a machine sent the message. */
  sender_id: number | null;
  /** The topic key that sent the message. It is no foreign key: the message outlives the key. */
  key_id: number | null;
  key_name: string | null;
  /** The sender's; null to use the topic's. */
  title: string | null;
  text: string;
  /** A path of the app, or an https address. */
  link: string | null;
  priority: Generated<Priority>;
  /** Up to three texts, as JSON. */
  answers: Generated<string>;
  /** `NewTranslations` as JSON; null without any. */
  translations: string | null;
  /** The answers that call for help, one a line (`storeHelpAnswers`). Empty if an older server sent it. */
  help_answers: Generated<string>;
  /** `AudienceIds` as JSON; empty for a test or digest. */
  audience: Generated<string>;
  /** `writing` while recipients are written in chunks. */
  state: Generated<'scheduled' | 'writing' | 'sent' | 'cancelled'>;
  /** When the message is or was sent; null means when it was created. */
  send_at: number | null;
  /** The last user id written or notified again. */
  written_to: Generated<number>;
  /** The `sort_key` of the message's next outbox row. */
  next_key: Generated<number>;
  /** The number of recipients. */
  people: Generated<number>;
  /** How often people were notified again. */
  rounds: Generated<number>;
  /** Whom the current repeat notifies: comma-separated states; null: all. */
  repeat_states: string | null;
  /** A hash of the request; empty for a test or digest. */
  fingerprint: Generated<string>;
  /** Topic and text, NFKC and lower case, for searches. */
  search_key: Generated<string>;
  /** Title and text alone, folded alike, for searches of senders. */
  text_key: Generated<string>;
  created_at: number;
  /** Pending pushes are abandoned after this time. */
  expires_at: number;
  /** Comes from the sending request; unique with `sender_id` and with `key_id`. */
  idempotency_key: string | null;
  /** The reply to the sender, repeated with a repeated request. */
  answer: Generated<string>;
  /** 1 if that reply says that at least one device is notified. */
  notified: Generated<number>;
  /** Ended deliveries whose outbox rows were removed. */
  accepted: Generated<number>;
  failed: Generated<number>;
  gone: Generated<number>;
  /** The number of deliveries in `failed` that had expired. */
  expired: Generated<number>;
  /** 1 once the message has no outbox rows. */
  retired: Generated<0 | 1>;
  /** The policy at sending (the contract's `Escalation`), as JSON. */
  policy: string | null;
  /** Why the message no longer escalates; null while it may, and if it only expired. */
  stopped: Exclude<EscalationStopReason, 'expired'> | null;
  stopped_at: number | null;
  /** Who gave the last needed answer, or canceled the message. */
  stopped_by: number | null;
  /** When the message's alert was resolved, which cancels the message. */
  resolved_at: number | null;
  /** 1 if its sender had the right of a sender, not of an administrator. */
  as_sender: Generated<0 | 1>;
  /** Why a scheduled message waits for an administrator; null if the message does not wait. */
  withheld: 'no-sender' | null;
  /** Counts the texts that were sent, from 1. */
  revision: Generated<number>;
  /** When the message was last corrected. */
  revised_at: number | null;
  /** The revision that last asked for answers: only calls for help count from before it. */
  asked_revision: Generated<number>;
  /** The round that brought the newest revision, or the all-clear. */
  revision_round: Generated<number>;
  /** The last user id that this round has reached; `NO_ROUND` once it has reached all. */
  revised_to: Generated<number>;
  /** `FormerText[]` as JSON, oldest first; null without any. */
  former: string | null;
  all_clear_at: number | null;
  /** The words of the all-clear, if any. */
  all_clear: string | null;
  /** Who gave the all-clear. */
  all_clear_by: number | null;
  /** How many recipients could be notified; null while they are written, or for older messages. */
  reachable: number | null;
  /** `UnsentText[]` as JSON: the texts that were corrected before it was sent; null without any. */
  unsent: string | null;
  /** 1 if the message is the all-clear of a check-in, or tells the person about an all-clear. */
  is_all_clear: Generated<0 | 1>;
}

/** A message's topics, in the sender's order. */
export interface MessageTopicsTable {
  message_id: string;
  topic_id: number;
  position: number;
}

/** Push progress of a person; receipts are times. */
export type PushState = 'unreachable' | 'muted' | 'held' | 'pending' | 'failed' | 'accepted';

/** The ledger: one row per recipient. It outlives the person's account. */
export interface RecipientsTable {
  message_id: string;
  /** Unique with `message_id`. */
  user_id: number;
  /** Counts from 1 per person without gaps, so a phone notices missed messages. */
  seq: number;
  /** The first of the message's topics that the person was in; null if they were only named. */
  topic_id: number | null;
  /** The person's further topics of the message, such as `,2,5,`; null if there is one topic. */
  more_topics: string | null;
  /** 1 if the audience names the person, who is notified whatever their settings. */
  named: Generated<0 | 1>;
  state: PushState;
  /** The number of devices. */
  devices: Generated<number>;
  /** Pushes that have not ended. */
  waiting: Generated<number>;
  /** Accepted pushes of the latest repeat. */
  round_accepted: Generated<number>;
  displayed_at: number | null;
  read_at: number | null;
  acknowledged_at: number | null;
  answer: string | null;
  /** The note that the person added to the answer; removed with the person's account. */
  comment: string | null;
  /** 1 if the answer came after expiry. */
  late: Generated<0 | 1>;
  /** The digest that announced the message after quiet hours. */
  digest_id: string | null;
  /** The message's revision that the receipts belong to. */
  revision: Generated<number>;
  /** When the newest correction was displayed; null for messages that were not corrected. */
  correction_displayed_at: number | null;
  all_clear_displayed_at: number | null;
  /** 1 if the person read the message, but not its correction or its all-clear. */
  unread_again: Generated<0 | 1>;
  /** The revision that was answered; null without an answer, and if an older server wrote it. */
  answer_revision: number | null;
  /** `FormerAnswer[]` as JSON: answers to earlier revisions; removed with the account. */
  former: string | null;
}

/** The highest `seq` of each person. */
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
  /** JSON; null if the server decides which answers call for help. */
  help_answers: string | null;
  translations: string | null;
  link: string | null;
}
