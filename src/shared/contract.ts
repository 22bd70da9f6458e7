/**
 * What the app, the worker and the server agree on: the shapes and calls of the HTTP contract.
 * Types only, so it costs no byte anywhere. Paths, bodies and answers are written here once; the
 * app's client and the server's routes are both typed by `Endpoints`.
 */

export type Role = 'ADMIN' | 'TECHNICIAN' | 'CUSTOMER';
export type UserStatus = 'PENDING' | 'ACTIVE';
export type DeviceType = 'android' | 'ios' | 'web';

/** ISO 8601 in UTC with milliseconds, such as `2026-11-21T09:30:00.000Z`. */
export type Timestamp = string;

export interface User {
  id: number;
  username: string;
  email: string | null;
  role: Role;
  status: UserStatus;
  createdAt: Timestamp;
  /** Only while the status is PENDING: the secret part of the registration link. */
  registrationToken?: string;
}

export interface Topic {
  id: number;
  title: string;
  description: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export interface Subscription {
  id: number;
  createdAt: Timestamp;
  topic: Pick<Topic, 'id' | 'title' | 'description'>;
}

export type NotificationStatus = 'enabled' | 'disabled' | 'partial' | 'no_devices';

/** One subscriber of a topic, with how many of their devices would be notified. */
export interface Subscriber {
  id: number;
  createdAt: Timestamp;
  user: Pick<User, 'username' | 'role'>;
  notificationStatus: NotificationStatus;
  enabledDevices: number;
  totalDevices: number;
}

export interface Preference {
  topicId: number;
  enabled: boolean;
}

export interface DeviceRegistration {
  /** An FCM token, or a Web Push subscription object turned into JSON text. */
  deviceToken: string;
  deviceType: DeviceType;
  userAgent: string;
}

export interface Device extends DeviceRegistration {
  id: number;
  createdAt: Timestamp;
  lastSeenAt: Timestamp;
}

/** A sent message and how far its delivery is; the counts are devices. */
export interface SentMessage {
  id: string;
  /** Null once the topic was deleted. */
  topic: Pick<Topic, 'id' | 'title'> | null;
  message: string;
  createdAt: Timestamp;
  total: number;
  accepted: number;
  failed: number;
  gone: number;
  pending: number;
}

/** How urgent a message is. */
export type Priority = 'info' | 'normal' | 'urgent';

/**
 * Whom a message would be for; either may be left out. Who is in several topics, or named as well,
 * is one person.
 */
export interface AudienceQuery {
  topicIds?: number[];
  userIds?: number[];
  /** Changes nothing while there are no quiet hours. */
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
  /** It would wait for the end of their quiet hours: 0 until there are any. */
  held: number;
}

/** What the server asks of a new password, as facts that a form can check while somebody types. */
export interface PasswordRules {
  /** At least so many characters, counted as `String.length` does. */
  minLength: number;
  /** At most so many. */
  maxLength: number;
  /** Whether the most common passwords are refused. Only the server has the list. */
  notCommon: boolean;
}

/** A page of a list: `total` counts all rows that match, `page` starts at 1. */
interface Page {
  total: number;
  page: number;
  limit: number;
}
export interface TopicPage extends Page {
  topics: Topic[];
}
export interface UserPage extends Page {
  users: User[];
}
export interface PageQuery {
  page?: number;
  limit?: number;
  /** Text to look for; absent or empty means all. */
  query?: string;
}

/** What a login token (a JWT) says. `exp` is in seconds since 1970. */
export interface Claims {
  id: number;
  username: string;
  role: Role;
  type?: string;
  exp: number;
}

/** The body of every answer that is not 2xx. */
export interface ErrorBody {
  error: string | { message: string; path?: string }[];
}

interface Message {
  message: string;
}

/**
 * What a browser keeps after signing in, signing out included, and sends the next time, whoever
 * signs in then. Where a person signed in before, strangers cannot use up their attempts. It is
 * random and names no one.
 */
interface KnownClient {
  clientToken?: string | null | undefined;
}

/**
 * Every call: its method and path (`:name` marks a parameter), what it takes and what it answers. A
 * call without `body` sends none; one without `query` takes none. Completing a registration, adding
 * a user or a topic, and sending a message take an `Idempotency-Key` header: with the same key
 * nothing is done again, and the answer is alike.
 */
export interface Endpoints {
  'POST /api/auth/login': {
    body: { username: string; password: string } & KnownClient;
    answer: { token: string; user: User } & KnownClient;
  };
  /**
   * Whose link it is; 400 'Invalid or expired registration link.' if it is not good. Uses nothing
   * up.
   */
  'GET /api/auth/registration/:token': {
    answer: { username: string; passwordRules: PasswordRules };
  };
  'GET /api/auth/password-rules': { answer: PasswordRules };
  'POST /api/auth/complete-registration': {
    body: { token: string; password: string; email: string } & KnownClient;
    answer: Message & KnownClient;
  };
  'POST /api/auth/request-password-reset': { body: { email: string }; answer: Message };
  'POST /api/auth/reset-password': {
    body: { token: string; password: string } & KnownClient;
    answer: Message & KnownClient;
  };
  'GET /api/auth/verify-email/:token': { answer: Message };
  'POST /api/auth/resend-verification': { body: { email: string }; answer: Message };

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
  'POST /api/notifications/register-device': { body: DeviceRegistration; answer: Device };
  'DELETE /api/notifications/unregister-device': { body: { deviceToken: string }; answer: Message };
  'GET /api/notifications/devices': { answer: Device[] };
  'GET /api/notifications/vapid-key': { answer: { publicKey: string } };

