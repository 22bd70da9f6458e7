/** One user's subscriptions, for administrators. */
import { call } from '../../api/call';
import type { Subscription, Topic, User } from '../../shared/contract';
import { userSchema } from '../../shared/contract/accounts' with { type: 'example' };
import { topicsSchema } from '../../shared/contract/topics' with { type: 'example' };
import { subscriptionsSchema as subscriptionsExample } from '../../shared/contract/subscriptions' with {
  type: 'example',
};
import { attemptAll } from '../attempt-all';

export const USER_DATA_FAILED = 'Failed to fetch user data.';
export const SUBSCRIBE_FAILED = 'Failed to subscribe user to topic.';
export const UNSUBSCRIBE_FAILED = 'Failed to unsubscribe user from topic.';

export interface UserData {
  user: User;
  subscriptions: Subscription[];
  available: Topic[];
}

export async function readUserData(id: string): Promise<UserData> {
  const options = { params: { id }, fallback: USER_DATA_FAILED };
  const [foundUser, subscriptions, availableTopics] = await Promise.all([
    call('GET /api/admin/users/:id', { ...options, like: userSchema }),
    call('GET /api/admin/users/:id/subscriptions', { ...options, like: subscriptionsExample }),
    call('GET /api/admin/users/:id/available-topics', { ...options, like: topicsSchema }),
  ]);
  return { user: foundUser, subscriptions, available: availableTopics };
}

/** Resolves with the topics that failed, and the first reason. */
export const subscribeUser = (
  userId: number,
  topicIds: readonly number[],
): Promise<{ failed: number[]; firstError?: unknown }> =>
  attemptAll(topicIds, (topicId) =>
    call('POST /api/admin/subscriptions', {
      body: { userId, topicId },
      fallback: SUBSCRIBE_FAILED,
    }),
  );

export async function unsubscribeUser(userId: number, topicId: number): Promise<void> {
  await call('DELETE /api/admin/subscriptions', {
    body: { userId, topicId },
    fallback: UNSUBSCRIBE_FAILED,
  });
}
