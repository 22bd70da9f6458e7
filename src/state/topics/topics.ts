/** Topics, for administrators. */
import { call } from '../../api/call';
import { ApiError } from '../../api/error';
import type {
  Audience,
  Body,
  ListedTopic,
  Priority,
  Subscriber,
  Topic,
} from '../../shared/contract';
import { audienceSchema } from '../../shared/contract/messages' with { type: 'example' };
import { subscribersSchema } from '../../shared/contract/subscriptions' with { type: 'example' };
import { topicSchema, topicPageSchema } from '../../shared/contract/topics' with {
  type: 'example',
};
import { withIdempotencyKey } from '../../api/idempotency';
import type { PageOf, PageRequest } from '../read-all-pages';

export const TOPIC_PAGE_FAILED =
  'Failed to fetch topics. You might not have the required permissions.';

export async function readTopics(query: PageRequest): Promise<PageOf<ListedTopic>> {
  const { topics: rows, ...page } = await call('GET /api/admin/topics', {
    query,
    fallback: TOPIC_PAGE_FAILED,
    like: topicPageSchema,
  });
  return { rows, ...page };
}

export const TOPIC_FAILED = 'Failed to load the topic.';

export const readTopic = (id: string): Promise<Topic> =>
  call('GET /api/admin/topics/:id', { params: { id }, fallback: TOPIC_FAILED, like: topicSchema });

export const TOPIC_SAVE_FAILED = { add: 'Failed to add topic.', edit: 'Failed to update topic.' };

/**
 * Adds a topic, or changes the topic with this id; a retry is safe.
 * @returns its id
 */
export async function saveTopic(
  id: number | undefined,
  body: Body<'POST /api/admin/topics'>,
): Promise<number> {
  const savedTopic = await (id === undefined
    ? withIdempotencyKey('POST /api/admin/topics', body, (idempotencyKey) =>
        call('POST /api/admin/topics', {
          body,
          idempotencyKey,
          fallback: TOPIC_SAVE_FAILED.add,
          like: topicSchema,
        }),
      )
    : call('PUT /api/admin/topics/:id', {
        params: { id },
        body,
        fallback: TOPIC_SAVE_FAILED.edit,
        like: topicSchema,
      }));
  return savedTopic.id;
}

/** @param fallback names the topic as people know it */
export const deleteTopic = (id: number, fallback: string): Promise<unknown> =>
  call('DELETE /api/admin/topics/:id', { params: { id }, fallback });

export const SUBSCRIBERS_FAILED = 'Failed to fetch subscribers.';

export const readSubscribers = (id: number): Promise<Subscriber[]> =>
  call('GET /api/admin/topics/:id/subscribers', {
    params: { id },
    fallback: SUBSCRIBERS_FAILED,
    like: subscribersSchema,
  });

/** If the server cannot count, from the subscriber list. */
export async function readTopicAudience(id: number, priority: Priority): Promise<Audience> {
  try {
    return await call('POST /api/admin/messages/audience', {
      body: { topicIds: [id], priority },
      fallback: SUBSCRIBERS_FAILED,
      like: audienceSchema,
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return countAudience(await readSubscribers(id));
  }
}

function countAudience(rows: readonly Subscriber[]): Audience {
  const countIn = (...wanted: Subscriber['notificationStatus'][]) =>
    rows.filter(({ notificationStatus }) => wanted.includes(notificationStatus)).length;
  return {
    people: rows.length,
    reachable: countIn('enabled', 'partial'),
    muted: countIn('disabled'),
    unreachable: countIn('no_devices'),
    held: 0,
  };
}
