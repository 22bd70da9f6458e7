/** Writes a round of tests: one hidden message, with a push to each device. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { RETRY_ORDER_START, MESSAGE_ORDER_SPACING } from '../db/outbox/queue-order';
import { jsonTable } from '../db/json-table';
import type { DeviceRow, MessageRow, Tables } from '../db/schema';
import { storeTranslations, writeInAllLanguages } from '../translation/message-translations';
import { TEST_LIFETIME_MS } from './device-test';

const TEST_TEXTS = writeInAllLanguages((translateText) => ({
  title: translateText('Test from Fieldbell'),
  message: translateText('This device is reachable. Tap to see the result.'),
}));

/** Milliseconds since 1970. */
interface TestTimes {
  createdAt: number;
  announcedAt: number;
  sendAt: number;
  /** Milliseconds over which the tests are spread, from `sendAt` on. */
  spread?: number;
}

export async function insertRound(
  state: 'writing' | 'sent',
  { createdAt, sendAt }: Pick<TestTimes, 'createdAt' | 'sendAt'>,
  transaction: Transaction<Tables>,
): Promise<string> {
  const id = randomUUID();
  await transaction
    .insertInto('messages')
    .values({
      id,
      kind: 'test',
      topic_id: null,
      topic_title: '',
      title: TEST_TEXTS.title,
      text: TEST_TEXTS.message,
      translations: storeTranslations(TEST_TEXTS.translations),
      state,
      send_at: sendAt,
      next_key: sendAt,
      created_at: createdAt,
      expires_at: sendAt + TEST_LIFETIME_MS,
    })
    .execute();
  return id;
}

type TestedDevice = Pick<DeviceRow, 'id' | 'user_id' | 'type' | 'service_id'>;

/**
 * Pushes for later wait among the retries.
 * @returns the tests' ids in order, and the next key
 */
export async function insertTests(
  round: Pick<MessageRow, 'id' | 'next_key'>,
  devices: readonly TestedDevice[],
  { createdAt, announcedAt, sendAt, spread = 0, isByAdmin }: TestTimes & { isByAdmin: boolean },
  transaction: Transaction<Tables>,
  now: number,
): Promise<{ ids: string[]; nextKey: number }> {
  const ids = devices.map(() => randomUUID());
  if (devices.length === 0) return { ids, nextKey: round.next_key };
  const rows = devices.map(({ id, user_id, type, service_id }, index): [number, unknown] => {
    const delayMs = Math.floor((spread * index) / devices.length);
    const dueAt = sendAt + delayMs;
    const key =
      dueAt > now ? RETRY_ORDER_START + dueAt : round.next_key + MESSAGE_ORDER_SPACING * index;
    return [index, [ids[index], user_id, id, type, service_id, delayMs, key]];
  });
  await sql`insert into tests (id, message_id, user_id, device_id, by_admin, created_at, announced_at, send_at)
    select value->>0, cast(${round.id} as text), cast(value->>1 as bigint), cast(value->>2 as bigint), cast(${isByAdmin ? 1 : 0} as integer),
      cast(${createdAt} as bigint),
      cast(${announcedAt} as bigint) + cast(value->>5 as bigint), cast(${sendAt} as bigint) + cast(value->>5 as bigint)
    from ${jsonTable(rows)}`.execute(transaction);
  await sql`insert into deliveries (message_id, state, due_at, updated_at, created_at, user_id, device_id, device_type, service_id, sort_key)
    select cast(${round.id} as text), 'pending', cast(${sendAt} as bigint) + cast(value->>5 as bigint), cast(${now} as bigint),
      cast(${sendAt} as bigint) + cast(value->>5 as bigint),
      cast(value->>1 as bigint), cast(value->>2 as bigint), value->>3, cast(value->>4 as bigint), cast(value->>6 as bigint)
    from ${jsonTable(rows)}`.execute(transaction);
  return { ids, nextKey: round.next_key + MESSAGE_ORDER_SPACING * devices.length };
}
