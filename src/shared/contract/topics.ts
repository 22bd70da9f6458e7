/** Topics, who is subscribed to them, and a person's switches. */
import type { User } from './accounts';
import type { Message, Page, PageQuery, Timestamp } from './common';
import type { Preference, Subscription } from './subscriptions';

export interface Topic {
  id: number;
  title: string;
  description: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** What happens to its messages that are not answered. Missing in an older server's answer. */
  policyId?: number | null;
}

export type NotificationStatus = 'enabled' | 'disabled' | 'partial' | 'no_devices';

/** One subscriber of a topic, with how many of their devices would be notified. */
export interface Subscriber {
  id: number;
  createdAt: Timestamp;
  /** An older server tells no id. */
  user: Pick<User, 'username' | 'role'> & { id?: number };
  notificationStatus: NotificationStatus;
  enabledDevices: number;
  totalDevices: number;
}

/** What became of a wish for many people: `unchanged` are those who were as it wants them. */
export interface Changed {
  changed: number;
  unchanged: number;
}

export interface TopicPage extends Page {
  topics: Topic[];
}

export interface TopicCalls {
  'GET /api/notifications/my-subscriptions': { answer: Subscription[] };
  /** The older path of `my-subscriptions`: asked only where that one answers 404. */
  'GET /notifications/subscriptions': { answer: Subscription[] };
  /** The account's settings, one for each subscribed topic. */
  'GET /api/notifications/preferences': { answer: Preference[] };
  /** The settings in force on one of the caller's own devices. */
  'GET /api/notifications/preferences/:id': { answer: Preference[] };
  /** Sets a preference for one of the caller's own devices. */
  'PUT /api/notifications/preferences/:id': { body: Preference; answer: Preference };
  /** Sets a preference for the account; what single devices had set for the topic is dropped. */
  'PUT /api/notifications/preferences/global/:topicId': {
    body: { enabled: boolean };
    answer: Preference;
  };
  'GET /api/admin/topics': { query: PageQuery; answer: TopicPage };
  'POST /api/admin/topics': {
    body: { title: string; description: string; policyId?: number | null };
    answer: Topic;
  };
  /** `policyId` left out keeps what is set. */
  'PUT /api/admin/topics/:id': {
    body: { title: string; description: string; policyId?: number | null };
    answer: Topic;
  };
  'DELETE /api/admin/topics/:id': { answer: Message };
  'GET /api/admin/topics/:id/subscribers': { answer: Subscriber[] };
  /** Up to 10,000 people, all or none; who is named twice counts once. */
  'POST /api/admin/topics/:id/subscribers': { body: { userIds: number[] }; answer: Changed };
  'DELETE /api/admin/topics/:id/subscribers': { body: { userIds: number[] }; answer: Changed };
  'GET /api/admin/users/:id/subscriptions': { answer: Subscription[] };
  'GET /api/admin/users/:id/available-topics': { answer: Topic[] };
  /** Subscribing twice answers the same subscription. */
  'POST /api/admin/subscriptions': {
    body: { userId: number; topicId: number };
    answer: Subscription;
  };
  'DELETE /api/admin/subscriptions': { body: { userId: number; topicId: number }; answer: Message };
}
