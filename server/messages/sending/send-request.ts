import type { MessageOptions } from '../../../src/shared/contract';

export interface SentResponse {
  message: string;
  notified: boolean;
}
export type AcceptedMessage = SentResponse & { messageId: string };

export type MessageAudience = (
  | { topicId: number }
  | { topicIds?: number[]; userIds?: number[]; teamIds?: number[] }
) & {
  /** The person whom an alarm is about. Such a message is sent even if it has no recipient. */
  exceptUserId?: number | undefined;
};

export interface SendRequest extends MessageOptions {
  to: MessageAudience;
  message: string;
  /** The sender's id, null if the person was deleted or a machine sends. */
  senderId: number | null;
  /** The author sends as a sender, who must have the right to send to each topic. */
  asSender?: true;
  key?: { id: number; name: string };
  /** Itself the all-clear of a check-in: it is neither corrected nor cleared. */
  isAllClear?: boolean;
  /** The original request, if it had relative times, which would differ in a repeat. */
  originalRequest?: object;
  /** A repeat with the same key sends nothing. */
  idempotencyKey: string | undefined;
}
