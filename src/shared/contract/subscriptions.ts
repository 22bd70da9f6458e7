/** A person's topics, and the switch of each. */
import type { Timestamp } from './common';

export interface Subscription {
  id: number;
  createdAt: Timestamp;
  topic: { id: number; title: string; description: string };
}

export interface Preference {
  topicId: number;
  enabled: boolean;
}

/** What the screen that comes after a sign-in shows, as the calls for each part would answer it. */
export interface FirstScreen {
  subscriptions: Subscription[];
  /** Of the account: no device is registered by then. */
  preferences: Preference[];
}
