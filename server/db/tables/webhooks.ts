/** Addresses that are called when something happens, and the calls that are still to be made. */
import type { Generated } from 'kysely';

export interface WebhooksTable {
  id: Generated<number>;
  url: string;
  /** A list as JSON. */
  events: string;
  /** `whsec_` and base64: what its calls are signed with. */
  secret: string;
  last_status: number | null;
  last_at: number | null;
  failing_since: number | null;
  off_since: number | null;
}

/**
 * A call until it succeeds or is given up. It is claimed as jobs are (`jobs/`), but has its times
 * itself: each webhook is a queue of its own.
 */
export interface WebhookCallsTable {
  /** A UUID, which is its `webhook-id`: the same at each attempt. */
  id: string;
  webhook_id: number;
  /** All that is sent, as JSON. */
  body: string;
  created_at: number;
  due_at: number;
  claimed_until: number | null;
  attempts: Generated<number>;
  /** The step that asked for it, and for how many people; null for an event. */
  message_id: string | null;
  position: number | null;
  people: number | null;
}
