/** Where a reminder of a check-in leads. */
export const CHECK_IN_PAGE = '/check-in';

interface Tray {
  getNotifications(): Promise<{ data: unknown; close(): void }[]>;
}

/**
 * Closes this device's notifications that ask “Are you OK?”, once the person answered.
 * The promise never rejects.
 */
export async function closeReminders(tray: Tray | undefined): Promise<void> {
  const notifications = (await tray?.getNotifications().catch(() => [])) ?? [];
  for (const notification of notifications) {
    const { link, id } = (notification.data ?? {}) as { link?: string; id?: string };
    // A notification that has no id is the worker's own, about an answer that waits.
    if (link === CHECK_IN_PAGE && id !== undefined) notification.close();
  }
}
