import { valueIfSoon } from '../src/platform/pause';
import type { ReceivedMessage } from '../src/platform/storage/received';
import {
  notificationTitle,
  readPushMessage,
  type ShownNotification,
} from '../src/shared/push-message';
import { ownNotification } from './notification';
import type { NotificationData } from './notification-data';
import { reportFromWorker, sendWaitingReceipts } from './report';
import { limitShownNotifications, TEST_TAG, URGENT_VIBRATION } from './tray';
import { reportIfSent } from './unsent';
import { postToWindows } from './windows';

/**
 * Every push shows one notification. Only then is it stored and reported, so no failure there costs
 * the notification.
 */
export async function receive(worker: ServiceWorkerGlobalScope, payload: unknown): Promise<void> {
  const shown = readPushMessage(payload);
  const { id, isTest } = shown;
  let displayed = false;
  let arrived: Promise<unknown> | undefined;
  const newer = await newerInTray(worker, shown);
  try {
    const showing = newer
      ? showAgain(worker, newer)
      : worker.registration.showNotification(notificationTitle(shown), notificationOptions(shown));
    // A test is reported as received even if it cannot be shown.
    if (id !== undefined && isTest) arrived = reportFromWorker({ messageId: id, kind: 'received' });
    await showing;
    displayed = !newer;
  } finally {
    // Even if the system cannot show it, the app says it.
    if (!newer) await postToWindows(worker, { type: 'shown', shown });
    await Promise.allSettled([
      arrived,
      closeFormer(worker, shown).then(() => limitShownNotifications(worker)),
      setBadge(shown),
      keep(shown, displayed).then(() => reportIfSent(worker)),
    ]);
  }
}

/** A push event's data; in Safari possibly its notification. */
export function payloadOf({ data, notification }: PushEvent & { notification?: unknown }): unknown {
  try {
    if (data) return data.json();
  } catch {
    // not JSON: shown with the defaults
  }
  return notification ? { notification } : undefined;
}

/** Chromium supports all of these, Firefox some; TypeScript's library omits them. */
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
  ...(revision !== undefined && { revision }),
  ...(isAllClear && { isAllClear }),
});

/** Browsers show no more buttons; a third answer is only in the app. */
const MAX_ACTIONS = 2;

export function notificationOptions(shown: ShownNotification): Options {
  const { id, isTest, priority, answers } = shown;
  const tag = isTest ? TEST_TAG : shown.tag;
  const urgent = priority === 'urgent';
  const actions = id === undefined ? [] : answers.slice(0, MAX_ACTIONS);
  return {
    ...ownNotification(),
    body: shown.body,
    dir: shown.dir ?? 'auto',
    ...(shown.lang !== undefined && { lang: shown.lang }),
    data: notificationData(shown),
    ...(tag !== undefined && { tag }),
    ...(shown.image !== undefined && { image: shown.image }),
    ...(shown.timestamp !== undefined && { timestamp: shown.timestamp }),
    ...(actions.length > 0 && {
      actions: actions.map((title, index) => ({ action: String(index), title })),
    }),
    // Chromium rejects a notification with `renotify` but no tag.
    ...(tag !== undefined &&
      (urgent || isTest || shown.round > 0 || versionOf(shown) > 1) && { renotify: true }),
    ...(urgent && { requireInteraction: true, vibrate: URGENT_VIBRATION }),
    ...(priority === 'info' && { silent: true }),
  };
}

/** An all-clear comes after all revisions. */
const versionOf = ({
  revision = 1,
  isAllClear,
}: Partial<Pick<ShownNotification, 'revision' | 'isAllClear'>>) => revision + (isAllClear ? 1 : 0);

/** The message's newer text, if a push that was held up would replace it. */
async function newerInTray(
  { registration }: ServiceWorkerGlobalScope,
  shown: ShownNotification,
): Promise<Notification | undefined> {
  if (shown.isTest || shown.tag === undefined) return undefined;
  const listing = registration.getNotifications({ tag: shown.tag }).catch(() => []);
  const version = versionOf(shown);
  return (await valueIfSoon(listing))?.find(
    ({ data }) => versionOf((data ?? {}) as NotificationData) > version,
  );
}

/** Browsers require a notification for every push; this one says nothing new. */
function showAgain(
  { registration }: ServiceWorkerGlobalScope,
  newer: Notification & Pick<Options, 'badge' | 'image' | 'timestamp' | 'actions'>,
): Promise<void> {
  const { body, dir, lang, icon, badge, image, timestamp, actions, tag, requireInteraction } =
    newer;
  const shownOptions = { body, dir, lang, icon, badge, image, timestamp, actions, tag };
  return registration.showNotification(newer.title, {
    ...(shownOptions as Options),
    data: newer.data as unknown,
    requireInteraction,
    silent: true,
  });
}

/** On iOS equal tags do not replace each other: only the newest text may stay. */
async function closeFormer(
  { registration }: ServiceWorkerGlobalScope,
  shown: ShownNotification,
): Promise<void> {
  const version = versionOf(shown);
  if (shown.tag === undefined || version === 1) return;
  for (const one of await registration.getNotifications({ tag: shown.tag }))
    if (versionOf((one.data ?? {}) as NotificationData) < version) one.close();
}

/** Stores and reports a message that our server sent. */
async function keep(shown: ShownNotification, displayed: boolean): Promise<void> {
  const { id, isTest } = shown;
  const kind = displayed ? 'displayed' : isTest && 'refused';
  if (id === undefined) await sendWaitingReceipts();
  else {
    const { revision } = shown;
    const of = revision === undefined ? {} : { revision };
    await reportFromWorker(kind ? { messageId: id, kind, ...of } : undefined, messageOf(shown, id));
  }
}

/** The message as far as its push contains it; undefined if it belongs to no inbox. */
function messageOf(shown: ShownNotification, id: string): ReceivedMessage | undefined {
  const { seq, isTest, timestamp = Date.now(), revision = 1 } = shown;
  const now = new Date().toISOString();
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
    ...(revision > 1 && { revision, revisedAt: now }),
    ...(shown.isAllClear && { allClearAt: now, allClear: shown.body }),
    pushed: true,
  };
}

/** The number on the app's icon, where supported (Chromium on desktops, Safari). */
async function setBadge({ unread }: ShownNotification): Promise<void> {
  if (unread !== undefined && 'setAppBadge' in navigator) await navigator.setAppBadge(unread);
}
