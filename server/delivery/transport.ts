import type { Priority } from '../../src/shared/contract';
import type { TopicMessageData } from '../../src/shared/push-message';

/**
 * What became of one attempt to hand a push to a push service. Both transports speak in these
 * terms.
 */
export type PushOutcome =
  /** The push service took it. Whether the phone shows it is then its affair. */
  | { is: 'accepted' }
  /**
   * The push service says that this device token is dead: the only proof on which a device is
   * deleted.
   */
  | { is: 'gone'; reason: string }
  /**
   * It may pass. `after`: the push service asked for silence until then, in milliseconds since
   * 1970. `isUnreachable`: it
   * gave no answer at all. `isBusy`: it has too much to do, or we ask too much of it.
   */
  | { is: 'retry'; reason: string; after?: number; isUnreachable?: true; isBusy?: true }
  /** It will never work for this row; nothing follows for the device. */
  | { is: 'failed'; reason: string }
  /**
   * We are not let in. Nothing is deleted, and the row waits. `scope` says who waits along:
   * `service` is every row of
   * this transport (our own credentials are refused, of which an operator is told), `device` only
   * this one. Endpoints
   * and tokens come from clients, so what one of them brings about must neither hold up nor alarm
   * anybody else. `isOurs`: we have no credentials, so nobody was asked.
   */
  | { is: 'misconfigured'; reason: string; scope: 'service' | 'device'; isOurs?: true }
  /** It is not wanted any more: it did not leave. */
  | { is: 'withdrawn' };

/** What a transport is asked to send. Both transports take it as it is. */
export interface OutgoingPush {
  /** An FCM token, or a Web Push subscription as JSON text. Secret: not to be logged. */
  token: string;
  data: TopicMessageData;
  /** Milliseconds since 1970: the push service may give up after this. */
  expiresAt: number;
  /** To be asked at the last moment before it leaves; if false, it is `withdrawn`. */
  mayLeave?: () => Promise<boolean>;
}

/**
 * What an attempt told of the push service, beside what became of the push. What a device brought
 * upon itself is `answered` at most.
 */
export type ServiceWord =
  | { is: 'accepted' }
  | { is: 'answered' }
  | { is: 'unreachable'; reason: string }
  /** `isSure`: it is no matter of one device. `isBusy`: it may be one of a single device. */
  | { is: 'refused'; reason: string; isSure?: boolean; isBusy?: boolean };

/**
 * Asks a push service (its origin, or `fcm`) for any answer, without a push. Never rejects.
 * @returns why there was none
 */
export type ServiceProbe = (origin: string) => Promise<string | undefined>;

export type Service = 'web-push' | 'fcm';

/** Sends one push. Never rejects: whatever happens is an outcome. */
export type Transport = (push: OutgoingPush) => Promise<PushOutcome>;

/** RFC 8030 caps nothing, but FCM refuses more than four weeks. */
const MAX_TTL_SECONDS = 28 * 24 * 3600;

/**
 * What remains until `expiresAt`, in whole seconds for a TTL header. At least 1: a TTL of 0 means
 * "now or never".
 */
export function ttlSeconds(expiresAt: number, now: number): number {
  return Math.min(MAX_TTL_SECONDS, Math.max(1, Math.ceil((expiresAt - now) / 1000)));
}

/**
 * How soon the phone is to be woken (RFC 8030, 5.3). Anything less than `high` may wait until it
 * wakes up by itself, which is minutes in light sleep and hours in deep sleep; less than `normal`
 * may wait for a charger or Wi-Fi, too.
 */
export function urgencyOf(priority: Priority = 'normal'): 'normal' | 'high' {
  return priority === 'info' ? 'normal' : 'high';
}
