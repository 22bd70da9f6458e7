// The payload of every transport, in the shape in which the messaging SDK passes a push to the app
// (S3.11). The server builds the message; worker and page read it.
import type { Priority, Receipt } from './contract';
import { isolateDirection } from './isolate-direction';
import type { Direction } from './languages';

/** Everything is optional: anyone may send anything to an endpoint. */
export interface PushMessage {
  from?: string;
  collapse_key?: string;
  fcmMessageId?: string;
  notification?: Record<string, unknown>;
  data?: Record<string, string>;
  fcmOptions?: { link?: string; analytics_label?: string };
}

/** Our server's `data`. All values are strings, as FCM requires. */
export interface TopicMessageData {
  title: string;
  body: string;
  /** Empty if the message is addressed to the person, not to one of their topics. */
  topicId: string;
  messageId: string;
  /** A path of the app, such as `/messages/ID`. */
  link: string;
  /** ISO 8601. */
  sentAt: string;
  /** A server with only the specification's API omits this and all below. */
  priority?: Priority;
  /** A JSON list of strings. */
  answers?: string;
  /** The sender's link; empty without a link, or if the push has no room. */
  url?: string;
  /**
   * The language of the app's words in the message, and of the sender's words if they are
   * translated.
   */
  lang?: string;
  /** The direction is omitted for text that a sender typed: its letters show the direction. */
  dir?: Direction;
  /** ISO 8601. */
  expiresAt?: string;
  /** The message's number in the person's inbox; `0` if it is in no inbox. */
  seq?: string;
  /** The unread count, at most 100. */
  unread?: string;
  /** How often this revision was repeated, from `0`. */
  round?: string;
  /** Counts the message's texts, from `1`. */
  revision?: string;
  /** `true` if the message no longer applies: the body is the all-clear. */
  allClear?: string;
  /** Ids of messages that no longer apply, with commas: their notifications close. */
  closes?: string;
  /** The id of a device test, equal to `messageId`. Tests are not in the inbox. */
  testId?: string;
}

/** Data only, so that only our worker shows it. */
export function buildPushMessage(data: TopicMessageData, from = 'fieldbell'): PushMessage {
  return { from, fcmMessageId: data.messageId, data: { ...data } };
}

/**
 * Apple's format. Safari shows the top level's notification even without our worker; `mutable` lets
 * our worker run first. WebKit reads duplicate fields in either place.
 * @param origin the app's own, such as `https://bell.example`
 * @param marks the title's marks in the person's language; English if omitted
 */
export function buildDeclarativeMessage(
  { title, body, ...rest }: TopicMessageData,
  origin: string,
  marks?: TitleMarks,
): object {
  const notification = readPushMessage({ data: { title, ...rest } });
  const name = notificationTitle(notification, marks);
  // The title without its marks, for our worker and the inbox.
  const data = { ...rest, ...(name !== title && { title }) };
  const unread = Number(data.unread) || 0;
  return {
    web_push: 8030,
    fcmMessageId: data.messageId,
    notification: {
      title: name,
      body,
      navigate: new URL(data.link, origin).href,
      lang: data.lang ?? 'en',
      dir: data.dir ?? 'auto',
      tag: data.messageId,
      data,
      ...(unread > 0 && { app_badge: String(unread) }),
      mutable: true,
    },
    ...(unread > 0 && { app_badge: unread }),
    mutable: true,
  };
}

/** The marks that a title begins with, such as `Urgent` and `2nd time`. */
export interface TitleMarks {
  urgent: string;
  again: (round: number) => string;
  corrected: string;
  allClear: string;
}

const ENGLISH_TITLE_MARKS: TitleMarks = {
  urgent: 'Urgent',
  again: (round) => `${ordinal(round + 1)} time`,
  corrected: 'Corrected',
  allClear: 'All clear',
};

type MarkedNotification = Pick<
  ShownNotification,
  'title' | 'priority' | 'round' | 'revision' | 'isAllClear' | 'isTest' | 'lang' | 'dir'
>;

/**
 * A notification's title, such as `Urgent, 2nd time: Grid outages`. The inbox shows it without the
 * marks, which say the same beside it.
 */
export function notificationTitle(
  {
    title,
    priority,
    round,
    revision = 1,
    isAllClear,
    isTest,
    lang = 'en',
    dir,
  }: MarkedNotification,
  { urgent, again, corrected, allClear } = ENGLISH_TITLE_MARKS,
): string {
  const marks = isAllClear
    ? [allClear]
    : [
        ...(priority === 'urgent' && !isTest ? [urgent] : []),
        ...(revision > 1 ? [corrected] : []),
        ...(round > 0 ? [again(round)] : []),
      ];
  const name = marks.length > 0 || dir === 'rtl' ? isolateDirection(title, lang) : title;
  return marks.length ? `${marks.join(', ')}: ${name}` : name;
}

/** `2nd`, `3rd`, `11th`, `21st`; the number in the worker of another language. */
function ordinal(place: number): string {
  const { LANGUAGE: language = 'en' } = globalThis as { LANGUAGE?: string };
  if (language !== 'en') return String(place);
  const [lastDigit, tens] = [place % 10, Math.floor(place / 10) % 10];
  return place + (tens === 1 ? 'th' : (['th', 'st', 'nd', 'rd'][lastDigit] ?? 'th'));
}

