/** All topics at once, to choose from. */
import { topicPage } from '../../shared/contract/topics' with { type: 'example' };
import { call } from '../../api/call';
import type { Topic } from '../../shared/contract';

export const TOPICS_FAILED = 'Failed to fetch topics.';
/** The most that a page may have. */
const MAX_PAGE = 100;
/** So many pages of topics are read to choose from. */
const TOPIC_PAGES = 10;

/** Topics to choose from, by title: the newest thousand. */
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
  // A server whose pages overlap gives some of them twice.
  const once = [...new Map(topics.map((one) => [String(one.id), one])).values()];
  return once.sort((a, b) => a.title.localeCompare(b.title));
}
