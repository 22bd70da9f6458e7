/** Where a reminder of a check-in leads. */
export const CHECK_IN_PAGE = '/check-in';

interface Tray {
  getNotifications(): Promise<{ data: unknown; close(): void }[]>;
}

/**
 * Closes this device's notifications that ask “Are you OK?”, or say that an earlier answer was
 * sent, once the person answered.
 * The promise never rejects.
 */
export async function closeReminders(tray: Tray | undefined): Promise<void> {
  const notifications = (await tray?.getNotifications().catch(() => [])) ?? [];
  for (const notification of notifications) {
    const { link, answer } = (notification.data ?? {}) as { link?: string; answer?: string };
    // The worker's own note about an answer that waits stays.
    if (link === CHECK_IN_PAGE && answer === undefined) notification.close();
  }
}
