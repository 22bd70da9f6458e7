// This is a separate chunk, which only a registered device needs.
import { call } from '../../api/call';
import { attemptAll } from '../attempt-all';
import { savedTopics } from '../subscriptions/cached-topics';
import { isTopicEnabled, SWITCH_FAILED } from '../subscriptions/topic-switches';

/** Copies this device's switches to every device. `applied` counts topics. */
export async function applyToAllDevices(): Promise<{
  applied: number;
  failed: string[];
  firstError?: unknown;
}> {
  const topics = savedTopics.value.map(({ topic }) => ({
    topic,
    enabled: isTopicEnabled(topic.id),
  }));
  const { failed, firstError } = await attemptAll(topics, ({ topic, enabled }) =>
    call('PUT /api/notifications/preferences/global/:topicId', {
      params: { topicId: topic.id },
      body: { enabled },
      fallback: SWITCH_FAILED,
    }),
  );
  return {
    applied: topics.length - failed.length,
    failed: failed.map(({ topic }) => topic.title),
    firstError,
  };
}
