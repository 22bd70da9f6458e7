/**
 * The tables, as Kysely sees them. One schema for both engines: times are milliseconds since 1970,
 * truths are 0 or 1, and whatever must compare without regard to case has a folded copy in a
 * `…_key` column.
 */
import type { Generated, Selectable } from 'kysely';
import type { DeviceType, Priority, Role, UserStatus } from '../../src/shared/contract';

export interface Tables {
  users: UsersTable;
  one_time_tokens: OneTimeTokensTable;
  known_clients: KnownClientsTable;
  topics: TopicsTable;
  subscriptions: SubscriptionsTable;
  account_preferences: AccountPreferencesTable;
  devices: DevicesTable;
  push_services: PushServicesTable;
  device_preferences: DevicePreferencesTable;
  messages: MessagesTable;
  message_topics: MessageTopicsTable;
  recipients: RecipientsTable;
  inboxes: InboxesTable;
  templates: TemplatesTable;
  deliveries: DeliveriesTable;
  settings: SettingsTable;
  rate_limits: RateLimitsTable;
  requests: RequestsTable;
  jobs: JobsTable;
}

interface UsersTable {
  id: Generated<number>;
  username: string;
  /** NFKC and lower case; unique. */
  username_key: string;
  email: string | null;
  /** NFKC and lower case; unique where set. */
  email_key: string | null;
  email_verified_at: number | null;
  /** argon2id; null while PENDING. */
  password_hash: string | null;
  role: Role;
  status: UserStatus;
  /**
   * Part of every login token: raising it ends all tokens given out before (password or role
   * changed).
   */
  session_version: Generated<number>;
  created_at: number;
}

export type TokenPurpose = 'registration' | 'password-reset' | 'email-verification';

/**
 * Links that work once. Only the hash of the token is stored. `nonce` lets the server, and no one
 * who only has the database, derive a registration token again to show its link: token =
 * HMAC(server secret, purpose, nonce).
 */
interface OneTimeTokensTable {
  id: Generated<number>;
  user_id: number;
  /** Unique together with `user_id`. */
  purpose: TokenPurpose;
  nonce: string;
  /** SHA-256 of the token, base64url; unique. */
  token_hash: string;
  created_at: number;
  expires_at: number;
}

/**
 * Browsers in which somebody signed in (`accounts/known-clients.ts`). One browser may be several
 * people's.
 */
interface KnownClientsTable {
  user_id: number;
  /** SHA-256 of the token that the browser keeps, base64url. */
  token_hash: string;
  last_seen_at: number;
}

interface TopicsTable {
  id: Generated<number>;
  title: string;
  description: string;
  /** Title and description, NFKC and lower case: what a search looks through. */
  search_key: Generated<string>;
  created_at: number;
  updated_at: number;
}

interface SubscriptionsTable {
  id: Generated<number>;
  user_id: number;
  topic_id: number;
  created_at: number;
}

/** Only what a person set; no row means enabled. */
interface AccountPreferencesTable {
  user_id: number;
  topic_id: number;
  enabled: 0 | 1;
}

interface DevicesTable {
  id: Generated<number>;
  user_id: number;
  /** An FCM token, or a Web Push subscription as JSON text. */
  token: string;
  /** SHA-256 of the token, base64url; unique. Tokens are too long for an index. */
  token_hash: string;
  type: DeviceType;
  user_agent: string;
  created_at: number;
  last_seen_at: number;
  /** Its push service; 0 if it was registered by an earlier version. */
  service_id: Generated<number>;
  /** What its key is made of; empty until a person registers it with this version. */
  key_nonce: Generated<string>;
  /** SHA-256 of the token that its page knows: its worker may have replaced that since. */
  registered_hash: Generated<string>;
}

interface PushServicesTable {
  id: Generated<number>;
  /** The origin of a Web Push endpoint, or `fcm`; unique. */
  origin: string;
  /** When it last accepted a push, by the hour; null if it never did, or does so no longer. */
  proven_at: number | null;
}

/** What was set for one device; it goes before the account's setting. */
interface DevicePreferencesTable {
  device_id: number;
  topic_id: number;
  enabled: 0 | 1;
}

interface MessagesTable {
  /** A UUID: it is the notification's tag on every device. */
  id: string;
  /** The first of its topics. Null once that was deleted, and for a message to people. */
  topic_id: number | null;
  /** Empty for a message to people. */
  topic_title: string;
  sender_id: number | null;
  /** The sender's; null where the topic's stands for it. */
  title: string | null;
  text: string;
  /** A path of the app, or an https address. */
  link: string | null;
  priority: Generated<Priority>;
  /** None to three texts, as JSON. */
  answers: Generated<string>;
  /** `{ topicIds, userIds }` as JSON. */
  audience: Generated<string>;
  /** `writing` while its recipients are still written, in chunks. */
  state: Generated<'scheduled' | 'writing' | 'sent' | 'cancelled'>;
  /** When it leaves, or left; null means when it was created. */
  send_at: number | null;
  /** Up to which user's id its recipients are written, or rung again. */
  written_to: Generated<number>;
  /** The `sort_key` of the next row of the outbox that is written for it. */
  next_key: Generated<number>;
  /** For how many people it is. */
  people: Generated<number>;
  /** How often it rang again. */
  rounds: Generated<number>;
  /** A hash of all that was asked for; empty if an earlier version sent it. */
  fingerprint: Generated<string>;
  /** Topic and text, NFKC and lower case: what a search looks through. */
  search_key: Generated<string>;
  created_at: number;
  /** After this it is not wanted any more: pushes that are still pending are given up. */
  expires_at: number;
  /** Of the request that sent it; unique together with `sender_id`. */
  idempotency_key: string | null;
  /** What the sender was told, to be told again if the request comes again. */
  answer: Generated<string>;
  /** Deliveries with that outcome whose rows the outbox keeps no longer. */
  accepted: Generated<number>;
  failed: Generated<number>;
  gone: Generated<number>;
  /** How many of those failed because the message had ended. */
  expired: Generated<number>;
  /** 1 once the outbox keeps none of its rows. */
  retired: Generated<0 | 1>;
}

