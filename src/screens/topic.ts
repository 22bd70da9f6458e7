/** What the topics screen asks of the server, and the order of its rows. */
import { call } from '../api';
import type { Subscriber, Topic } from '../contract';
import { subscribers, topic, topicPage } from '../admin-shapes';
import { once } from './once';
import type { PageOf, Wanted } from './pages';

export const FETCH_FAILED = 'Failed to fetch topics. You might not have the required permissions.';

export async function readTopics(query: Wanted): Promise<PageOf<Topic>> {
  const { topics: rows, ...page } = await call('GET /api/admin/topics', { query, fallback: FETCH_FAILED, like: topicPage });
  return { rows, ...page };
}

export const SAVE_FAILED = { add: 'Failed to add topic.', edit: 'Failed to update topic.' };

/** Adds a topic, once however often that is tried, or changes the one with this id. */
export async function saveTopic(id: number | undefined, body: { title: string; description: string }): Promise<void> {
  if (id === undefined) await once(JSON.stringify(body), (idempotencyKey) => call('POST /api/admin/topics', { body, idempotencyKey, fallback: SAVE_FAILED.add, like: topic }));
  else await call('PUT /api/admin/topics/:id', { params: { id }, body, fallback: SAVE_FAILED.edit, like: topic });
}

export const SUBSCRIBERS_FAILED = 'Failed to fetch subscribers.';

export const readSubscribers = (id: number): Promise<Subscriber[]> =>
  call('GET /api/admin/topics/:id/subscribers', { params: { id }, fallback: SUBSCRIBERS_FAILED, like: subscribers });

export type Column = 'title' | 'createdAt';
export interface Order {
  by: Column;
  descending: boolean;
}
export const NEWEST_FIRST: Order = { by: 'createdAt', descending: true };

/** Pressing the column that sorts turns it round; another one starts with A, or with the newest. */
export const press = (order: Order, by: Column): Order => (order.by === by ? { by, descending: !order.descending } : { by, descending: by === 'createdAt' });

/** Rows of the page in this order. A date that is none counts as older than all. */
export function sort(rows: readonly Topic[], { by, descending }: Order): Topic[] {
  const compare = by === 'title' ? byTitle() : byTime(rows);
  return [...rows].sort((one, other) => (descending ? compare(other, one) : compare(one, other)));
}

/** The reader's alphabet is made when it is first asked for: that takes 13 ms, on a slow machine 77, of opening the list. */
function byTitle() {
  const { compare } = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  return (one: Topic, other: Topic) => compare(one.title, other.title);
}

/** Reads each date once, not at every comparison. */
function byTime(rows: readonly Topic[]) {
  const times = new Map(rows.map((row) => [row, time(row)]));
  return (one: Topic, other: Topic) => times.get(one)! - times.get(other)!;
}

/** Not every backend keeps its promises about dates (see `shapes.ts`). */
const time = ({ createdAt }: Topic): number => (typeof createdAt === 'string' && Date.parse(createdAt)) || 0;
