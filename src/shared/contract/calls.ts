/** All calls of the contract, and all of its schemas. */
import { auditCalls } from './audit';
import { deviceCalls, deviceRemovalCalls } from './devices';
import { importCalls } from './import';
import { escalationCalls, policyCalls } from './escalation';
import { inboxCalls } from './inbox';
import { messageCalls, templateCalls } from './messages';
import { operationCalls, overviewCalls } from './overview';
import { keyCalls } from './keys';
import { publishCalls } from './publishing';
import { ownAccountCalls } from './own-account';
import { quietCalls } from './quiet-hours';
import { ownDeviceCalls, reachCalls } from './reach';
import { userCalls } from './accounts';
import { secondFactorCalls } from './second-factor';
import { signInCalls } from './sign-in';
import { subscriberCalls, switchCalls, userSubscriptionCalls } from './subscriptions';
import { testCalls } from './tests';
import { topicCalls } from './topics';
import { webhookCalls } from './webhooks';

export * from './accounts';
export * from './audit';
export * from './devices';
export * from './import';
export * from './escalation';
export * from './inbox';
export * from './messages';
export * from './overview';
export * from './keys';
export * from './publishing';
export * from './own-account';
export * from './quiet-hours';
export * from './reach';
export * from './second-factor';
export * from './sign-in';
export * from './subscriptions';
export * from './tests';
export * from './topics';
export * from './webhooks';

export const calls = {
  ...signInCalls,
  ...ownAccountCalls,
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
  ...deviceCalls,
  ...ownDeviceCalls,
  ...testCalls,
  ...reachCalls,
  ...deviceRemovalCalls,
  ...overviewCalls,
  ...operationCalls,
  ...publishCalls,
  ...keyCalls,
  ...quietCalls,
  ...webhookCalls,
  ...auditCalls,
};
