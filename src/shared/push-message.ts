/**
 * The one payload that every transport carries: the shape in which the messaging SDK hands a push
 * to the app (S3.11). The server builds it, the worker and the page read it.
 */

/**
 * What the app understands of a push. Everything is optional: anyone may send anything to an
 * endpoint.
 */
export interface PushMessage {
  from?: string;
  collapse_key?: string;
  fcmMessageId?: string;
  notification?: { title?: string; body?: string; image?: string; icon?: string };
  data?: Record<string, string>;
  fcmOptions?: { link?: string; analytics_label?: string };
}

/** What Fieldbell's own server puts into `data`. All values are text, as FCM demands. */
export interface TopicMessageData {
  title: string;
  body: string;
  topicId: string;
  messageId: string;
  /** A path of the app, such as `/subscriptions`. */
  link: string;
  /** When the message was sent, ISO 8601. */
  sentAt: string;
}

/** A push of ours as it leaves the server: data only, so that nobody but our worker shows it. */
export function buildPushMessage(data: TopicMessageData, from = 'fieldbell'): PushMessage {
  return { from, fcmMessageId: data.messageId, data: { ...data } };
}

/** What to show for a push, whatever its shape. */
export interface Shown {
  title: string;
  body: string;
  /**
   * Equal tags replace each other, so that a repeated delivery is seen once. Undefined: nothing
   * identifies the push.
   */
  tag: string | undefined;
  /** Where a click leads, as the sender wrote it. Not to be trusted: see `clickTarget`. */
  link: string | undefined;
  image: string | undefined;
  /** Milliseconds since 1970, if the sender said when. */
  timestamp: number | undefined;
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
/** The first of the values that is text with something in it. */
const text = (...values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value.trim() !== '');

/**
 * Reads any push: ours, one with a notification part, both, neither or nonsense (`null`, a number,
 * an array). Title and body come from the data or the notification part, with the defaults
 * (S7.26, S9.23).
 */
export function readPushMessage(payload: unknown): Shown {
  const message = record(payload);
  const data = record(message.data);
  const notification = record(message.notification);
  const sentAt = Date.parse(text(data.sentAt) ?? '');
  return {
    title: text(data.title, notification.title) ?? 'New Message',
    body: text(data.body, notification.body) ?? 'You have a new message.',
    tag: text(data.messageId, message.fcmMessageId, notification.tag),
    link: text(data.link, record(message.fcmOptions).link, notification.click_action),
    image: text(data.image, notification.image),
    timestamp: Number.isNaN(sentAt) ? undefined : sentAt,
  };
}

/**
 * The address that a click opens: the link if it stays on our origin and is no script, else the
 * app's home page.
 * @param origin the app's own origin, such as `https://bell.example`
 */
export function clickTarget(link: string | undefined, origin: string): string {
  const target = URL.canParse(link ?? '', origin) ? new URL(link ?? '', origin) : undefined;
  // A path that begins with two slashes is an address of another host to whoever is handed the path
  // alone.
  return target?.origin === origin && !target.pathname.startsWith('//')
    ? target.href
    : new URL('/', origin).href;
}

/**
 * What the worker tells the app's open windows: that it showed a push, that the push subscription
 * is another one, or that a click leads to `path`. The last comes with a port: whoever answers on
 * it sees to the way there.
 */
export type WorkerMessage =
  | { type: 'shown'; shown: Shown }
  | { type: 'renewed' }
  | { type: 'open'; path: string };
