/** Policies and webhooks, checked as `shapes.ts` says. A file of its own: few screens ask for them. */
import type { Policy, Webhook } from '../shared/contract';
import { anyTime, like } from './shapes';

const aPolicy: Policy = {
  id: 0,
  name: '',
  quorum: null,
  steps: [{ after: 0, action: 'repeat' }],
  topics: 0,
};
export const policy = like(aPolicy);
export const policies = like({ policies: [aPolicy] });

const aWebhook: Webhook = {
  id: 0,
  url: '',
  events: ['' as 'message.sent'],
  lastStatus: null,
  lastAt: anyTime,
  failingSince: null,
  offSince: null,
};
export const webhook = like(aWebhook);
export const newWebhook = like({ ...aWebhook, secret: '' });
export const webhooks = like({ webhooks: [aWebhook] });
