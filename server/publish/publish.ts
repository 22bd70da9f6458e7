/** Turns a machine's request into a message. */
import * as v from 'valibot';
import type { MessageOptions, Publication, Published } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { HttpError } from '../http/errors';
import { removeUnclean, truncate } from '../../src/shared/contract/fields';
import { MAX_LENGTH, messageTextFields } from '../../src/shared/contract/message-fields';
import { readDelay } from './delay';
import type { Parameters } from './parameters';
import { INVALID_PRIORITY, PUBLISH_PRIORITIES } from '../../src/shared/contract/publishing';
import { NTFY_PRIORITIES } from './publication';

/** A message, and the whole request to recognize a repetition. */
interface RequestedMessage extends MessageOptions {
  message: string;
  originalRequest: object;
}

/** ntfy's default text. */
const DEFAULT_TEXT = 'triggered';

/**
 * @param parameters of headers and query, which apply to text only
 * @throws HttpError 400 for an invalid priority or time, or an empty message
 */
export function readPublication(
  body: string | Publication,
  parameters: Parameters,
  now: number,
): RequestedMessage {
  if (typeof body === 'string') return readText(body, parameters, now);
  if (body.topic !== undefined) return readNtfy(body, now);
  const { priority, click, delay, topic: _, link, sendAt, ...options } = body;
  return {
    ...options,
    originalRequest: body,
    ...withoutUndefined({
      priority: priority === undefined ? undefined : NTFY_PRIORITIES[priority],
      link: link ?? readLink(click),
      sendAt: sendAt ?? readTime(delay, now),
    }),
  };
}

function readText(
  text: string,
  { attach, ...parameters }: Parameters,
  now: number,
): RequestedMessage {
  const { message, title, priority, click, delay } = parameters;
  const content = text.trim() === '' ? message : text;
  const isNothing = [content, title, click, attach].every((part) => part.trim() === '');
  if (isNothing) throw new HttpError(400, [{ message: 'Message is required.', path: 'message' }]);
  const name = PUBLISH_PRIORITIES.find(
    (listedPriority) => listedPriority === priority.toLowerCase(),
  );
  if (name === undefined && priority !== '')
    throw new HttpError(400, [{ message: INVALID_PRIORITY, path: 'priority' }]);
  return {
    ...truncatePublication({ message: content, title, click }),
    ...(name !== undefined && { priority: NTFY_PRIORITIES[name] }),
    ...(delay !== '' && { sendAt: readDelay(delay, now) }),
    originalRequest: { text, ...parameters },
  };
}

function readNtfy(body: Publication, now: number): RequestedMessage {
  const { message, title = '', priority, click = '', delay } = body;
  return {
    ...truncatePublication({ message, title, click }),
    ...withoutUndefined({
      priority: priority && NTFY_PRIORITIES[priority],
      sendAt: readTime(delay, now),
    }),
    originalRequest: body,
  };
}

const readTime = (delay: string | number | undefined, now: number): string | undefined =>
  delay === undefined ? undefined : readDelay(String(delay), now);

/** Truncates long texts and drops invalid links, because the message must arrive anyway. */
function truncatePublication({
  message,
  title,
  click,
}: {
  message: string;
  title: string;
  click: string;
}) {
  const line = truncate(removeUnclean(title).replace(/\s+/g, ' ').trim(), MAX_LENGTH.title);
  return {
    message: truncate(removeUnclean(message).trim(), MAX_LENGTH.text) || DEFAULT_TEXT,
    ...(line !== '' && { title: line }),
    ...withoutUndefined({ link: readLink(click) }),
  };
}

/** ntfy's links may be of any kind; unsupported ones are dropped. */
function readLink(click: string | undefined): string | undefined {
  const { success, output } = v.safeParse(messageTextFields.link, click);
  return success && output !== '' ? output : undefined;
}

const withoutUndefined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };

/** An accepted message in ntfy's format. */
export async function describePublished(id: string, db: Database): Promise<Published> {
  const { text, topic_title, send_at, created_at } = await db
    .selectFrom('messages')
    .select(['text', 'topic_title', 'send_at', 'created_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const time = Math.floor((send_at ?? created_at) / 1000);
  return { id, time, event: 'message', topic: topic_title, message: text };
}
