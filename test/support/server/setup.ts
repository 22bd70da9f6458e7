/** Policies and webhooks of a backend that is not there. */
import type { Policy, Webhook } from '../../../src/shared/contract';

/** As the designs have it: rings again, mails, rings the control room. */
export const makePolicy = (id: number, change: Partial<Policy> = {}): Policy => ({
  id,
  name: `Policy ${id}`,
  quorum: null,
  steps: [
    { after: 120, action: 'repeat' },
    { after: 600, action: 'mail' },
    { after: 1200, action: 'notify', topicId: 5 },
  ],
  topics: 1,
  ...change,
});

export const makeWebhook = (id: number, change: Partial<Webhook> = {}): Webhook => ({
  id,
  url: `https://hooks.example/${id}`,
  events: ['message.sent', 'message.acknowledged'],
  lastStatus: 200,
  lastAt: '2026-11-20T14:02:00.000Z',
  failingSince: null,
  offSince: null,
  ...change,
});
