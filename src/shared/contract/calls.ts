/** All calls of the contract that are declared by schemas, and all of its schemas. */
import { subscriberCalls, switchCalls, userSubscriptionCalls } from './subscriptions';
import { topicCalls } from './topics';

export * from './accounts';
export * from './subscriptions';
export * from './topics';

export const calls = {
  ...topicCalls,
  ...subscriberCalls,
  ...userSubscriptionCalls,
  ...switchCalls,
};
