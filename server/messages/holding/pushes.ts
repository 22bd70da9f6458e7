import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { SPACING } from '../../db/outbox/order';
import { tableOf } from '../../db/json-table';
import type { Tables } from '../../db/schema';
import type { Member } from '../../subscriptions/audience';

/** The first ringing of a message, or a digest, on one device. */
export interface HeldPush {
  messageId: string;
  userId: number;
  device: Member['devices'][number];
}

/** In the outbox they lie as one message to all of them would: others come in between. */
export async function insertPushes(
  pushes: readonly HeldPush[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  if (pushes.length === 0) return;
  const rows = pushes.map(({ messageId, userId, device }, index): [number, unknown] => [
    index,
    [messageId, userId, device.id, device.type, device.serviceId],
  ]);
  await sql`insert into deliveries (message_id, state, due_at, updated_at, created_at, user_id, device_id, device_type, service_id, sort_key)
    select value->>0, 'pending', cast(${now} as bigint), cast(${now} as bigint), cast(${now} as bigint),
      cast(value->>1 as bigint), cast(value->>2 as bigint), value->>3, cast(value->>4 as bigint),
      cast(${now} as bigint) + ${sql.lit(SPACING)} * cast(key as bigint)
    from ${tableOf(rows)}`.execute(transaction);
}
