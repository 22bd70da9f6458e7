/**
 * What the app, the worker and the server agree on about reach: tests of devices, how well each
 * device can be reached, and what a dashboard shows. Types only.
 */
import type { Role } from './accounts';
import type { Page, Timestamp } from './common';
import type { Device, DeviceType } from './devices';
import type { SentMessage } from './messages';

/** The stages of a test that the server knows of, in their order. */
export type TestStage = 'queued' | 'accepted' | 'received' | 'displayed' | 'heard';

/**
 * Why a stage failed. `accepted`: `gone` (the push service knows the device no longer), `refused`
 * (it did not let us in, or refused this push for good), `unreachable` (no answer of it so far),
 * `busy` (it asks us to wait), `expired`, `removed` (the device was signed out meanwhile).
 * `displayed`: `refused` (the system did not take the notification). `heard`: `silent`.
 */
export type TestFailureReason =
  | 'gone'
  | 'refused'
  | 'unreachable'
  | 'busy'
  | 'expired'
  | 'removed'
  | 'silent';

/** A test of one device: a push that goes the way of every message, and is in no inbox. */
export interface Test {
  /** The `messageId` under which the device reports it. */
  id: string;
  deviceId: number;
  createdAt: Timestamp;
  /**
   * When it leaves. As long as a test with a delay has not left, the beginning of the minute within
   * which it will: the moment is hidden.
   */
  sendAt: Timestamp;
  /** When each stage was reached. */
  stages: Record<TestStage, Timestamp | null>;
  /** What failed last; null again once the stage is reached after all. */
  failure: { stage: TestStage; reason: TestFailureReason } | null;
  /** Milliseconds from `sendAt` to displayed where that is over 30 s, else null. */
  lateBy: number | null;
}

/** From good to bad, but for the last two, which concern people alone. */
export type ReachState =
  | 'reachable'
  | 'late'
  | 'untested'
  | 'silent'
  | 'failing'
  | 'no_device'
  | 'pending';

/** How well a device can be reached: what its pushes of the last 14 days say. */
export interface ReachDevice {
  id: number;
  /** Never `no_device` or `pending`. */
  state: ReachState;
  deviceType: DeviceType;
  /** Such as `Chrome` or `Samsung Internet`; empty if it cannot be told. */
  browser: string;
  /** The phone's model as its browser names it, such as `SM-A047F`; empty if it does not. */
  model: string;
  /** Whether the app is installed there; null if it never said so. */
  installed: boolean | null;
  lastSeenAt: Timestamp;
  lastAcceptedAt: Timestamp | null;
  lastDisplayedAt: Timestamp | null;
  lastTest: Test | null;
  /** Pushes of the last 14 days that were accepted and not displayed since one last was: 0 to 8. */
  unanswered: number;
  /** How often in a row it was refused last. */
  refusals: number;
}

/** One of the caller's own devices. */
export interface OwnDevice extends Device {
  /** Missing in the answer of an older server. */
  reach?: ReachDevice;
}

/** How a person lost the last device. */
export interface LostDevice {
  at: Timestamp;
  /** `gone`: the push service knew it no longer. `blocked`: notifications were blocked there. */
  why: 'signed_out' | 'removed' | 'gone' | 'blocked' | 'replaced';
}

/** Whether a person can be reached: the best of their devices. */
export interface Reach {
  user: { id: number; username: string; role: Role };
  state: ReachState;
  devices: ReachDevice[];
  /** Only where there is no device now. */
  lost: LostDevice | null;
  /** Only while registration is not completed: the secret part of the link, and when it was made. */
  invitation: { token: string; createdAt: Timestamp } | null;
}

/** How many people are in each state; together they are all people. */
export type ReachSummary = Record<ReachState, number>;

export interface ReachQuery {
  page?: number;
  limit?: number;
  /** Looks through names. */
  query?: string;
  /** One state, several with commas, or `attention`: all but `reachable` and `late`. */
  state?: string;
  /** Only subscribers of this topic. */
  topic?: number;
}

/**
 * What a push service does with our pushes, as it was last seen. `reachable`: it answers again, and
 * has not accepted a push since. `quiet`: there was no push for some minutes. `unknown`: it was in
 * trouble when it was last tried, which is too long ago to say more.
 */
