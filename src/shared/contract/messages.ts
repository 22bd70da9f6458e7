/** Sending messages, and how far they got. */
import type { User } from './accounts';
import type { Message, Page, PageQuery, Timestamp } from './common';
import type { Topic } from './topics';

/** How urgent a message is. */
export type Priority = 'info' | 'normal' | 'urgent';

/**
 * `sending` while recipients are still written, or pushes are under way. `resolved`: the alert that it
 * told of is over.
 */
export type MessageState = 'scheduled' | 'sending' | 'sent' | 'cancelled' | 'expired' | 'resolved';

/** Counts of people. `displayed`, `read` and `acknowledged` are cumulative. */
export interface People {
  total: number;
  unreachable: number;
  muted: number;
  held: number;
  displayed: number;
  read: number;
  acknowledged: number;
  /**
   * Who has not seen it, like the first three: with `displayed` all of these sum to `total`, but for
   * people who are still being added. Missing in an older server's answer.
   */
  pending?: number;
  accepted?: number;
  failed?: number;
}

/** A sent message and how far its delivery is; the five counts beside `createdAt` are devices. */
export interface SentMessage {
  id: string;
  /** The first of its topics. Null once that was deleted, and for a message to people. */
  topic: Pick<Topic, 'id' | 'title'> | null;
  message: string;
  createdAt: Timestamp;
  total: number;
  accepted: number;
  failed: number;
  gone: number;
  pending: number;
  /** The sender's; null where the topic's stands for it. */
  title: string | null;
  link: string | null;
  priority: Priority;
  answers: string[];
  topics: Pick<Topic, 'id' | 'title'>[];
  /** A username, or `key: NAME`. Null once that person was deleted. */
  sender: string | null;
  state: MessageState;
  /** When it leaves, or left. */
  sendAt: Timestamp;
  expiresAt: Timestamp;
  people: People;
  /** How many chose each answer. */
  tally: Record<string, number>;
}

/** The furthest that a message got with a person, in this order. */
export type RecipientState =
  | 'unreachable'
  | 'muted'
  | 'held'
  | 'pending'
  | 'failed'
  | 'accepted'
  | 'displayed'
  | 'read'
  | 'acknowledged';

/**
 * Why no push for a person was accepted: the message had ended, or was cancelled; the push service
 * knew the device no longer, or refused the push; the person did not want it any more.
 */
export type RecipientFailure = 'expired' | 'cancelled' | 'gone' | 'refused' | 'unwanted';

/** One person a message was for. */
export interface Recipient {
  /**
   * Null once that person was deleted. Who has not registered yet may come with their status and
   * the secret part of their link.
   */
  user:
    | (Pick<User, 'id' | 'username' | 'role'> & Partial<Pick<User, 'status' | 'registrationToken'>>)
    | null;
  state: RecipientState;
  answer: string | null;
  /** Whether the answer came after the message had ended. */
  late: boolean;
  displayedAt: Timestamp | null;
  readAt: Timestamp | null;
  acknowledgedAt: Timestamp | null;
  /** To how many devices it went. */
  devices: number;
  /**
   * Of `held`: when it rings, unless it has ended by then. Only then there, and not in an older
   * server's answer.
   */
  heldUntil?: Timestamp | null;
  /** Of `failed`, as long as the outbox keeps its pushes; not in an older server's answer. */
  failure?: RecipientFailure;
}

/** What a message may have besides its text. */
export interface MessageOptions {
  /** To 100 characters. */
  title?: string;
  /** A path of the app, or an https address. */
  link?: string;
  /** `normal` is the default. */
  priority?: Priority;
  answers?: string[];
  /** When it leaves: at most a year ahead; now is the default. */
  sendAt?: Timestamp;
  /** After `sendAt`; 24 hours after it is the default. */
  expiresAt?: Timestamp;
  /** What happens if it is not answered; null: nothing. The first topic's is the default. */
  policyId?: number | null;
  /**
   * 1 to 60: what would leave before leaves so many seconds from now, and can be cancelled until
   * then. An older server, whose audience has no `canUndo`, ignores it.
   */
  undoSeconds?: number;
}

