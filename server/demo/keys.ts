/** The machines of the sample: nobody has their keys, so nothing sends with them. */
import type { Database } from '../db/open';
import { hashOfKey, makeKey } from '../http/access/topic-key';
import * as names from './names';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

/** By the topic's title the newest key of each that has any. */
export async function insertKeys(
  db: Database,
  now: number,
  topics: { id: number; title: string }[],
): Promise<Map<string, { id: number; name: string }>> {
  const newest = new Map<string, { id: number; name: string }>();
  for (const [index, [title, name]] of names.keys.entries()) {
    const topic = topics.find((row) => row.title === title);
    if (topic === undefined) throw new Error(`The sample has no topic called ${title}`);
    const key = makeKey();
    const { id } = await db
      .insertInto('topic_keys')
      .values({
        topic_id: topic.id,
        name,
        prefix: key.slice(0, 8),
        hash: hashOfKey(key),
        created_at: now - (names.keys.length - index) * 5 * DAY,
        // The first was made and never used.
        last_used_at: index === 0 ? null : now - index * 3 * HOUR,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    newest.set(title, { id, name });
  }
  return newest;
}
