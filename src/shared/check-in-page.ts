/** Where a reminder of a check-in leads. */
export const CHECK_IN_PAGE = '/check-in';

interface Tray {
  getNotifications(): Promise<{ data: unknown; close(): void }[]>;
}
interface ShownData {
  link?: string;
  id?: string;
  answer?: string;
}

/** Closes this device's notifications that are over. The promise never rejects. */
export async function closeNotifications(
  tray: Tray | undefined,
  isOver: (data: ShownData) => boolean,
): Promise<void> {
  for (const shown of (await tray?.getNotifications().catch(() => [])) ?? [])
    if (isOver((shown.data ?? {}) as ShownData)) shown.close();
}

/**
 * Closes the notifications that ask “Are you OK?”, or say that an earlier answer was sent, once the
 * person answered. The worker's own note about an answer that waits stays.
 */
export const closeReminders = (tray: Tray | undefined): Promise<void> =>
  closeNotifications(tray, ({ link, answer }) => link === CHECK_IN_PAGE && answer === undefined);