  'GET /api/admin/topics': { query: PageQuery; answer: TopicPage };
  'POST /api/admin/topics': { body: { title: string; description: string }; answer: Topic };
  'PUT /api/admin/topics/:id': { body: { title: string; description: string }; answer: Topic };
  'DELETE /api/admin/topics/:id': { answer: Message };
  'GET /api/admin/topics/:id/subscribers': { answer: Subscriber[] };
  /** `notified`: false where it goes to no device. */
  'POST /api/admin/notifications/send-topic/:topicId': {
    body: { message: string };
    answer: Message & { messageId: string; notified?: boolean };
  };
  /** Counts without fetching any of them. 400 for an id that does not exist. */
  'POST /api/admin/messages/audience': { body: AudienceQuery; answer: Audience };
  'GET /api/admin/messages': { query: PageQuery; answer: Page & { messages: SentMessage[] } };
  'GET /api/admin/messages/:id': { answer: SentMessage };

  'GET /api/admin/users': { query: PageQuery; answer: UserPage };
  'POST /api/admin/users': {
    body: { username: string; email?: string; role: Role };
    answer: { user: User; registrationLink: string };
  };
  'GET /api/admin/users/:id': { answer: User };
  'DELETE /api/admin/users/:id': { answer: Message };
  'PUT /api/admin/users/:id/role': { body: { role: Role }; answer: User };
  'GET /api/admin/users/:id/subscriptions': { answer: Subscription[] };
  'GET /api/admin/users/:id/available-topics': { answer: Topic[] };
  /** Subscribing twice answers the same subscription. */
  'POST /api/admin/subscriptions': {
    body: { userId: number; topicId: number };
    answer: Subscription;
  };
  'DELETE /api/admin/subscriptions': { body: { userId: number; topicId: number }; answer: Message };

  /**
   * 503 while the database cannot answer. `delivery` never makes it fail: `refused` is a push
   * service that does not take our credentials, `late` a push that should have left minutes ago.
   * The same holds for `mail`:
   * `failing`
   * is a mail server that takes none, `late` a mail that should have left minutes ago.
   */
  'GET /api/health': {
    answer: {
      status: 'ok';
      version: string;
      delivery: 'ok' | 'late' | 'refused';
      mail: 'ok' | 'late' | 'failing';
    };
  };
}

export type Endpoint = keyof Endpoints;
export type Body<E extends Endpoint> = Endpoints[E] extends { body: infer B } ? B : undefined;
export type Query<E extends Endpoint> = Endpoints[E] extends { query: infer Q } ? Q : undefined;
export type Answer<E extends Endpoint> = Endpoints[E]['answer'];

/** The names after `:` in a path: `'/a/:id/b/:name'` → `'id' | 'name'`. */
export type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
