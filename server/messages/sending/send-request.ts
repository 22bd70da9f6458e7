/** What is asked for when a message is sent, and what is answered. */
import type { MessageOptions } from '../../../src/shared/contract';

/** What the sender is told, and whether it goes to any device. */
export interface SentAnswer {
  message: string;
  notified: boolean;
}
export type Accepted = SentAnswer & { messageId: string };

/** To the subscribers of one topic, or to an audience of topics and people. */
export type To = { topicId: number } | { topicIds?: number[]; userIds?: number[] };

export interface SendRequest extends MessageOptions {
  to: To;
  message: string;
  /** Null where that person was deleted, and for what a machine sends. */
  senderId: number | null;
  /** With which key of a topic a machine sends it. */
  key?: { id: number; name: string };
  /** What was asked for, where times in it went by the clock: the same request would differ. */
  asked?: object;
  /** Repeating a request with the same key sends nothing twice. */
  idempotencyKey: string | undefined;
}
