/** What people see and change of their own account, and all that is kept on them. Types only. */
import type { Role, UserStatus } from './accounts';
import type { AuditEntry } from './audit';
import type { Timestamp } from './common';
import type { DeviceType } from './devices';
import type { Priority } from './messages';
import type { QuietRule } from './quiet-hours';
import type { LostDevice } from './reach';
import type { Test } from './tests';

/** One's own account. */
export interface OwnAccount {
  id: number;
  username: string;
  email: string | null;
  /** Whether a link that was mailed to it was opened. */
  emailVerified: boolean;
  /** An address that was asked for; it counts once the link that was mailed to it is opened. */
  pendingEmail: string | null;
  role: Role;
  /**
   * False for who signs in by the company alone: a sign-in of the last ten minutes stands for it. An
   * earlier server does not say.
   */
  hasPassword?: boolean;
  createdAt: Timestamp;
}

/** A topic that somebody is subscribed to. */
export interface KeptTopic {
  id: number;
  title: string;
  subscribedAt: Timestamp;
  /** For all devices that have no setting of their own. */
  enabled: boolean;
}

/** A device, without what opens anything. */
export interface KeptDevice {
  id: number;
  deviceType: DeviceType;
  userAgent: string;
  model: string | null;
  installed: boolean | null;
  /** Whose push service it is: the origin of its endpoint, or `fcm`. */
  pushService: string;
  createdAt: Timestamp;
  lastSeenAt: Timestamp;
  lastAcceptedAt: Timestamp | null;
  lastDisplayedAt: Timestamp | null;
  /** What was set for this device alone. */
  topics: { id: number; enabled: boolean }[];
}

/** A message that somebody was sent, and what is known of it. */
export interface KeptMessage {
  id: string;
  seq: number;
  title: string;
  message: string;
  topic: string | null;
  link: string | null;
  priority: Priority;
  createdAt: Timestamp;
  expiresAt: Timestamp;
  /** How far its pushes got, and to how many devices. */
  state: 'unreachable' | 'muted' | 'held' | 'pending' | 'failed' | 'accepted';
  devices: number;
  displayedAt: Timestamp | null;
  readAt: Timestamp | null;
  acknowledgedAt: Timestamp | null;
  answer: string | null;
  late: boolean;
}

/** A message that somebody sent. */
export interface KeptSent {
  id: string;
  title: string | null;
  message: string;
  topic: string | null;
  createdAt: Timestamp;
  people: number;
}

/** What somebody did, or what was done to them: not who else did it, nor from where. */
export type KeptEntry = Pick<AuditEntry, 'at' | 'action' | 'target' | 'detail' | 'network'>;

/** All that is kept on a person. Nothing in it opens anything. */
export interface AccountExport {
  exportedAt: Timestamp;
  account: OwnAccount & {
    status: UserStatus;
    emailVerifiedAt: Timestamp | null;
    /** How the last device was lost. */
    deviceLost: LostDevice | null;
    /** When somebody signed in last in each of the browsers that are known. */
    knownBrowsers: Timestamp[];
  };
  quietHours: { timeZone: string; rules: QuietRule[] };
  topics: KeptTopic[];
  devices: KeptDevice[];
  tests: Test[];
  messages: KeptMessage[];
  sent: KeptSent[];
  /** The newest first. */
  audit: KeptEntry[];
}

export interface OwnAccountCalls {
  'GET /api/account': { answer: OwnAccount };
  /**
   * 403 for a wrong `current`. Ends all other sessions and the links that were mailed; devices
   * stay. `token` is this session's from now on.
   */
  'PUT /api/account/password': {
    body: { current: string; password: string };
    answer: { token: string };
  };
  /**
   * Mails a link to that address, which counts once it is opened (GET /api/auth/verify-email); then
   * the former one is told. The password is asked for as in setting up a second factor. The answer
   * is the same where somebody else has the address.
   */
  'PUT /api/account/email': { body: { email: string; password?: string }; answer: OwnAccount };
  /**
   * Ends all sessions, and signs out all devices, that from which it is asked included. `token` is
   * for who wants to go on here all the same.
   */
  'POST /api/account/sign-out-everywhere': { answer: { token: string } };
  /** A file, which begins as soon as it can. Five an hour. */
  'GET /api/account/export': { answer: AccountExport };
}
