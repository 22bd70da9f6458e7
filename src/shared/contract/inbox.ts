/** A person's messages, and what devices say of them. */
import type { Timestamp } from './common';
import type { Priority } from './messages';
import type { Topic } from './topics';

/** A message as one of its recipients has it. */
export interface InboxMessage {
  id: string;
  /** Counts up from 1 for each person, without gaps. It pages and catches up, never a time. */
  seq: number;
  /** The sender's, else the topic's, else `Fieldbell`. */
  title: string;
  message: string;
  /** The first of its topics that the person is in; null for a message to people. */
  topic: Pick<Topic, 'id' | 'title'> | null;
  /** A path of the app, or an https address. */
  link: string | null;
  priority: Priority;
  /** None to three texts of 1 to 24 characters. Without any, nothing is asked. */
  answers: string[];
  /** `resolved`: the alert that it told of is over. Nothing is asked any more of what is not `sent`. */
  state: 'sent' | 'cancelled' | 'resolved';
  createdAt: Timestamp;
  expiresAt: Timestamp;
  readAt: Timestamp | null;
  acknowledgedAt: Timestamp | null;
  answer: string | null;
  /** Only then there: a policy rings it again at whoever has not answered. */
  ringsAgain?: true;
}

/**
 * `received` and `refused` are of tests alone: the worker runs; the system takes no notification.
 */
export type ReceiptKind = 'received' | 'refused' | 'displayed' | 'read' | 'acknowledged';

/** What a device says of a message. */
export interface Receipt {
  messageId: string;
  kind: ReceiptKind;
  /** With `acknowledged`: one of the message's answers. */
  answer?: string;
  /** When it was so; else it is now. */
  at?: Timestamp;
  /** The person did it in the app: even told by a device's key, it proves no notification. */
  inApp?: boolean;
}

export interface InboxQuery {
  after?: number;
  before?: number;
  /** 20 is the default, 100 the most. */
  limit?: number;
  query?: string;
  unread?: true;
}

export interface InboxCalls {
  /**
   * The caller's inbox: with `after` the oldest first, else the newest first. `newest` is the
   * highest `seq` that there is, 0 for none. `closed` says how many of the newest twenty are
   * cancelled or resolved by now, `answered` how many this person has answered, on any device;
   * neither is in an older server's answer.
   */
  'GET /api/notifications/messages': {
    query: InboxQuery;
    answer: {
      messages: InboxMessage[];
      unread: number;
      newest: number;
      closed?: number;
      answered?: number;
    };
  };
  /** 404 unless the caller was a recipient of it. */
  'GET /api/notifications/messages/:id': { answer: InboxMessage };
  /**
   * By a login token or a device's key; at most 100. The first of a kind wins; what was not for
   * that person, or not offered, is left out. `recorded` counts those that were new.
   */
  'POST /api/notifications/receipts': {
    body: { receipts: Receipt[] };
    answer: { recorded: number };
  };
}
