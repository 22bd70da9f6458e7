/** What the app and the server agree on about webhooks. Types only. */
import type { Message, Timestamp } from './common';

export type WebhookEvent =
  | 'message.sent'
  | 'message.acknowledged'
  | 'message.escalated'
  | 'device.failing';

/** An address that is called, signed as Standard Webhooks says, when something happens. */
export interface Webhook {
  id: number;
  /** https. */
  url: string;
  /** May be none: then only policies call it. */
  events: WebhookEvent[];
  /** The HTTP status of the last answer; 0 if there was none; null if it was not called yet. */
  lastStatus: number | null;
  lastAt: Timestamp | null;
  /** Since when no call has succeeded; null if the last one did. */
  failingSince: Timestamp | null;
  /** When it was switched off, after three days of failing. A test that succeeds switches it on. */
  offSince: Timestamp | null;
}

export interface WebhookCalls {
  /** By address. */
  'GET /api/admin/webhooks': { answer: { webhooks: Webhook[] } };
  /** `secret` is told this once. 400 for an address that may not be called. */
  'POST /api/admin/webhooks': {
    body: { url: string; events: WebhookEvent[] };
    answer: Webhook & { secret: string };
  };
  /** Calls it at once with the type `test`, and answers what came of it. */
  'POST /api/admin/webhooks/:id/test': { answer: Webhook };
  'DELETE /api/admin/webhooks/:id': { answer: Message };
}
