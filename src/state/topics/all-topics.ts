import { topicPage } from '../../shared/contract/topics' with { type: 'example' };
import { call } from '../../api/call';
import type { Topic } from '../../shared/contract';

export const TOPICS_FAILED = 'Failed to fetch topics.';
/** The server's limit. */
const MAX_PAGE = 100;
const TOPIC_PAGES = 10;

/** The newest thousand topics, by title. */
export async function readAllTopics(): Promise<readonly Topic[]> {
  const topics: Topic[] = [];
  for (let page = 1; page <= TOPIC_PAGES; page++) {
    const answer = await call('GET /api/admin/topics', {
      query: { page, limit: MAX_PAGE, query: '' },
      fallback: TOPICS_FAILED,
      like: topicPage,
    });
    topics.push(...answer.topics);
    if (answer.topics.length === 0 || topics.length >= answer.total) break;
  }
  // Pages may overlap if a topic is added while they are read.
  const once = [...new Map(topics.map((one) => [String(one.id), one])).values()];
  return once.sort((a, b) => a.title.localeCompare(b.title));
}
