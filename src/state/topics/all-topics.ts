import { topicPageSchema } from '../../shared/contract/topics' with { type: 'example' };
import { call } from '../../api/call';
import type { Topic } from '../../shared/contract';
import { readAllPages } from '../read-all-pages';

export const TOPICS_FAILED = 'Failed to load topics.';

/** The newest thousand topics, by title. */
export async function readAllTopics(): Promise<readonly Topic[]> {
  const topics = await readAllPages(async (query) => {
    const { topics: rows, ...page } = await call('GET /api/admin/topics', {
      query,
      fallback: TOPICS_FAILED,
      like: topicPageSchema,
    });
    return { rows, ...page };
  });
  return [...topics].sort((a, b) => a.title.localeCompare(b.title));
}
