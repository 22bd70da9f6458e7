import type { Priority } from '../../../src/shared/contract';

/** A row to be sent, with all that sending needs, as it stood just after the row was claimed. */
export interface Claim {
  id: number;
  /** Together with `id` it says whose claim this is. Milliseconds since 1970. */
  claimedUntil: number;
  /** Attempts before this one, those of processes that died included. */
  attempts: number;
  /** How many claims in a row before this one ended without a word. */
  lost: number;
  /** In whose queue it was, and where. */
  service: number;
  sortKey: number;
  message: ClaimedMessage;
  /** Why it is not wanted any more, or who is to get it. */
  recipient: ClaimedRecipient | undefined;
  /**
   * Where there is no recipient: the message was cancelled; or the device, the subscription or the
   * topic is gone, or every topic of the message was switched off for this device.
   */
  fallen: Fallen | undefined;
}

/** `answered`: it is to ring again, at somebody who has answered meanwhile. */
export type Fallen = 'cancelled' | 'unsubscribed' | 'answered';

interface ClaimedMessage {
  id: string;
  /** Of a test of this device, whose id it is; null for every other message. */
  testId: string | null;
  /** It tells of messages that waited for the end of quiet hours, and is none itself. */
  isDigest: boolean;
  /** The sender's, else the person's topic's, else `Fieldbell`. */
  title: string;
  text: string;
  /** The sender's: a path of the app, or an https address. */
  link: string | null;
  priority: Priority;
  answers: string[];
  /** When it left, or was to leave. Milliseconds since 1970, as all times here. */
  sentAt: number;
  expiresAt: number;
  /** 0 for the first ringing, then how often the message had rung again. */
  round: number;
}

export interface ClaimedRecipient {
  deviceId: number;
  userId: number;
  /** The first of the message's topics that the person was in; null for who is only named. */
  topicId: number | null;
  token: string;
  tokenHash: string;
  /** Of the person's entry; 0 for a test, which has none. */
  seq: number;
  /** How many entries the person has not read, at most 100. */
  unread: number;
}
