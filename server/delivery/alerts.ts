import type { Log } from '../log';
import type { Service } from './outcome';

const AGAIN_AFTER = 3600_000;

/** Tells an operator that a push service does not let us in: once, and again only if it still is so an hour later. */
export function createAlerts(log: Log, now: () => number): (service: Service, reason: string) => void {
  const raisedAt = new Map<Service, number>();
  return (service, reason) => {
    const before = raisedAt.get(service);
    if (before !== undefined && now() - before < AGAIN_AFTER) return;
    raisedAt.set(service, now());
    const help = 'No device was deleted; these pushes wait. Check VAPID keys and service account.';
    log.error('push service refuses our credentials', { alert: true, service, reason, help });
  };
}
