/** Webhooks and their pending calls. */
import type { Generated } from 'kysely';

export interface WebhooksTable {
  id: Generated<number>;
  url: string;
  /** The names of the events, as JSON. */
  events: string;
  /** The signing key: `whsec_` and base64. */
  secret: string;
  last_status: number | null;
  last_at: number | null;
  failing_since: number | null;
  off_since: number | null;
}

/** Calls until they succeed or expire. Each webhook has its own queue. */
export interface WebhookCallsTable {
  /** A UUID, sent as `webhook-id` with each attempt. */
  id: string;
  webhook_id: number;
  /** The whole body as JSON. */
  body: string;
  created_at: number;
  due_at: number;
  claimed_until: number | null;
  attempts: Generated<number>;
  /** The step that requested the call, and the step's people; null for an event. */
  message_id: string | null;
  position: number | null;
  people: number | null;
}
