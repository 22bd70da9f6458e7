import type { SendingTopic } from '../../src/shared/contract';
import { idList } from '../db/json-table';
import type { Database } from '../db/open';
import { countAudience } from '../subscriptions/audience-size';
import { readSenderTopicIds } from '../http/access/sender-rights';

/** The topics that a person may send to. */
export const listSenderTopicTitles = async (
  userId: number,
  db: Database,
): Promise<{ id: number; title: string }[]> =>
  db
    .selectFrom('topics')
    .where('id', 'in', idList(await readSenderTopicIds(userId, db)))
    .select(['id', 'title'])
    .orderBy('search_key')
    .execute();

/** The topics that a person may send to, by title, with the people they reach. */
export async function listSendingTopics(
  userId: number,
  db: Database,
  now: number,
): Promise<SendingTopic[]> {
  const rows = await db
    .selectFrom('topics')
    .where('id', 'in', idList(await readSenderTopicIds(userId, db)))
    .select(['id', 'title', 'description'])
    .orderBy('search_key')
    .execute();
  const topics: SendingTopic[] = [];
  for (const row of rows) {
    const { people, reachable } = await countAudience({ topicIds: [row.id] }, db, now);
    topics.push({ ...row, people, reachable });
  }
  return topics;
}
