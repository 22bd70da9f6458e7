/**
 * The one payload that every transport carries: the shape in which the messaging SDK hands a push
 * to the app (S3.11). The server builds it, the worker and the page read it.
 */
import type { Priority, Receipt } from './contract';

/**
 * What the app understands of a push. Everything is optional: anyone may send anything to an
 * endpoint.
 */
export interface PushMessage {
  from?: string;
  collapse_key?: string;
  fcmMessageId?: string;
  notification?: Record<string, unknown>;
  data?: Record<string, string>;
  fcmOptions?: { link?: string; analytics_label?: string };
}

/** What Fieldbell's own server puts into `data`. All values are text, as FCM demands. */
export interface TopicMessageData {
  title: string;
  body: string;
  /** Empty for a person who is named, and in none of the message's topics. */
  topicId: string;
  messageId: string;
  /** Where a click leads: a path of the app, such as `/messages/ID`. */
  link: string;
  /** When the message was sent, ISO 8601. */
  sentAt: string;
  /** What follows is not in a push of a server that knows only the specification. */
  priority?: Priority;
  /** A list of texts as JSON. */
  answers?: string;
  /** The sender's link; empty without one, and where there was no room for it. */
  url?: string;
  /** ISO 8601. */
  expiresAt?: string;
  /** The person's number of the message; `0` where it is in no inbox. */
  seq?: string;
  /** How many messages the person has not read, at most 100. */
  unread?: string;
  /** `0`, and how often the message has rung again. */
  round?: string;
  /** Only in a test of this device: the test's id, which `messageId` is, too. It is in no inbox. */
  testId?: string;
}

/** A push of ours as it leaves the server: data only, so that only our worker shows it. */
export function buildPushMessage(data: TopicMessageData, from = 'fieldbell'): PushMessage {
  return { from, fcmMessageId: data.messageId, data: { ...data } };
}

/**
 * The same for Apple's push services. It says at the top level what to show, so that Safari shows it
 * even if our worker does not run; `mutable` gives our worker its turn before. Fields that are there
 * twice have moved within the standard, and WebKit reads either place. There, equal tags do not
 * replace each other: a message that rings again says so.
 * @param origin the app's own, such as `https://bell.example`
 */
export function buildDeclarativeMessage(
  { title, body, ...data }: TopicMessageData,
  origin: string,
): object {
  const unread = Number(data.unread) || 0;
  return {
    web_push: 8030,
    fcmMessageId: data.messageId,
    notification: {
      title: again(data.round) + title,
      body,
      navigate: new URL(data.link, origin).href,
      lang: 'en',
      dir: 'auto',
      tag: data.messageId,
      data,
      ...(unread > 0 && { app_badge: String(unread) }),
      mutable: true,
    },
    ...(unread > 0 && { app_badge: unread }),
    mutable: true,
  };
}

const again = (round = '0') =>
  round === '0' ? '' : round === '1' ? 'Again: ' : `Again (${round}): `;

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
  /** The message's id, by which it is reported. Undefined for what our server did not send. */
  id: string | undefined;
  priority: Priority;
  /** None to three. */
  answers: string[];
  /** The sender's link: a path of the app, or an https address. */
  url: string | null;
  /** Milliseconds since 1970. */
  expiresAt: number | undefined;
  /** Undefined where it is in no inbox. */
  seq: number | undefined;
  /** How many messages the person has not read. */
  unread: number | undefined;
  /** How often it has rung again. */
  round: number;
  /** Whether it is a test of this device, of which `id` is the id. */
  isTest: boolean;
}

const MAX_ANSWERS = 3;
const MAX_ANSWER = 24;
/** Ids are much shorter; a longer text is none. */
const MAX_ID = 100;

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
/** The first of the values that is text with something in it. */
const text = (...values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value.trim() !== '');

/** A number of digits alone, or undefined. */
const count = (value: unknown): number | undefined =>
  /^\d{1,15}$/.test(String(value)) ? Number(value) : undefined;
const time = (value: unknown): number | undefined => {
  const milliseconds = Date.parse(text(value) ?? '');
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
};

/** The answers, if all of them can be one; none of a list that is not what we send. */
function readAnswers(value: unknown): string[] {
  try {
    const answers: unknown = JSON.parse(text(value) ?? '[]');
    const sound =
      Array.isArray(answers) &&
      answers.length <= MAX_ANSWERS &&
      answers.every((one) => text(one) !== undefined && [...String(one)].length <= MAX_ANSWER);
    return sound ? [...new Set(answers as string[])] : [];
  } catch {
    return [];
  }
}

/** A link that may be offered: never a script, never another scheme. */
const readUrl = (value: unknown): string | null => {
  const url = text(value);
  return url && /^(https:\/\/|\/(?![/\\]))/i.test(url) ? url : null;
};

/**
 * Reads any push: ours, one with a notification part, both, neither or nonsense (`null`, a number,
 * an array). Title and body come from the data or the notification part, with the defaults
 * (S7.26, S9.23); data can also be inside the notification part (`buildDeclarativeMessage`).
 */
export function readPushMessage(payload: unknown): Shown {
  const message = record(payload);
  const notification = record(message.notification);
  const data = { ...record(notification.data), ...record(message.data) };
  const id = text(data.messageId);
  const seq = count(data.seq);
  return {
    title: text(data.title, notification.title) ?? 'New Message',
    body: text(data.body, notification.body) ?? 'You have a new message.',
    tag: text(data.messageId, message.fcmMessageId, notification.tag),
    link: text(data.link, record(message.fcmOptions).link, notification.click_action),
    image: text(data.image, notification.image),
    timestamp: time(data.sentAt),
    id: id && id.length <= MAX_ID ? id : undefined,
    priority: data.priority === 'info' || data.priority === 'urgent' ? data.priority : 'normal',
    answers: readAnswers(data.answers),
    url: readUrl(data.url),
    expiresAt: time(data.expiresAt),
    seq: seq || undefined,
    unread: count(data.unread),
    round: count(data.round) ?? 0,
    isTest: id !== undefined && data.testId === id,
  };
}

/**
 * The address that a click opens: the link if it stays on our origin and is no script, else the
 * app's home page.
 * @param origin the app's own origin, such as `https://bell.example`
 */
export function clickTarget(link: string | undefined, origin: string): string {
  const target = URL.canParse(link ?? '', origin) ? new URL(link ?? '', origin) : undefined;
  // A blob has our origin, too. A path that begins with two slashes is an address of another host
  // where the path alone is handed on.
  return target?.href.startsWith(`${origin}/`) && !target.pathname.startsWith('//')
    ? target.href
    : new URL('/', origin).href;
}

/**
 * What the worker tells the app's open windows: that it showed a push, that the person of this
 * device pressed a notification, which is kept or told by then, that the push subscription is
 * another one, or that a click leads to `path`. The last comes with a port: the page that answers on
 * it sees to the way there.
 */
export type WorkerMessage =
  | { type: 'shown'; shown: Shown }
  | { type: 'pressed'; person: number; receipt: Receipt }
  | { type: 'renewed' }
  | { type: 'open'; path: string };
