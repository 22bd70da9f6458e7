/** Believable rows for a backend that is not there. */
import type { Subscriber, Topic, TopicPage, User, UserPage } from '../../../src/shared/contract';

const DAY = 24 * 60 * 60 * 1000;
const day = (index: number): string => new Date(Date.UTC(2026, 10, 20) - index * DAY).toISOString();

export const makeTopic = (id: number, change: Partial<Topic> = {}): Topic => ({
  id,
  title: `Topic ${id}`,
  description: `About topic ${id}`,
  createdAt: day(id),
  updatedAt: day(id),
  ...change,
});

export const makeUser = (id: number, change: Partial<User> = {}): User => ({
  id,
  username: `user${id}`,
  email: `user${id}@northgrid.example`,
  role: 'TECHNICIAN',
  status: 'ACTIVE',
  createdAt: day(id),
  ...change,
});

export const makeSubscriber = (id: number, change: Partial<Subscriber> = {}): Subscriber => ({
  id,
  createdAt: day(id),
  user: { username: `user${id}`, role: 'TECHNICIAN' },
  notificationStatus: 'enabled',
  enabledDevices: 1,
  totalDevices: 1,
  ...change,
});

/** So many rows, of which a list answers the asked page. */
export function topicPages(
  topics: readonly Topic[],
): (asked: { query: Record<string, string> }) => TopicPage {
  return ({ query }) => ({ topics: slice(topics, query), ...place(topics, query) });
}
export function userPages(
  users: readonly User[],
): (asked: { query: Record<string, string> }) => UserPage {
  return ({ query }) => ({ users: slice(users, query), ...place(users, query) });
}

const place = (rows: readonly unknown[], { page, limit }: Record<string, string>) => ({
  total: rows.length,
  page: Number(page),
  limit: Number(limit),
});
const slice = <Row>(rows: readonly Row[], { page, limit }: Record<string, string>): Row[] =>
  rows.slice((Number(page) - 1) * Number(limit), Number(page) * Number(limit));

/** Numbers from 1 to `last`. */
export const count = (last: number): number[] =>
  Array.from({ length: last }, (_, index) => index + 1);
