/** All calls, in the order in which the document has them. */
import { auditCalls } from '../../src/shared/contract/audit';
import { deviceCalls, deviceRemovalCalls } from '../../src/shared/contract/devices';
import { importCalls } from '../../src/shared/contract/import';
import { escalationCalls, policyCalls } from '../../src/shared/contract/escalation';
import { inboxCalls } from '../../src/shared/contract/inbox';
import { messageCalls, templateCalls } from '../../src/shared/contract/messages';
import { operationCalls, overviewCalls } from '../../src/shared/contract/overview';
import { ownDeviceCalls, reachCalls } from '../../src/shared/contract/reach';
import { testCalls } from '../../src/shared/contract/tests';
import { keyCalls } from '../../src/shared/contract/keys';
import { publishCalls } from '../../src/shared/contract/publishing';
import { ownAccountCalls } from '../../src/shared/contract/own-account';
import { quietCalls } from '../../src/shared/contract/quiet-hours';
import {
  subscriberCalls,
  switchCalls,
  userSubscriptionCalls,
} from '../../src/shared/contract/subscriptions';
import { userCalls } from '../../src/shared/contract/accounts';
import { secondFactorCalls } from '../../src/shared/contract/second-factor';
import { signInCalls } from '../../src/shared/contract/sign-in';
import { topicCalls } from '../../src/shared/contract/topics';
import { webhookCalls } from '../../src/shared/contract/webhooks';

export const areas = [
  { name: 'Signing in', description: 'Sessions, registration, passwords.', calls: signInCalls },
  { name: 'Account', description: 'One’s own account.', calls: ownAccountCalls },
  {
    name: 'Second step',
    description: 'Codes of an authenticator app.',
    calls: secondFactorCalls,
  },
  {
    name: 'Devices',
    description: 'One’s own devices, and whether they ring.',
    calls: { ...deviceCalls, ...ownDeviceCalls, ...testCalls },
  },
  { name: 'Switches', description: 'What one hears of, by topic.', calls: switchCalls },
  {
    name: 'Inbox',
    description: 'One’s own messages and quiet hours.',
    calls: { ...inboxCalls, ...quietCalls },
  },
  {
    name: 'Messages',
    description: 'Sending, and how far it got.',
    calls: { ...messageCalls, ...escalationCalls, ...templateCalls },
  },
  {
    name: 'Machines',
    description: 'How machines send, with the key of a topic.',
    calls: { ...publishCalls, ...keyCalls },
  },
  {
    name: 'Topics',
    description: 'What people are subscribed to.',
    calls: { ...topicCalls, ...subscriberCalls },
  },
  {
    name: 'Users',
    description: 'Who there is, and their subscriptions.',
    calls: { ...userCalls, ...userSubscriptionCalls },
  },
  {
    name: 'Import',
    description: 'Many people at once, and their invitations.',
    calls: importCalls,
  },
  {
    name: 'Reach',
    description: 'Who can be reached.',
    calls: { ...overviewCalls, ...reachCalls, ...deviceRemovalCalls },
  },
  {
    name: 'Setup',
    description: 'Policies and webhooks.',
    calls: { ...policyCalls, ...webhookCalls },
  },
  { name: 'Audit', description: 'Who did what to whom, and when.', calls: auditCalls },
  { name: 'Operation', description: 'The server itself.', calls: operationCalls },
];
