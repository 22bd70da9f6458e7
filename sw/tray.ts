/**
 * Keeps the tray short. Android drops the 25th notification of an app without a word, and with it
 * some that were not seen: before that, the oldest give way to one that counts them.
 */

import type { Remembered } from './remembered';

/** So many of our notifications lie in the tray at most. */
const MAX_SHOWN = 20;
/** The tag of the one that counts; a message's id is never so. */
const MORE = 'more';
/** The tag of a test: the next takes its place. None is a message, or counted as one. */
export const TEST = 'fieldbell-test';

interface More extends Remembered {
  more?: number;
}

/** Takes the oldest out of the tray until it is short enough. One at a time. */
export function makeRoom(worker: ServiceWorkerGlobalScope): Promise<void> {
  turn = turn.catch(() => undefined).then(() => clearOldest(worker));
  return turn;
}
let turn = Promise.resolve();

async function clearOldest({ registration }: ServiceWorkerGlobalScope): Promise<void> {
  const all = (await registration.getNotifications()).filter(({ tag }) => tag !== TEST);
  if (all.length <= MAX_SHOWN) return;
  const counting = all.filter(({ tag }) => tag === MORE);
  const others = all.filter(({ tag }) => tag !== MORE).sort((a, b) => since(a) - since(b));
  const oldest = others.slice(0, Math.max(0, others.length - (MAX_SHOWN - 1)));
  const more = Math.max(0, ...counting.map(countOf)) + oldest.length;
  for (const one of oldest) one.close();
  await registration.showNotification(`${more} more in the inbox`, {
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    tag: MORE,
    silent: true,
    data: { link: '/messages', more } satisfies More,
  });
  // On iOS, equal tags do not replace each other. Elsewhere the one before is gone by now; closed
  // earlier, its end could come late and take the new one along, and the count with it.
  for (const one of await registration.getNotifications({ tag: MORE }))
    if (countOf(one) < more) one.close();
}

/** How many it says that are in the inbox alone. */
const countOf = ({ data }: Notification) => (data as More | null)?.more ?? 0;

/** When a notification was sent; without that, the order in which the browser lists them counts. */
const since = ({ data }: Notification) => (data as Remembered | null)?.at ?? 0;
