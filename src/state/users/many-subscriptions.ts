import { call } from '../../api/call';
import { changedSchema } from '../../shared/contract/subscriptions' with { type: 'example' };
import { attemptAll } from '../attempt-all';

export type SubscriptionChange = 'subscribe' | 'unsubscribe';

const SUBSCRIPTION_CALLS = {
  subscribe: 'POST /api/admin/topics/:id/subscribers',
  unsubscribe: 'DELETE /api/admin/topics/:id/subscribers',
} as const;
export const SUBSCRIPTIONS_FAILED = {
  subscribe: 'Failed to subscribe users to topic.',
  unsubscribe: 'Failed to unsubscribe users from topic.',
};

/**
 * Changes each topic for all of the people or for none.
 * @returns how many needed no change, and the topics that failed
 */
export async function changeManySubscriptions(
  change: SubscriptionChange,
  topicIds: readonly number[],
  userIds: readonly number[],
): Promise<{ unchanged: number; failed: number[]; firstError?: unknown }> {
  let unchangedCount = 0;
  const outcome = await attemptAll(topicIds, async (id) => {
    const response = await call(SUBSCRIPTION_CALLS[change], {
      params: { id },
      body: { userIds: [...userIds] },
      fallback: SUBSCRIPTIONS_FAILED[change],
      like: changedSchema,
    });
    unchangedCount += response.unchanged;
  });
  return { unchanged: unchangedCount, ...outcome };
}
