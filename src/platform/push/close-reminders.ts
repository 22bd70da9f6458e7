import { CHECK_IN_PAGE } from '../../shared/check-in-page';

/** Closes what asks “Are you OK?” on this device: it was answered. Never rejects. */
export async function closeReminders(
  registration: ServiceWorkerRegistration | undefined,
): Promise<void> {
  const shown = (await registration?.getNotifications().catch(() => [])) ?? [];
  for (const one of shown) {
    const { link, id } = (one.data ?? {}) as { link?: string; id?: string };
    // Without an id it is the worker's own, of an answer that waits.
    if (link === CHECK_IN_PAGE && id !== undefined) one.close();
  }
}
