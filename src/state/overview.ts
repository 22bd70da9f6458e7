/** What an administrator sees first: how much there is, and what was sent last. */
import { topicPage, userPage } from '../api/admin-shapes';
import { call } from '../api/call';
import type { SentMessage } from '../shared/contract';
import { readSent } from './sent';

export interface Overview {
  /** So many there are; undefined where that cannot be read. */
  users: number | undefined;
  topics: number | undefined;
  /** The newest first. */
  messages: readonly SentMessage[];
}

/** So many messages are shown. */
const LAST = 3;
const ONE = { page: 1, limit: 1 };

/** @throws {ApiError} if the messages cannot be read */
export async function readOverview(): Promise<Overview> {
  const total = (page: Promise<{ total: number }>) =>
    page.then((answer) => answer.total).catch(() => undefined);
  const [users, topics, { rows }] = await Promise.all([
    total(call('GET /api/admin/users', { query: ONE, fallback: '', like: userPage })),
    total(call('GET /api/admin/topics', { query: ONE, fallback: '', like: topicPage })),
    readSent({ page: 1, limit: LAST, query: '' }),
  ]);
  return { users, topics, messages: rows.slice(0, LAST) };
}
