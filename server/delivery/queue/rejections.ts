/**
 * Alerts the operator when push services reject us. Clients name endpoints, so one person's device
 * is no alert: it takes our own credentials, or several people at a proven service.
 */
import type { Log } from '../../lib/log';
import type { TransportKind } from '../transport';

const LOG_AGAIN_AFTER_MS = 3600_000;
/** People rejected in a row, without an accept, until it counts as our fault. */
const MIN_REJECTED_PEOPLE = 3;

export interface Rejections {
  /** Our credentials were rejected, for all pushes of this kind. */
  recordServiceRejection(service: TransportKind, reason: string): void;
  /** A push to this person's device was rejected. It counts only at a proven service. */
  recordDeviceRejection(
    service: TransportKind,
    reason: string,
    userId: number,
    isProven: boolean,
  ): void;
  /** A push was accepted, so our credentials work. */
  recordAcceptance(service: TransportKind): void;
  /** Whether several people are rejected and none is accepted. */
  isRejectingSeveralPeople(service: TransportKind): boolean;
}

/** @param elapsed milliseconds of the monotonic clock */
export function createRejections(log: Log, elapsed: () => number): Rejections {
  const loggedAt = new Map<string, number>();
  const people = new Map<TransportKind, Set<number>>();

  /** Each line is logged at most once an hour. */
  function logHourly(name: string, writeLine: () => void): void {
    const lastLoggedAt = loggedAt.get(name);
    if (lastLoggedAt !== undefined && elapsed() - lastLoggedAt < LOG_AGAIN_AFTER_MS) return;
    loggedAt.set(name, elapsed());
    writeLine();
  }
  function alertOperator(service: TransportKind, reason: string): void {
    const help =
      'No device is removed and the pushes stay queued. Check the VAPID keys and the service account.';
    logHourly(`alert ${service}`, () =>
      log.error('push service rejects our credentials', { alert: true, service, reason, help }),
    );
  }

  return {
    recordServiceRejection: alertOperator,
    recordDeviceRejection(service, reason, userId, isProven) {
      logHourly(`device ${service}`, () =>
        log.warn('push service rejects a device', { service, reason }),
      );
      if (!isProven) return;
      const rejectedPeople = people.get(service) ?? new Set();
      people.set(service, rejectedPeople);
      if (rejectedPeople.size < MIN_REJECTED_PEOPLE) rejectedPeople.add(userId);
      if (rejectedPeople.size >= MIN_REJECTED_PEOPLE) alertOperator(service, reason);
    },
    recordAcceptance: (service) => void people.delete(service),
    isRejectingSeveralPeople: (service) => (people.get(service)?.size ?? 0) >= MIN_REJECTED_PEOPLE,
  };
}
