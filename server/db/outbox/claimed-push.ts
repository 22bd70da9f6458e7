import type { NewTranslations, Priority } from '../../../src/shared/contract';
import type { Language } from '../../../src/shared/languages';

/** A claimed row of the outbox with all that sending needs, as of its claim. */
export interface ClaimedPush {
  id: number;
  /** Identifies the claim, together with `id`. Milliseconds since 1970. */
  claimedUntil: number;
  /** The number of earlier attempts, including attempts of dead processes. */
  attempts: number;
  /** How many claims in a row expired before this claim. */
  lostClaims: number;
  /** The push service whose queue has the push, and the push's place there. */
  service: number;
  sortKey: number;
  message: ClaimedMessage;
  /** The recipient is undefined if the push is no longer wanted; `skipReason` says why. */
  recipient: ClaimedRecipient | undefined;
  /** `unsubscribed`: the device, subscription or topic is gone, or all topics are off there. */
  skipReason: SkipReason | undefined;
}

/** `answered`: a repeated push for a person who has answered. */
export type SkipReason = 'cancelled' | 'unsubscribed' | 'answered';

interface ClaimedMessage {
  id: string;
  /** The id of a device test; null for other messages. */
  testId: string | null;
  /** A digest announces messages held during quiet hours, and is not a message itself. */
  isDigest: boolean;
  /** A reminder asks a person who works alone whether they are OK. */
  isReminder: boolean;
  /** The sender's, else the topic's, else `Fieldbell`. */
  title: string;
  text: string;
  /** A path of the app, or an https address. */
  link: string | null;
  priority: Priority;
  answers: string[];
  /** The sender's translations, or all languages if the server wrote the text. */
  translations: NewTranslations;
  /** When the message was or should have been sent, in milliseconds since 1970, like all times. */
  sentAt: number;
  expiresAt: number;
  /** 0 for the first notification of the message's newest revision, then the repeat's number. */
  round: number;
  revision: number;
  /** The words of the all-clear, which may be empty; null without an all-clear. */
  allClear: string | null;
}

export interface ClaimedRecipient {
  deviceId: number;
  userId: number;
  /** The first of the message's topics the person was in; null if only named. */
  topicId: number | null;
  token: string;
  tokenHash: string;
  /** Chosen, else the browser's; null for the server's default. */
  language: Language | null;
  /** The number of the person's ledger row; 0 for a test. */
  seq: number;
  /** Unread messages, at most 100. */
  unread: number;
  /** The person's latest messages that no longer apply. */
  withdrawnIds: string[];
}
