/**
 * Settings for all devices of the account. Loaded apart from the other states: only who has a
 * device registered needs it.
 */
import { call } from '../../api/call';
import { attemptAll } from '../batch';
import { savedTopics } from '../subscriptions/offline';
import { isEnabled, SWITCH_FAILED } from '../subscriptions/switches';

/**
 * Gives every device the switches that are shown here. Resolves with the number of topics that now
 * have them, and those that have not.
 */
export async function applyToAllDevices(): Promise<{
  applied: number;
  failed: string[];
  why?: unknown;
}> {
  const all = savedTopics.value.map(({ topic }) => ({ topic, enabled: isEnabled(topic.id) }));
  const { failed, why } = await attemptAll(all, ({ topic, enabled }) =>
    call('PUT /api/notifications/preferences/global/:topicId', {
      params: { topicId: topic.id },
      body: { enabled },
      fallback: SWITCH_FAILED,
    }),
  );
  return {
    applied: all.length - failed.length,
    failed: failed.map(({ topic }) => topic.title),
    why,
  };
}