/** What to show for a push, whatever its shape. */
export interface ShownNotification {
  title: string;
  body: string;
  /**
   * Equal tags replace each other, so a repeated delivery shows once. Undefined if unidentified.
   */
  tag: string | undefined;
  /** The sender's link, unchecked: open only `clickTarget`. */
  link: string | undefined;
  image: string | undefined;
  /** Milliseconds since 1970, if known. */
  timestamp: number | undefined;
  /** The id is undefined if our server did not send the push. */
  id: string | undefined;
  priority: Priority;
  answers: string[];
  /** A path of the app, or an https address. */
  url: string | null;
  /** Milliseconds since 1970. */
  expiresAt: number | undefined;
  /** The message's number in the inbox; undefined if it is in no inbox. */
  seq: number | undefined;
  unread: number | undefined;
  /** The language of the message's words, if the server names the language. */
  lang: string | undefined;
  /** The direction of the message's words, if their language is known. */
  dir: Direction | undefined;
  /** How often the message was repeated. */
  round: number;
  /** Counts the message's texts, from 1. Undefined from a server without corrections. */
  revision: number | undefined;
  /** Whether the push says that the message no longer applies. */
  isAllClear: boolean;
  /** The messages whose notifications close. */
  closes: string[];
  /** Whether the push is a device test, whose id is `id`. */
  isTest: boolean;
}

const MAX_ANSWERS = 3;
const MAX_ANSWER_LENGTH = 24;
const MAX_CLOSED_TAGS = 3;
/** Our ids are shorter. */
const MAX_ID_LENGTH = 100;

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
/** The first value that is a non-empty string. */
const text = (...values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value.trim() !== '');

const asCount = (value: unknown): number | undefined =>
  /^\d{1,15}$/.test(String(value)) ? Number(value) : undefined;
const time = (value: unknown): number | undefined => {
  const milliseconds = Date.parse(text(value) ?? '');
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
};

/** Returns no answers unless all are valid. */
function readAnswers(value: unknown): string[] {
  try {
    const answers: unknown = JSON.parse(text(value) ?? '[]');
    const isValid =
      Array.isArray(answers) &&
      answers.length <= MAX_ANSWERS &&
      answers.every(
        (answer) => text(answer) !== undefined && [...String(answer)].length <= MAX_ANSWER_LENGTH,
      );
    return isValid ? [...new Set(answers as string[])] : [];
  } catch {
    return [];
  }
}

const readLanguage = (value: unknown): string | undefined =>
  /^[a-z]{2}$/.test(String(value)) ? String(value) : undefined;

/** Accepts https addresses and paths, never a script. */
const readUrl = (value: unknown): string | null => {
  const url = text(value);
  return url && /^(https:\/\/|\/(?![/\\]))/i.test(url) ? url : null;
};

/**
 * Reads any push: ours, one with a notification part, or nonsense (`null`, a number, an array).
 * Title and body come from the data or the notification part, with defaults (S7.26, S9.23). Data
 * may be inside the notification part (`buildDeclarativeMessage`).
 */
export function readPushMessage(payload: unknown): ShownNotification {
  const message = asRecord(payload);
  const notification = asRecord(message.notification);
  const data = { ...asRecord(notification.data), ...asRecord(message.data) };
  const id = text(data.messageId);
  const seq = asCount(data.seq);
  return {
    title: text(data.title, notification.title) ?? 'New Message',
    body: text(data.body, notification.body) ?? 'You have a new message.',
    tag: text(data.messageId, message.fcmMessageId, notification.tag),
    link: text(data.link, asRecord(message.fcmOptions).link, notification.click_action),
    image: text(data.image, notification.image),
    timestamp: time(data.sentAt),
    id: id && id.length <= MAX_ID_LENGTH ? id : undefined,
    priority: data.priority === 'info' || data.priority === 'urgent' ? data.priority : 'normal',
    answers: readAnswers(data.answers),
    url: readUrl(data.url),
    expiresAt: time(data.expiresAt),
    seq: seq || undefined,
    unread: asCount(data.unread),
    lang: readLanguage(data.lang),
    dir: data.dir === 'ltr' || data.dir === 'rtl' ? data.dir : undefined,
    round: asCount(data.round) ?? 0,
    revision: asCount(data.revision),
    isAllClear: data.allClear === 'true',
    closes: text(data.closes)?.split(',', MAX_CLOSED_TAGS) ?? [],
    isTest: id !== undefined && data.testId === id,
  };
}

/**
 * The URL that a click opens: the link if it stays on our origin, otherwise the app's home page.
 * @param origin the app's own, such as `https://bell.example`
 */
export function clickTarget(link: string | undefined, origin: string): string {
  const target = URL.canParse(link ?? '', origin) ? new URL(link ?? '', origin) : undefined;
  // A blob URL has our origin too. A path with two leading slashes would be another host if passed
  // on alone.
  return target?.href.startsWith(`${origin}/`) && !target.pathname.startsWith('//')
    ? target.href
    : new URL('/', origin).href;
}

/**
 * What the worker tells open windows: a push was shown; the device's person pressed a notification
 * (stored or sent by then); the push subscription changed; or a click leads to `path`. The last has
 * a port: the page that replies on it handles the click.
 */
export type WorkerMessage =
  | { type: 'shown'; shown: ShownNotification }
  | { type: 'pressed'; person: number; receipt: Receipt }
  | { type: 'renewed' }
  | { type: 'open'; path: string };
