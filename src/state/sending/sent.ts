/** The messages that were sent, and how far each of them got, as an administrator reads them. */
import { recipientPage, report, rung, sentPage } from '../../api/shapes/admin';
import { call } from '../../api/call';
import { withCause } from '../../api/cause';
import { ApiError } from '../../api/error';
import { get } from '../../api/get';
import { readJson } from '../../api/json';
import type { Recipient, RecipientState, SentMessage } from '../../shared/contract';
import type { PageOf, Wanted } from '../pages';

export const FETCH_FAILED = 'Failed to fetch messages.';
export const MESSAGE_FAILED = 'Failed to fetch the message.';
export const RECIPIENTS_FAILED = 'Failed to fetch the people of this message.';
export const DOWNLOAD_FAILED = 'Failed to download the list.';
export const STOP_FAILED = 'Failed to stop the message.';
export const REPEAT_FAILED = 'Failed to ring again.';

/** A read that has not been answered by then is asked again. */
const LIMIT_MS = 10_000;
/** A list of many thousand people takes a while on a slow network. */
const DOWNLOAD_LIMIT_MS = 120_000;
/** The most that a page may have. */
const MOST = 100;

/** Everybody that a message is for is in one of these, by how far it got with them. */
export const GROUPS = {
  confirmed: ['acknowledged'],
  read: ['read'],
  shown: ['displayed'],
  missed: ['unreachable', 'muted', 'held', 'failed', 'pending', 'accepted'],
} as const satisfies Record<string, readonly RecipientState[]>;

export type Group = keyof typeof GROUPS;

/** How many people are in each group: their sum is the people. */
export const countGroups = ({ people }: SentMessage): Record<Group, number> => ({
  confirmed: people.acknowledged,
  read: people.read - people.acknowledged,
  shown: people.displayed - people.read,
  missed: people.total - people.displayed,
});

export async function readSent(query: Wanted): Promise<PageOf<SentMessage>> {
  const { messages: rows, ...page } = await call('GET /api/admin/messages', {
    query,
    fallback: FETCH_FAILED,
    like: sentPage,
  }).catch(withCause(FETCH_FAILED));
  return { rows, ...page };
}

/** A message as it was when its `tag` was given. */
export interface Seen {
  message: SentMessage;
  tag: string | null;
}

/**
 * How far a message is; the same object again where that is as it was.
 * @throws {ApiError}
 */
export function readProgress(id: string, before?: Seen): Promise<Seen> {
  return get(
    'GET /api/admin/messages/:id',
    {
      params: { id },
      headers: before?.tag ? { 'If-None-Match': before.tag } : {},
      fallback: MESSAGE_FAILED,
      limit: LIMIT_MS,
    },
    async (response) => {
      if (response.status === 304 && before) return before;
      const message = await readJson(response);
      if (!report(message)) throw new ApiError('garbled', MESSAGE_FAILED, response.status);
      return { message: message as SentMessage, tag: response.headers.get('ETag') };
    },
  );
}

/** A page of one group of the people that a message is for. */
export async function readRecipients(
  id: string,
  group: Group,
  wanted: Wanted,
): Promise<PageOf<Recipient>> {
  const { recipients: rows, ...page } = await call('GET /api/admin/messages/:id/recipients', {
    params: { id },
    query: { ...wanted, state: GROUPS[group].join() },
    fallback: RECIPIENTS_FAILED,
    like: recipientPage,
  });
  return { rows, ...page };
}

/** The usernames of all of a group that match a search. Persons who were removed have none. */
export async function readNames(id: string, group: Group, query: string): Promise<string[]> {
  const names = new Set<string>();
  for (let page = 1; ; page++) {
    const { rows, total, limit } = await readRecipients(id, group, { page, limit: MOST, query });
    for (const { user } of rows) if (user) names.add(user.username);
    if (rows.length === 0 || page * (limit > 0 ? limit : MOST) >= total) return [...names];
  }
}

/** All the people of a message, as a file for spreadsheets. */
export const downloadRecipients = (id: string): Promise<Blob> =>
  get(
    'GET /api/admin/messages/:id/recipients.csv',
    { params: { id }, fallback: DOWNLOAD_FAILED, limit: DOWNLOAD_LIMIT_MS },
    (response) => response.blob(),
  );

/** Takes back what has not left yet. */
export async function stopMessage(id: string): Promise<void> {
  await call('POST /api/admin/messages/:id/cancel', {
    params: { id },
    fallback: STOP_FAILED,
  });
}

/**
 * Rings again at those who have not answered. @param userIds only at those of them; @returns at how
 * many people
 */
export async function ringAgain(id: string, userIds?: number[]): Promise<number> {
  const { people } = await call('POST /api/admin/messages/:id/repeat', {
    params: { id },
    body: userIds ? { userIds } : {},
    fallback: REPEAT_FAILED,
    like: rung,
  });
  return people;
}
