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

/**
 * What only the device itself is told: the secret with which its worker may speak while the app is
 * closed. It is the same for as long as the device is registered.
 */
export interface RegisteredDevice extends Device {
  deviceKey: string;
}

/** How urgent a message is. */
export type Priority = 'info' | 'normal' | 'urgent';

/** `sending` while recipients are still written, or pushes are under way. */
export type MessageState = 'scheduled' | 'sending' | 'sent' | 'cancelled' | 'expired';

/** Counts of people. `displayed`, `read` and `acknowledged` are cumulative. */
export interface People {
  total: number;
  unreachable: number;
  muted: number;
  held: number;
  displayed: number;
  read: number;
  acknowledged: number;
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
  /** A username. Null once that person was deleted. */
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
}

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
  state: 'sent' | 'cancelled' | 'resolved';
  createdAt: Timestamp;
  expiresAt: Timestamp;
  readAt: Timestamp | null;
  acknowledgedAt: Timestamp | null;
  answer: string | null;
}

export type ReceiptKind = 'displayed' | 'read' | 'acknowledged';

/** What a device says of a message. */
export interface Receipt {
  messageId: string;
  kind: ReceiptKind;
  /** With `acknowledged`: one of the message's answers. */
  answer?: string;
  /** When it was so; else it is now. */
  at?: Timestamp;
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

export interface InboxQuery {
  after?: number;
  before?: number;
  /** 20 is the default, 100 the most. */
  limit?: number;
  query?: string;
  unread?: true;
}

/** A field that is left out is empty, or the default. */
export type NewTemplate = Pick<Template, 'name' | 'message'> &
  Pick<MessageOptions, 'title' | 'priority' | 'answers' | 'link'>;

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
 * What a browser keeps after signing in, signing out included, and sends the next time, also for
 * another person. Where a person signed in before, strangers cannot use up their attempts. It is
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
  /** `username` may be the e-mail address, too. */
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
  /** Another token for the session that asks: 30 days, for administrators 12 hours from sign-in. */
  'POST /api/auth/refresh': { answer: { token: string } };
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
  'POST /api/notifications/register-device': { body: DeviceRegistration; answer: RegisteredDevice };
  /** By the device's key: it got another push subscription while no page was open. */
  'PUT /api/notifications/device-token': { body: { deviceToken: string }; answer: Device };
  /**
   * The caller's inbox: with `after` the oldest first, else the newest first. `newest` is the
   * highest `seq` that there is, 0 for none.
   */
  'GET /api/notifications/messages': {
    query: InboxQuery;
    answer: { messages: InboxMessage[]; unread: number; newest: number };
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
    /** `state`: one, or several with commas between them. */
    query: PageQuery & { state?: string };
    answer: Page & { recipients: Recipient[] };
  };
  /**
   * All of them by id, as text (RFC 4180) instead of JSON, with the heading
   * `username,role,state,answer,late,displayedAt,readAt,acknowledgedAt`. A cell that a spreadsheet
   * would calculate begins with an apostrophe.
   */
  'GET /api/admin/messages/:id/recipients.csv': { answer: string };
  /**
   * Rings again at those who have not answered, or not read it where nothing was asked. 409 after
   * its end.
   */
  'POST /api/admin/messages/:id/repeat': { answer: { messageId: string; people: number } };
  /** What is still to leave stays. 409 where nothing is left to cancel. */
  'POST /api/admin/messages/:id/cancel': { answer: SentMessage };

  'GET /api/admin/templates': { answer: { templates: Template[] } };
  'POST /api/admin/templates': { body: NewTemplate; answer: Template };
  'PUT /api/admin/templates/:id': { body: NewTemplate; answer: Template };
  'DELETE /api/admin/templates/:id': { answer: Message };

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
