/** What a machine asks for becomes a message. */
import * as v from 'valibot';
import type { MessageOptions, Publication, Published } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { HttpError } from '../http/errors';
import { cleaned, cut } from '../../src/shared/contract/fields';
import { MAX_LENGTH, messageText } from '../../src/shared/contract/message-fields';
import { readDelay } from './delay';
import type { Parameters } from './parameters';
import { NO_PRIORITY, PRIORITY_NAMES } from '../../src/shared/contract/publishing';
import { NTFY_PRIORITIES } from './publication';

/** What a message has, and all that was asked for, which is the same when it is asked again. */
interface AskedPublication extends MessageOptions {
  message: string;
  asked: object;
}

/** What ntfy says where a script says nothing else. */
const TRIGGERED = 'triggered';

/**
 * @param parameters what headers and address say, which is of text alone
 * @throws HttpError 400 for a priority or a time that cannot be read, and for nothing at all
 */
export function readPublication(
  body: string | Publication,
  parameters: Parameters,
  now: number,
): AskedPublication {
  if (typeof body === 'string') return readText(body, parameters, now);
  if (body.topic !== undefined) return readNtfy(body, now);
  const { priority, click, delay, topic: _, link, sendAt, ...options } = body;
  return {
    ...options,
    asked: body,
    ...defined({
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
): AskedPublication {
  const { message, title, priority, click, delay } = parameters;
  const said = text.trim() === '' ? message : text;
  const isNothing = [said, title, click, attach].every((part) => part.trim() === '');
  if (isNothing) throw new HttpError(400, [{ message: 'Message is required.', path: 'message' }]);
  const name = PRIORITY_NAMES.find((one) => one === priority.toLowerCase());
  if (name === undefined && priority !== '')
    throw new HttpError(400, [{ message: NO_PRIORITY, path: 'priority' }]);
  return {
    ...shorten({ message: said, title, click }),
    ...(name !== undefined && { priority: NTFY_PRIORITIES[name] }),
    ...(delay !== '' && { sendAt: readDelay(delay, now) }),
    asked: { text, ...parameters },
  };
}

function readNtfy(body: Publication, now: number): AskedPublication {
  const { message, title = '', priority, click = '', delay } = body;
  return {
    ...shorten({ message, title, click }),
    ...defined({
      priority: priority && NTFY_PRIORITIES[priority],
      sendAt: readTime(delay, now),
    }),
    asked: body,
  };
}

const readTime = (delay: string | number | undefined, now: number): string | undefined =>
  delay === undefined ? undefined : readDelay(String(delay), now);

/** It rings all the same, whatever is too long for a message, or is no link for the app. */
function shorten({ message, title, click }: { message: string; title: string; click: string }) {
  const line = cut(cleaned(title).replace(/\s+/g, ' ').trim(), MAX_LENGTH.title);
  return {
    message: cut(cleaned(message).trim(), MAX_LENGTH.text) || TRIGGERED,
    ...(line !== '' && { title: line }),
    ...defined({ link: readLink(click) }),
  };
}

/** Ntfy's may be of any kind: what none of ours may be is left out. */
function readLink(click: string | undefined): string | undefined {
  const { success, output } = v.safeParse(messageText.link, click);
  return success && output !== '' ? output : undefined;
}

const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };

/** A message that was just accepted, in ntfy's words. */
export async function describePublished(id: string, db: Database): Promise<Published> {
  const { text, topic_title, send_at, created_at } = await db
    .selectFrom('messages')
    .select(['text', 'topic_title', 'send_at', 'created_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const time = Math.floor((send_at ?? created_at) / 1000);
  return { id, time, event: 'message', topic: topic_title, message: text };
}
