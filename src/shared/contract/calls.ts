/** All calls and schemas of the contract, in the document's order. */
import { userCalls } from './accounts';
import { auditCalls } from './audit';
import { checkInCalls } from './check-ins';
import { deviceCalls, deviceRemovalCalls } from './devices';
import { escalationCalls, policyCalls } from './escalation';
import { heartbeatCalls } from './heartbeats';
import { importCalls } from './import';
import { inboxCalls } from './inbox';
import { insightCalls } from './insights';
import { keyCalls } from './keys';
import { messageCalls, templateCalls } from './messages';
import { operationCalls, overviewCalls } from './overview';
import { ownAccountCalls } from './own-account';
import { passkeyCalls } from './passkeys';
import { publishCalls } from './publishing';
import { quietCalls } from './quiet-hours';
import { ownDeviceCalls, reachCalls } from './reach';
import { twoFactorCalls } from './two-factor';
import { senderCalls, sendingCalls } from './senders';
import { signInCalls } from './sign-in';
import { subscriberCalls, switchCalls, userSubscriptionCalls } from './subscriptions';
import { teamCalls } from './teams';
import { testCalls } from './device-tests';
import { topicCalls } from './topics';
import { webhookCalls } from './webhooks';

export * from './accounts';
export * from './audit';
export * from './check-ins';
export * from './devices';
export * from './escalation';
export * from './heartbeats';
export * from './import';
export * from './inbox';
export * from './insights';
export * from './keys';
export * from './messages';
export * from './overview';
export * from './own-account';
export * from './passkeys';
export * from './publishing';
export * from './quiet-hours';
export * from './reach';
export * from './two-factor';
export * from './senders';
export * from './sign-in';
export * from './subscriptions';
export * from './teams';
export * from './device-tests';
export * from './topics';
export * from './webhooks';

export const contractAreas = [
  { name: 'Signing in', description: 'Sessions, registration, passwords.', calls: signInCalls },
  { name: 'Account', description: 'Your own account.', calls: ownAccountCalls },
  { name: 'Passkeys', description: 'Signing in without a password.', calls: passkeyCalls },
  {
    name: 'Two-factor authentication',
    description: 'Codes from an authenticator app.',
    calls: twoFactorCalls,
  },
  {
    name: 'Devices',
    description: 'Your devices and their tests.',
    calls: { ...deviceCalls, ...ownDeviceCalls, ...testCalls },
  },
  { name: 'Preferences', description: 'Which topics notify you.', calls: switchCalls },
  {
    name: 'Inbox',
    description: 'Your own messages and quiet hours.',
    calls: { ...inboxCalls, ...quietCalls },
  },
  {
    name: 'Messages',
    description: 'Sending messages, and their progress.',
    calls: { ...messageCalls, ...escalationCalls, ...templateCalls },
  },
  {
    name: 'Sending',
    description: 'For people who may send to some topics but are not administrators.',
    calls: sendingCalls,
  },
  {
    name: 'Machines',
    description: 'Machines that send with a topic key, and alerts when a machine stops calling.',
    calls: { ...publishCalls, ...heartbeatCalls, ...keyCalls },
  },
  {
    name: 'Topics',
    description: 'Topics and their subscribers.',
    calls: { ...topicCalls, ...subscriberCalls, ...senderCalls },
  },
  { name: 'Teams', description: 'Teams, their members and topics.', calls: teamCalls },
  {
    name: 'Users',
    description: 'User accounts and their subscriptions.',
    calls: { ...userCalls, ...userSubscriptionCalls },
  },
  {
    name: 'Import',
    description: 'Adding many people at once, and their invitations.',
    calls: importCalls,
  },
  {
    name: 'Reach',
    description: 'Who is reachable now, and how that has changed over time.',
    calls: { ...overviewCalls, ...reachCalls, ...deviceRemovalCalls, ...insightCalls },
  },
  {
    name: 'Setup',
    description: 'Escalation policies and webhooks.',
    calls: { ...policyCalls, ...webhookCalls },
  },
  {
    name: 'Check-ins',
    description:
      'Asking people who work alone whether they are OK, and alerting others if there is no answer.',
    calls: checkInCalls,
  },
  { name: 'Audit', description: 'Who did what, and when.', calls: auditCalls },
  {
    name: 'Server',
    description: 'The server’s health, and this document.',
    calls: operationCalls,
  },
] as const;

/** The intersection of a union. */
type All<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  one: infer Each,
) => void
  ? Each
  : never;
export type Calls = All<(typeof contractAreas)[number]['calls']>;
export const calls = Object.assign({}, ...contractAreas.map((area) => area.calls)) as Calls;
