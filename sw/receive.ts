import { valueIfSoon } from '../src/platform/pause';
import type { ReceivedMessage } from '../src/platform/storage/received';
import {
  notificationTitle,
  readPushMessage,
  type ShownNotification,
} from '../src/shared/push-message';
import { sharedNotificationOptions } from './notification';
import type { NotificationData } from './notification-data';
import { reportFromWorker, sendWaitingReceipts } from './report';
import { limitShownNotifications, TEST_TAG, URGENT_VIBRATION_MS } from './tray';
import { reportIfSent } from './unsent';
import { postToWindows } from './windows';
import { replaceWithdrawn } from './withdrawn';

/**
 * Every push shows one notification. Only then is it stored and reported, so no failure there costs
 * the notification.
 */
export async function receive(worker: ServiceWorkerGlobalScope, payload: unknown): Promise<void> {
  const notification = readPushMessage(payload);
  const { id, isTest } = notification;
  let isDisplayed = false;
  let receiptSent: Promise<unknown> | undefined;
  const newerNotification = await findNewerInTray(worker, notification);
  try {
    const showing = newerNotification
      ? showAgain(worker, newerNotification)
      : worker.registration.showNotification(
          notificationTitle(notification),
          notificationOptions(notification),
        );
    // A test is reported as received even if it cannot be shown.
    if (id !== undefined && isTest)
      receiptSent = reportFromWorker({ messageId: id, kind: 'received' });
    await showing;
    isDisplayed = !newerNotification;
  } finally {
    // The app shows a message even if the system cannot show the notification.
    if (!newerNotification) await postToWindows(worker, { type: 'shown', shown: notification });
    await Promise.allSettled([
      receiptSent,
      closeEarlierNotifications(worker, notification).then(() => limitShownNotifications(worker)),
      setBadge(notification),
      keepForApp(notification, isDisplayed)
        .then(() => replaceWithdrawn(worker))
        .then(() => reportIfSent(worker)),
    ]);
  }
}

/** A push event's data; in Safari possibly its notification. */
export function readPayload({
  data,
  notification,
}: PushEvent & { notification?: unknown }): unknown {
  try {
    if (data) return data.json();
  } catch {
    // not JSON: shown with the defaults
  }
  return notification ? { notification } : undefined;
}

/** Chromium supports all these options and Firefox some, but TypeScript's library omits them. */
type Options = NotificationOptions & {
  image?: string;
  timestamp?: number;
  actions?: { action: string; title: string }[];
  renotify?: boolean;
  vibrate?: number[];
};

/** A press on a test marks no message as read. */
const notificationData = ({
  link,
  id,
  isTest,
  answers,
  timestamp: at,
  revision,
  isAllClear,
}: ShownNotification): NotificationData => ({
  link,
  ...(id !== undefined && !isTest && { id, answers }),
  ...(at !== undefined && { at }),
  ...(revision && { revision }),
  ...(isAllClear && { isAllClear }),
});

/** Browsers show no more buttons; a third answer is only in the app. */
const MAX_NOTIFICATION_ACTIONS = 2;

export function notificationOptions(notification: ShownNotification): Options {
  const { id, isTest, priority, answers } = notification;
  const tag = isTest ? TEST_TAG : notification.tag;
  const isUrgentPush = priority === 'urgent';
  const actions = id === undefined ? [] : answers.slice(0, MAX_NOTIFICATION_ACTIONS);
  return {
    ...sharedNotificationOptions(),
    body: notification.body,
    dir: notification.dir ?? 'auto',
    ...(notification.lang !== undefined && { lang: notification.lang }),
    data: notificationData(notification),
    ...(tag !== undefined && { tag }),
    ...(notification.image !== undefined && { image: notification.image }),
    ...(notification.timestamp !== undefined && { timestamp: notification.timestamp }),
    ...(actions.length > 0 && {
      actions: actions.map((title, index) => ({ action: String(index), title })),
    }),
    // Chromium rejects a notification with `renotify` but no tag.
    ...(tag !== undefined &&
      (isUrgentPush || isTest || notification.round > 0 || getVersion(notification) > 1) && {
        renotify: true,
      }),
    ...(isUrgentPush && { requireInteraction: true, vibrate: URGENT_VIBRATION_MS }),
    ...(priority === 'info' && { silent: true }),
  };
}

