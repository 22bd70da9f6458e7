/** All calls of the contract that are declared by schemas, and all of its schemas. */
import { userCalls } from './accounts';
import { secondFactorCalls } from './second-factor';
import { signInCalls } from './sign-in';
import { subscriberCalls, switchCalls, userSubscriptionCalls } from './subscriptions';
import { topicCalls } from './topics';

export * from './accounts';
export * from './second-factor';
export * from './sign-in';
export * from './subscriptions';
export * from './topics';

export const calls = {
  ...signInCalls,
  ...secondFactorCalls,
  ...userCalls,
  ...topicCalls,
  ...subscriberCalls,
  ...userSubscriptionCalls,
  ...switchCalls,
};
