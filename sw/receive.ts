import type { ReceivedMessage } from '../src/platform/storage/received';
import { readPushMessage, type Shown } from '../src/shared/push-message';
import type { Remembered } from './remembered';
import { reportFromWorker, sendWaitingReceipts } from './report';
import { makeRoom, TEST } from './tray';
import { tell } from './windows';

/**
 * Shows one notification for a push, whatever is in it, and tells the open windows. Only then is it
 * kept and reported: nothing that goes wrong there costs the person the notification. A repeat takes
 * the place of what is shown, silently, unless the server rings again. One that was dismissed
 * meanwhile comes back: browsers demand that every push shows something, and the server repeats only
 * what it was interrupted in.
 */
export async function receive(worker: ServiceWorkerGlobalScope, payload: unknown): Promise<void> {
  const shown = readPushMessage(payload);
  const { id, isTest } = shown;
  let displayed = false;
  let arrived: Promise<unknown> | undefined;
  try {
    const showing = worker.registration.showNotification(shown.title, notificationOptions(shown));
    // Of a test it is told that it came, whatever becomes of showing it.
    if (id !== undefined && isTest) arrived = reportFromWorker({ messageId: id, kind: 'received' });
    await showing;
    displayed = true;
  } finally {
    await tell(worker, { type: 'shown', shown }); // even if the system cannot show it, the app says it
    await Promise.allSettled([arrived, makeRoom(worker), setBadge(shown), keep(shown, displayed)]);
  }
}

/** What a push event carries: its data, or in Safari the notification that it would show. */
export function payloadOf({ data, notification }: PushEvent & { notification?: unknown }): unknown {
  try {
    if (data) return data.json();
  } catch {
    // not JSON: shown with what else there is, or the defaults
  }
  return notification ? { notification } : undefined;
}

/**
 * `image`, `timestamp`, `actions`, `renotify` and `vibrate` are for systems that can (Chromium, and
 * some of them Firefox); TypeScript's library leaves them out.
 */
type Options = NotificationOptions & {
  image?: string;
  timestamp?: number;
  actions?: { action: string; title: string }[];
  renotify?: boolean;
  vibrate?: number[];
};

/** A press on a test is not told: it is no message that was read. */
const remembered = ({ link, id, isTest, answers, timestamp: at }: Shown): Remembered => ({
  link,
  ...(id !== undefined && !isTest && { id, answers }),
  ...(at !== undefined && { at }),
});

/** Browsers show no more buttons: a third answer is only in the app. */
const MAX_ACTIONS = 2;
/** Long, short, long: milliseconds. */
const URGENT_VIBRATION = [400, 200, 400, 200, 400];

export function notificationOptions(shown: Shown): Options {
  const { id, isTest, priority, answers } = shown;
  const tag = isTest ? TEST : shown.tag;
  const urgent = priority === 'urgent';
  const actions = id === undefined ? [] : answers.slice(0, MAX_ACTIONS);
  return {
    body: shown.body,
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    data: remembered(shown),
    ...(tag !== undefined && { tag }),
    ...(shown.image !== undefined && { image: shown.image }),
    ...(shown.timestamp !== undefined && { timestamp: shown.timestamp }),
    ...(actions.length > 0 && {
      actions: actions.map((title, index) => ({ action: String(index), title })),
    }),
    // Without a tag there is nothing to replace, and Chromium refuses the whole notification.
    ...(tag !== undefined && (urgent || isTest || shown.round > 0) && { renotify: true }),
    ...(urgent && { requireInteraction: true, vibrate: URGENT_VIBRATION }),
    ...(priority === 'info' && { silent: true }),
  };
}

/** Keeps the message and that it was displayed, and reports it, if our server sent it. */
async function keep(shown: Shown, displayed: boolean): Promise<void> {
  const { id, isTest } = shown;
  const kind = displayed ? 'displayed' : isTest && 'refused';
  if (id === undefined) await sendWaitingReceipts();
  else await reportFromWorker(kind ? { messageId: id, kind } : undefined, messageOf(shown, id));
}

/** The message as an inbox has it, as far as a push can tell; undefined if it is in no inbox. */
function messageOf(shown: Shown, id: string): ReceivedMessage | undefined {
  const { seq, isTest, timestamp = Date.now() } = shown;
  if (seq === undefined || isTest) return undefined;
  return {
    id,
    seq,
    title: shown.title,
    message: shown.body,
    topic: null,
    link: shown.url,
    priority: shown.priority,
    answers: shown.answers,
    state: 'sent',
    createdAt: new Date(timestamp).toISOString(),
    expiresAt: new Date(shown.expiresAt ?? timestamp).toISOString(),
    readAt: null,
    acknowledgedAt: null,
    answer: null,
    pushed: true,
  };
}

/** The number at the app's icon, where there can be one (Chromium on desktops, Safari). */
async function setBadge({ unread }: Shown): Promise<void> {
  if (unread !== undefined && 'setAppBadge' in navigator) await navigator.setAppBadge(unread);
}
