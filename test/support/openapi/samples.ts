/**
 * A morning at a power company. The tests create the same people, topics and devices in this order,
 * so their ids are real there.
 */
import type {
  DeviceRegistration,
  NewPolicy,
  RegisteredDevice,
  SentMessage,
  Template,
  DeviceTest,
  Topic,
  User,
} from '../../../src/shared/contract';
import { sampleSecrets } from '../../../src/shared/contract/secrets';

export const sampleAdmin: User = {
  id: 1,
  username: 'ada.lindqvist',
  email: 'ada@northgrid.example',
  role: 'ADMIN',
  status: 'ACTIVE',
  createdAt: '2026-11-02T08:00:00.000Z',
};
export const sampleTechnician: User = {
  id: 2,
  username: 'm.okafor',
  email: 'm.okafor@northgrid.example',
  role: 'TECHNICIAN',
  status: 'ACTIVE',
  createdAt: '2026-11-02T08:10:00.000Z',
};
export const samplePendingUser: User = {
  id: 3,
  username: 'p.novak',
  email: null,
  role: 'CUSTOMER',
  status: 'PENDING',
  createdAt: '2026-11-20T07:30:00.000Z',
  registrationToken: sampleSecrets.registration,
};

export const sampleStormTopic: Topic = {
  id: 1,
  title: 'Storm warnings',
  description: 'Wind and lightning where someone works outside.',
  createdAt: '2026-11-02T08:20:00.000Z',
  updatedAt: '2026-11-02T08:20:00.000Z',
  policyId: null,
};
export const sampleOutageTopic: Topic = {
  id: 2,
  title: 'Planned outages',
  description: 'What is switched off, where, and until when.',
  createdAt: '2026-11-02T08:21:00.000Z',
  updatedAt: '2026-11-02T08:21:00.000Z',
  policyId: null,
};

/** Ids of the messages that some examples need. */
export const sampleOwnMessageId = '0d7c9f52-6e1b-4a39-9a55-3a1f6b2c8e41';
export const sampleWithheldMessageId = '5a3e8b17-2f4c-4d60-8e9b-7c1d0f6a2b93';

export const sampleRegistration: DeviceRegistration = {
  deviceToken:
    '{"endpoint":"https://push.example/send/f4Yk","keys":{"p256dh":"BIPUL12DLfytvTajnryr2PRdAgXS3HGKiLqndGcJGabyhHheJYlNGCeXl1dn18gSJ1WAkAPIxr4gK0_dQds4yiI","auth":"FPssNDTKnInHVndSTdbKFw"}}',
  deviceType: 'android',
  userAgent:
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  installationId: 'V1StGXR8_Z5jdHi6B-myT',
  installed: true,
  model: 'SM-A047F',
};
export const sampleDevice: RegisteredDevice = {
  id: 1,
  deviceToken: sampleRegistration.deviceToken,
  deviceType: 'android',
  userAgent: sampleRegistration.userAgent,
  createdAt: '2026-11-02T09:05:00.000Z',
  lastSeenAt: '2026-11-20T06:58:00.000Z',
  deviceKey: sampleSecrets.deviceKey,
};

export const sampleDeviceTest: DeviceTest = {
  id: '5b0c1d6e-8a4f-4f7a-9c3e-2d1b0a9f8e7d',
  deviceId: sampleDevice.id,
  createdAt: '2026-11-20T06:58:00.000Z',
  sendAt: '2026-11-20T06:58:00.000Z',
  stages: {
    queued: '2026-11-20T06:58:00.000Z',
    accepted: '2026-11-20T06:58:00.410Z',
    received: '2026-11-20T06:58:01.120Z',
    displayed: '2026-11-20T06:58:01.300Z',
    heard: null,
  },
  failure: null,
  lateBy: null,
};

export const sampleSentMessage: SentMessage = {
  id: '0e7f4c52-6f1b-4a3d-9b58-1c2d3e4f5a6b',
  topic: { id: sampleStormTopic.id, title: sampleStormTopic.title },
  message: 'Stop all work on poles. Gusts of 90 km/h from 15:00.',
  createdAt: '2026-11-20T14:02:00.000Z',
  total: 26,
  accepted: 25,
  failed: 0,
  gone: 1,
  pending: 0,
  title: 'Storm from the west',
  link: null,
  priority: 'urgent',
  answers: ['On my way', 'Got it'],
  topics: [{ id: sampleStormTopic.id, title: sampleStormTopic.title }],
  sender: sampleAdmin.username,
  state: 'sent',
  sendAt: '2026-11-20T14:02:00.000Z',
  expiresAt: '2026-11-21T14:02:00.000Z',
  people: {
    total: 31,
    unreachable: 4,
    muted: 1,
    held: 0,
    displayed: 24,
    read: 20,
    acknowledged: 18,
    pending: 0,
    accepted: 1,
    failed: 1,
  },
  tally: { 'On my way': 11, 'Got it': 7 },
};
export const sampleTemplate: Template = {
  id: 1,
  name: 'Storm',
  title: 'Storm from the west',
  message: sampleSentMessage.message,
  priority: 'urgent',
  answers: sampleSentMessage.answers,
  link: null,
};

export const samplePolicy = {
  name: 'Until someone answers',
  quorum: 1,
  steps: [
    { after: 180, action: 'repeat' },
    { after: 600, action: 'mail' },
  ],
} satisfies NewPolicy;