/** The topics that a message is for, in the sender's order. */
interface MessageTopicsTable {
  message_id: string;
  topic_id: number;
  position: number;
}

/** How far the pushes for a person got; receipts are times. */
export type PushState = 'unreachable' | 'muted' | 'held' | 'pending' | 'failed' | 'accepted';

/**
 * The ledger: one row for each person that a message was for. It stays when the person is deleted;
 * then it names an id that is no account's.
 */
interface RecipientsTable {
  message_id: string;
  /** Unique together with `message_id`. */
  user_id: number;
  /** Counts up from 1 for each person, without gaps. */
  seq: number;
  /** The first of the message's topics that the person was in; null if only named. */
  topic_id: number | null;
  /** 1 for who is named in the audience: reached whatever the switches say. */
  named: Generated<0 | 1>;
  state: PushState;
  /** To how many devices it went. */
  devices: Generated<number>;
  /** How many pushes have not come to an end. */
  waiting: Generated<number>;
  displayed_at: number | null;
  read_at: number | null;
  acknowledged_at: number | null;
  answer: string | null;
  /** 1 if the answer came after the message had ended. */
  late: Generated<0 | 1>;
}

/** The highest `seq` of each person who ever got a message. */
interface InboxesTable {
  user_id: number;
  last_seq: Generated<number>;
}

interface TemplatesTable {
  id: Generated<number>;
  name: string;
  title: string | null;
  text: string;
  priority: Generated<Priority>;
  answers: Generated<string>;
  link: string | null;
}

/**
 * The outbox: one row for each device of each message, until a week after the message has expired.
 * A row is claimed by raising `claimed_until` into the future; a claim that ran out (its process
 * died) is free again.
 */
export type DeliveryState = 'pending' | 'accepted' | 'failed' | 'gone' | 'skipped';

interface DeliveriesTable {
  id: Generated<number>;
  message_id: string;
  /** Whose device it is; 0 if an earlier version wrote the row. */
  user_id: Generated<number>;
  /** 0 for the first ringing, then how often the message had rung again. */
  round: Generated<number>;
  /** Kept after the device is gone, so no foreign key. */
  device_id: number;
  device_type: DeviceType;
  state: DeliveryState;
  /** Counted when it is claimed, so that one that ended the process counts too. */
  attempts: Generated<number>;
  /** Not before this time. */
  due_at: number;
  claimed_until: number | null;
  /** The push service in whose queue it is; 0 if that is not known. */
  service_id: Generated<number>;
  /** Its place in that queue, lowest first; see `outbox/order.ts`. */
  sort_key: Generated<number>;
  /**
   * Claims in a row that ran out without a word: of processes that died, perhaps because of this
   * row.
   */
  lost: Generated<number>;
  /** Why it is not accepted: a short code, never an address or token. */
  reason: string | null;
  updated_at: number;
}

/** Few named values that belong to the installation, such as its VAPID key pair (JSON text). */
interface SettingsTable {
  name: string;
  value: string;
}

/**
 * How much of a limit is used up: by `ends_at` nothing will be (`limits.ts`). The key is a hash: it
 * names no one.
 */
interface RateLimitsTable {
  key: string;
  /** Read only for limits that are strict. */
  count: number;
  ends_at: number;
}

/** Requests that made something and may come again (`http/idempotency.ts`), until `ends_at`. */
interface RequestsTable {
  /** A hash of the sender and the Idempotency-Key. */
  key: string;
  /** Who sent it; for a registration, whose it is. */
  user_id: number;
  /** A hash of all that was asked for, without any password. */
  fingerprint: string;
  /** What was made, as its feature needs it to answer again. */
  made: Generated<string>;
  ends_at: number;
}

/**
 * Work that is due at some time (`jobs.ts`), until it is done; one row for each kind and subject.
 */
interface JobsTable {
  id: Generated<number>;
  kind: string;
  /**
   * For mails the account's id; that of no account, where somebody asked for a mail to an unknown
   * address.
   */
  subject: string;
  created_at: number;
  due_at: number;
  /** Raised each time it is asked for again. */
  generation: Generated<number>;
  claimed_until: number | null;
  attempts: Generated<number>;
}

export type UserRow = Selectable<UsersTable>;
export type TopicRow = Selectable<TopicsTable>;
export type DeviceRow = Selectable<DevicesTable>;
export type MessageRow = Selectable<MessagesTable>;
export type RecipientRow = Selectable<RecipientsTable>;
export type TemplateRow = Selectable<TemplatesTable>;
export type DeliveryRow = Selectable<DeliveriesTable>;