export type PushServiceStatus =
  | 'accepting'
  | 'refusing'
  | 'unreachable'
  | 'reachable'
  | 'quiet'
  | 'unknown'
  | 'not_set_up';

export interface PushServiceHealth {
  name: 'FCM' | 'Google' | 'Mozilla' | 'Apple' | 'Microsoft' | 'Others';
  state: PushServiceStatus;
  since: Timestamp | null;
  /** Of the service that is worst off; `reason` only of trouble, such as `status-503`, `timeout`. */
  host: string;
  reason: string | null;
  acceptedAt: Timestamp | null;
  triedAt: Timestamp | null;
  /** Pushes that it has not accepted so far, and when the oldest of them was written. */
  waiting: number;
  oldestAt: Timestamp | null;
}

/** What an administrator sees first. */
export interface Overview {
  /** Of whom `reachable` and `late` count as reachable. */
  people: { total: number; reachable: number; pending: number };
  topics: { total: number; withoutSubscribers: number };
  /** The newest three. */
  messages: SentMessage[];
  /** How many devices the caller has. */
  ownDevices: number;
  health: {
    /** As in `GET /api/health`. */
    delivery: 'ok' | 'late' | 'refused';
    /** Those of which something is known. Missing in an older server's answer. */
    pushServices?: PushServiceHealth[];
    /** Pushes that wait, of all processes together. */
    waiting: number;
    mail: 'ok' | 'late' | 'failing' | 'not_set_up';
    /** When the mail server last accepted a mail; null: never. Missing in an older server's answer. */
    mailSentAt?: Timestamp | null;
    /** Missing in an older server's answer, as is all but `failing` and `off`. */
    webhooks?: {
      failing: number;
      off: number;
      total?: number;
      waiting?: number;
      succeededAt?: Timestamp | null;
    };
    /**
     * Topic keys that went over their limit within a day, the newest five, each with at least so
     * many alerts. Missing in an older server's answer.
     */
    heldBack?: { key: string; topic: string; alerts: number; since: Timestamp }[];
    /** Whether the caller has an e-mail address. */
    ownEmail: boolean;
    /** The last backup by `npm run admin -- backup`; null if there was none; absent if unknowable. */
    lastBackupAt?: Timestamp | null;
    version: string;
  };
}

/** How many devices a test of everybody's would notify now. */
export interface RoundSize {
  devices: number;
  people: number;
  /** Left out, since their people have quiet hours now. */
  quietDevices: number;
  quietPeople: number;
}

export interface ReachCalls {
  'GET /api/notifications/devices': { answer: OwnDevice[] };
  /**
   * Tests one of the caller's devices. `delay` in seconds, 0 to 3,600; with one the server adds a
   * hidden 0 to 60. At most ten an hour for a person: 429 with the time.
   */
  'POST /api/notifications/tests': { body: { deviceId: number; delay?: number }; answer: Test };
  'GET /api/notifications/tests/:id': { answer: Test };
  /** What the person says; the last word counts. */
  'POST /api/notifications/tests/:id/heard': { body: { heard: boolean }; answer: Test };
  'GET /api/admin/overview': { answer: Overview };
  /** Needs attention first, then by name. */
  'GET /api/admin/reach': {
    query: ReachQuery;
    answer: Page & {
      people: Reach[];
      /** Of all that match query and topic, whatever the state. */
      summary: ReachSummary;
      /** The last test of everybody's devices. */
      lastTests: {
        at: Timestamp;
        devices: number;
        /** By when all of them leave. Missing in an older server's answer, as is `quietDevices`. */
        until?: Timestamp;
        /** Left out, since their people had quiet hours. */
        quietDevices?: number;
      } | null;
    };
  };
  'GET /api/admin/reach/tests': { answer: RoundSize };
  /**
   * Tests all devices of these people at once; without `userIds` everybody's within a minute, but for
   * people in their quiet hours, at most once in 5 minutes. `quietDevices`: left out; missing in an
   * older server's answer.
   */
  'POST /api/admin/reach/tests': {
    body: { userIds?: number[] };
    answer: { devices: number; quietDevices?: number };
  };
}
