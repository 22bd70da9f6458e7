/** The shapes that have a name in the document. */
import { failure } from './common';
import { device, deviceTest, ownDevice, reach, reachDevice, registeredDevice } from './devices';
import {
  escalation,
  escalationStep,
  policy,
  policyStep,
  stepOutcome,
  targetProblem,
} from './escalation';
import { hooked, published, topicKey } from './keys';
import { audience, inboxMessage, people, recipient, sentMessage, template } from './messages';
import { accountExport, ownAccount } from './own-account';

export const components = {
  OwnAccount: ownAccount,
  AccountExport: accountExport,
  Device: device,
  RegisteredDevice: registeredDevice,
  OwnDevice: ownDevice,
  Test: deviceTest,
  ReachDevice: reachDevice,
  Reach: reach,
  SentMessage: sentMessage,
  People: people,
  Recipient: recipient,
  Audience: audience,
  Template: template,
  InboxMessage: inboxMessage,
  TopicKey: topicKey,
  Published: published,
  Hooked: hooked,
  Policy: policy,
  PolicyStep: policyStep,
  Escalation: escalation,
  EscalationStep: escalationStep,
  StepOutcome: stepOutcome,
  TargetProblem: targetProblem,
  Error: failure,
};
