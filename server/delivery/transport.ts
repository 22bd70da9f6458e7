import type { Priority } from '../../src/shared/contract';
import type { TopicMessageData } from '../../src/shared/push-message';

/** The outcome of one attempt to hand a push to a push service, by either transport. */
export type PushOutcome =
  /** The push service has the push. The device may still not display it. */
  | { kind: 'accepted' }
  /** The push service says that the token is dead: the only reason to delete a device. */
  | { kind: 'gone'; reason: string }
  /**
   * Temporary. `after`: when the push service allows a retry, in milliseconds since 1970.
   * `isUnreachable`: it gave no reply. `isBusy`: it is overloaded, or limits us.
   */
  | { kind: 'retry'; reason: string; after?: number; isUnreachable?: true; isBusy?: true }
  /** The push will never succeed for this row. The device stays. */
  | { kind: 'failed'; reason: string }
  /**
   * We are rejected; the row waits and nothing is deleted. `service`: our own credentials, for all
   * rows of this transport, with an alert. `device`: this row only, because clients name endpoints
   * and must not delay others. `isOurs`: we have no credentials, so nothing was sent.
   */
  | { kind: 'misconfigured'; reason: string; scope: 'service' | 'device'; isOurs?: true }
  /** The push was no longer wanted, and was not sent. */
  | { kind: 'withdrawn' };

export interface OutgoingPush {
  /** An FCM token, or a Web Push subscription as JSON. Secret: do not log. */
  token: string;
  data: TopicMessageData;
  /** Milliseconds since 1970; the push service may drop it after this. */
  expiresAt: number;
  /** This is called just before the push is sent. If it returns false, the push is `withdrawn`. */
  maySendNow?: () => Promise<boolean>;
}

/** What an attempt revealed about the push service. A fault of the device is `responded` at most. */
export type ServiceSignal =
  | { kind: 'accepted' }
  | { kind: 'responded' }
  | { kind: 'unreachable'; reason: string }
  /**
   * `isSure`: the fault is the service's or ours, not one device's. `isBusy`: it may be one
   * device's; `until` is when it allows a retry, in milliseconds since 1970.
   */
  | { kind: 'rejected'; reason: string; isSure?: boolean; isBusy?: boolean; until?: number };

/**
 * Probes a push service (its origin, or `fcm`) for any reply. Never rejects.
 * @returns why there was none
 */
export type ServiceProbe = (origin: string) => Promise<string | undefined>;

export type TransportKind = 'web-push' | 'fcm';

/** Sends one push. Never rejects: every failure is an outcome. */
export type Transport = (push: OutgoingPush) => Promise<PushOutcome>;

/** FCM rejects more than four weeks; RFC 8030 sets no limit. */
const MAX_TTL_SECONDS = 28 * 24 * 3600;

/** Seconds for a TTL header. At least 1, because 0 means "now or never". */
export function ttlSeconds(expiresAt: number, now: number): number {
  return Math.min(MAX_TTL_SECONDS, Math.max(1, Math.ceil((expiresAt - now) / 1000)));
}

/**
 * RFC 8030, 5.3. Anything below `high` may wait until the phone wakes up, for hours in deep sleep;
 * below `normal` also for a charger or Wi-Fi.
 */
export function toUrgency(priority: Priority = 'normal'): 'normal' | 'high' {
  return priority === 'info' ? 'normal' : 'high';
}
