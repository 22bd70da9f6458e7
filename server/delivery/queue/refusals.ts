/**
 * Tells an operator that push services do not let us in. Endpoints and tokens are the client's
 * word, so that what one device, or one person, can bring about is no alert: it takes our own
 * credentials, or several people at a service that has worked.
 */
import type { Log } from '../../lib/log';
import type { Service } from '../transport';

const REPEAT_AFTER = 3600_000;
/**
 * So many different people must be refused, with nothing accepted in between, until it is taken for
 * our fault.
 */
const ENOUGH_PEOPLE = 3;

export interface Refusals {
  /** Our own credentials were refused: those of all pushes of this kind. */
  refuseService(service: Service, reason: string): void;
  /**
   * A push to this person's device was refused; it counts only at a service that has accepted
   * pushes before.
   */
  refuseDevice(service: Service, reason: string, userId: number, isTrusted: boolean): void;
  /** A push was accepted, so it cannot be us. */
  accept(service: Service): void;
  /** Whether several people are refused by this kind at the moment, and none is accepted. */
  areSeveral(service: Service): boolean;
}

/** @param elapsed milliseconds of the monotonic clock */
export function createRefusals(log: Log, elapsed: () => number): Refusals {
  const raisedAt = new Map<string, number>();
  const people = new Map<Service, Set<number>>();

  /** Once, and again only if it still is so an hour later. */
  function say(name: string, speak: () => void): void {
    const before = raisedAt.get(name);
    if (before !== undefined && elapsed() - before < REPEAT_AFTER) return;
    raisedAt.set(name, elapsed());
    speak();
  }
  function alert(service: Service, reason: string): void {
    const help = 'No device was deleted; these pushes wait. Check VAPID keys and service account.';
    say(`alert ${service}`, () =>
      log.error('push service refuses our credentials', { alert: true, service, reason, help }),
    );
  }

  return {
    refuseService: alert,
    refuseDevice(service, reason, userId, isTrusted) {
      say(`device ${service}`, () =>
        log.warn('push service refuses a device', { service, reason }),
      );
      if (!isTrusted) return;
      const refused = people.get(service) ?? new Set();
      people.set(service, refused);
      if (refused.size < ENOUGH_PEOPLE) refused.add(userId);
      if (refused.size >= ENOUGH_PEOPLE) alert(service, reason);
    },
    accept: (service) => void people.delete(service),
    areSeveral: (service) => (people.get(service)?.size ?? 0) >= ENOUGH_PEOPLE,
  };
}
