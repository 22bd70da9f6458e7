/** All calls of the contract that are declared by schemas, and all of its schemas. */
import { auditCalls } from './audit';
import { importCalls } from './import';
import { escalationCalls, policyCalls } from './escalation';
import { inboxCalls } from './inbox';
import { messageCalls, templateCalls } from './messages';
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
export * from './escalation';
export * from './inbox';
export * from './messages';
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
  ...inboxCalls,
  ...messageCalls,
  ...templateCalls,
  ...escalationCalls,
  ...policyCalls,
  ...quietCalls,
  ...webhookCalls,
  ...auditCalls,
};
