/** All calls of the contract that are declared by schemas, and all of its schemas. */
import { auditCalls } from './audit';
import { importCalls } from './import';
import { quietCalls } from './quiet-hours';
import { userCalls } from './accounts';
import { secondFactorCalls } from './second-factor';
import { signInCalls } from './sign-in';
import { subscriberCalls, switchCalls, userSubscriptionCalls } from './subscriptions';
import { topicCalls } from './topics';
import { webhookCalls } from './webhooks';

export * from './accounts';
export * from './audit';
export * from './import';
export * from './quiet-hours';
export * from './second-factor';
export * from './sign-in';
export * from './subscriptions';
export * from './topics';
export * from './webhooks';

export const calls = {
  ...signInCalls,
  ...secondFactorCalls,
  ...userCalls,
  ...topicCalls,
  ...subscriberCalls,
  ...userSubscriptionCalls,
  ...switchCalls,
  ...importCalls,
  ...quietCalls,
  ...webhookCalls,
  ...auditCalls,
};