/** An all-clear comes after all revisions. */
const getVersion = ({
  revision = 1,
  isAllClear,
}: Partial<Pick<ShownNotification, 'revision' | 'isAllClear'>>) => revision + (isAllClear ? 1 : 0);

/** The message's newer text, if a push that was held up would replace it. */
async function findNewerInTray(
  { registration }: ServiceWorkerGlobalScope,
  notification: ShownNotification,
): Promise<Notification | undefined> {
  if (notification.isTest || notification.tag === undefined) return undefined;
  const listing = registration.getNotifications({ tag: notification.tag }).catch(() => []);
  const version = getVersion(notification);
  return (await valueIfSoon(listing))?.find(
    ({ data }) => getVersion((data ?? {}) as NotificationData) > version,
  );
}

/** Browsers require a notification for every push; this one says nothing new. */
function showAgain(
  { registration }: ServiceWorkerGlobalScope,
  newer: Notification & Pick<Options, 'badge' | 'image' | 'timestamp' | 'actions'>,
): Promise<void> {
  const { body, dir, lang, icon, badge, image, timestamp, actions, tag, requireInteraction } =
    newer;
  return registration.showNotification(newer.title, {
    ...({ body, dir, lang, icon, badge, image, timestamp, actions, tag } as Options),
    data: newer.data as unknown,
    requireInteraction,
    silent: true,
  });
}

/**
 * Closes what no longer applies. On iOS equal tags do not replace each other: only the newest text
 * may stay.
 */
async function closeEarlierNotifications(
  { registration }: ServiceWorkerGlobalScope,
  notification: ShownNotification,
): Promise<void> {
  for (const tag of notification.closes)
    if (tag && tag !== notification.tag)
      for (const existing of await registration.getNotifications({ tag })) existing.close();
  const version = getVersion(notification);
  if (notification.tag === undefined || version === 1) return;
  for (const existing of await registration.getNotifications({ tag: notification.tag }))
    if (getVersion((existing.data ?? {}) as NotificationData) < version) existing.close();
}

/** Stores and reports a message that our server sent. */
async function keepForApp(notification: ShownNotification, isDisplayed: boolean): Promise<void> {
  const { id, isTest } = notification;
  const kind = isDisplayed ? 'displayed' : isTest && 'refused';
  if (id === undefined) await sendWaitingReceipts();
  else {
    const { revision } = notification;
    await reportFromWorker(
      kind ? { messageId: id, kind, ...(revision && { revision }) } : undefined,
      toReceivedMessage(notification, id),
    );
  }
}

/** The message as far as its push contains it; undefined if it belongs to no inbox. */
function toReceivedMessage(
  notification: ShownNotification,
  id: string,
): ReceivedMessage | undefined {
  const { seq, isTest, timestamp = Date.now(), revision = 1 } = notification;
  const now = new Date().toISOString();
  if (seq === undefined || isTest) return undefined;
  return {
    id,
    seq,
    title: notification.title,
    message: notification.body,
    topic: null,
    link: notification.url,
    priority: notification.priority,
    answers: notification.answers,
    state: 'sent',
    createdAt: new Date(timestamp).toISOString(),
    expiresAt: new Date(notification.expiresAt ?? timestamp).toISOString(),
    readAt: null,
    acknowledgedAt: null,
    answer: null,
    ...(revision > 1 && { revision, revisedAt: now }),
    ...(notification.isAllClear && { allClearAt: now, allClear: notification.body }),
    pushed: true,
  };
}

/** The number on the app's icon, where supported (Chromium on desktops, Safari). */
async function setBadge({ unread }: ShownNotification): Promise<void> {
  if (unread !== undefined && 'setAppBadge' in navigator) await navigator.setAppBadge(unread);
}
