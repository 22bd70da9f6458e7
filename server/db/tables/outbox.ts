/** Pushes that are to leave. */
import type { Generated } from 'kysely';
import type { DeviceType } from '../../../src/shared/contract';

/**
 * The outbox: one row for each device of each message, until a week after the message has expired.
 * A row is claimed by raising `claimed_until` into the future; a claim that ran out (its process
 * died) is free again.
 */
export type DeliveryState = 'pending' | 'accepted' | 'failed' | 'gone' | 'skipped';

export interface DeliveriesTable {
  id: Generated<number>;
  message_id: string;
  /** Whose device it is. */
  user_id: Generated<number>;
  /** 0 for the first ringing, then how often the message had rung again. */
  round: Generated<number>;
  /** Kept after the device is gone, so no foreign key. */
  device_id: number;
  device_type: DeviceType;
  state: DeliveryState;
  /** Counted when it is claimed, so that one that ended the process counts too. */
  attempts: Generated<number>;
  /** Not before this time. */
  due_at: number;
  claimed_until: number | null;
  /** The push service in whose queue it is; 0 if that is not known. */
  service_id: Generated<number>;
  /** Its place in that queue, lowest first; see `outbox/order.ts`. */
  sort_key: Generated<number>;
  /**
   * Claims in a row that ran out without a word: of processes that died, perhaps because of this
   * row.
   */
  lost: Generated<number>;
  /** Why it is not accepted: a short code, never an address or token. */
  reason: string | null;
  updated_at: number;
  /** When it was written. */
  created_at: number;
}