/** A message that is saved to be sent again and again. */
export interface Template {
  id: number;
  name: string;
  title: string | null;
  message: string;
  priority: Priority;
  answers: string[];
  link: string | null;
}

/**
 * Whom a message would be for; either may be left out. Who is in several topics, or named as well,
 * is one person.
 */
export interface AudienceQuery {
  topicIds?: number[];
  userIds?: number[];
  /** `info` waits where it is quiet. */
  priority?: Priority;
}

/** How many people a message would be for; `people` is the sum of the others. */
export interface Audience {
  people: number;
  /**
   * At least one of their devices would be notified. Who is named is reached whatever the switches
   * say.
   */
  reachable: number;
  /** They have devices, and switched all of these topics off on all of them. */
  muted: number;
  /** They have no device that could be notified. */
  unreachable: number;
  /** It would wait for the end of their quiet hours. */
  held: number;
  /** When the last of these ends; null if nobody has to wait. Missing in an older server's answer. */
  heldUntil?: Timestamp | null;
  /** Whether the server knows `undoSeconds`. Missing in an older server's answer. */
  canUndo?: boolean;
}

/** A field that is left out is empty, or the default. */
export type NewTemplate = Pick<Template, 'name' | 'message'> &
  Pick<MessageOptions, 'title' | 'priority' | 'answers' | 'link'>;

export interface MessageCalls {
  /** `notified`: false where it goes to no device. */
  'POST /api/admin/notifications/send-topic/:topicId': {
    body: { message: string } & MessageOptions;
    answer: Message & { messageId: string; notified?: boolean };
  };
  /**
   * To several topics and single people, each person once. 400 where the audience of a message that
   * leaves now is empty.
   */
  'POST /api/admin/messages': {
    body: { topicIds?: number[]; userIds?: number[]; message: string } & MessageOptions;
    answer: Message & { messageId: string; notified: boolean };
  };
  /** Counts without fetching any of them. 400 for an id that does not exist. */
  'POST /api/admin/messages/audience': { body: AudienceQuery; answer: Audience };
  'GET /api/admin/messages': { query: PageQuery; answer: Page & { messages: SentMessage[] } };
  /** Has an ETag. */
  'GET /api/admin/messages/:id': { answer: SentMessage };
  'GET /api/admin/messages/:id/recipients': {
    /**
     * `state`: one, or several with commas between them; `not_answered` stands for all states in
     * which an answer may still come.
     */
    query: PageQuery & { state?: string };
    answer: Page & { recipients: Recipient[] };
  };
  /**
   * All of them by id, as text (RFC 4180) instead of JSON, with the heading
   * `username,role,state,answer,late,displayedAt,readAt,acknowledgedAt`. A cell that a spreadsheet
   * would calculate begins with an apostrophe. `state` as in the list.
   */
  'GET /api/admin/messages/:id/recipients.csv': { query: { state?: string }; answer: string };
  /**
   * Rings again at those who have not answered, or not read it where nothing was asked; with
   * `userIds` only at those of them who are named, and ids of others count for nobody; with `state`
   * only at those in these states, as in the list. The body may be left out. 409 after its end.
   */
  'POST /api/admin/messages/:id/repeat': {
    body: { userIds?: number[]; state?: string };
    answer: { messageId: string; people: number };
  };
  /** What is still to leave stays. 409 where nothing is left to cancel. */
  'POST /api/admin/messages/:id/cancel': { answer: SentMessage };
  'GET /api/admin/templates': { answer: { templates: Template[] } };
  'POST /api/admin/templates': { body: NewTemplate; answer: Template };
  'PUT /api/admin/templates/:id': { body: NewTemplate; answer: Template };
  'DELETE /api/admin/templates/:id': { answer: Message };
}
