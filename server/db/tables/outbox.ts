/** The outbox. */
import type { Generated } from 'kysely';
import type { DeviceType } from '../../../src/shared/contract';

/** One row per device and message, until a week after the message expires. */
export type DeliveryState = 'pending' | 'accepted' | 'failed' | 'gone' | 'skipped';

export interface DeliveriesTable {
  id: Generated<number>;
  message_id: string;
  user_id: Generated<number>;
  /** 0 for the first notification, then the number of the repeat. */
  round: Generated<number>;
  /** The device, without a foreign key: the row outlives the device. */
  device_id: number;
  device_type: DeviceType;
  state: DeliveryState;
  /** The claim counts the attempt, so that attempts of dead processes count. */
  attempts: Generated<number>;
  due_at: number;
  claimed_until: number | null;
  /** The push service whose queue has the row; 0 if unknown. */
  service_id: Generated<number>;
  /** The row's place in the queue, lowest first (`outbox/queue-order.ts`). */
  sort_key: Generated<number>;
  /** Claims in a row that expired: the row may have ended its processes. */
  lost: Generated<number>;
  /** Why the push was not accepted: a short code without address or token. */
  reason: string | null;
  updated_at: number;
  created_at: number;
}
