/** What is known of a message that the server has just accepted, until its page has read it. */
import type { Priority } from '../../shared/contract';

export interface AcceptedMessage {
  id: string;
  title: string;
  message: string;
  priority: Priority;
  /** Whether it is sent at a later time. */
  later: boolean;
  /** Whether the server holds it for the seconds to undo it. */
  isHeld: boolean;
}

let acceptedMessage: AcceptedMessage | undefined;

export function noteAccepted(message: AcceptedMessage): void {
  acceptedMessage = message;
}

/** Returns it once, because the message may change. */
export function takeAccepted(id: string): AcceptedMessage | undefined {
  const accepted = acceptedMessage?.id === id ? acceptedMessage : undefined;
  acceptedMessage = undefined;
  return accepted;
}
