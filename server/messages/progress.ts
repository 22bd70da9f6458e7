/** How far the delivery of sent messages is. */
import type { Endpoints, SentMessage } from '../../src/shared/contract';
import type { Database } from '../db/open';
import type { DeliveryState, MessageRow } from '../db/schema';
import { missing } from '../http/errors';
import { matches } from '../http/paging';
import type { Paging } from '../http/paging';

type Counts = Partial<Record<DeliveryState, number>>;

/** For at most a page of messages: each is a range of the index on message and state. */
async function countStates(messageIds: string[], db: Database): Promise<Map<string, Counts>> {
  const counts = new Map<string, Counts>();
  if (messageIds.length === 0) return counts;
  const rows = await db
    .selectFrom('deliveries')
    .where('message_id', 'in', messageIds)
    .select(({ fn }) => ['message_id', 'state', fn.countAll<number>().as('devices')])
    .groupBy(['message_id', 'state'])
    .execute();
  for (const row of rows)
    counts.set(row.message_id, { ...counts.get(row.message_id), [row.state]: row.devices });
  return counts;
}

/**
 * Those skipped (unsubscribed or switched off before it was their turn) are not counted: nothing
 * was owed to them.
 */
function toSentMessage(row: MessageRow, counts: Counts = {}): SentMessage {
  const { pending = 0 } = counts;
  const sum = (state: 'accepted' | 'failed' | 'gone'): number => row[state] + (counts[state] ?? 0);
  const [accepted, failed, gone] = [sum('accepted'), sum('failed'), sum('gone')];
  return {
    id: row.id,
    topic: row.topic_id === null ? null : { id: row.topic_id, title: row.topic_title },
    message: row.text,
    createdAt: new Date(row.created_at).toISOString(),
    total: accepted + failed + gone + pending,
    accepted,
    failed,
    gone,
    pending,
  };
}

/** Newest first; the searched text may be in the message or its topic's title. */
export async function listMessages(
  { page, limit, offset, pattern }: Paging,
  db: Database,
): Promise<Endpoints['GET /api/admin/messages']['answer']> {
  let matching = db.selectFrom('messages');
  if (pattern !== undefined)
    matching = matching.where(({ ref }) => matches(ref('search_key'), pattern));
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  const counts = await countStates(
    rows.map((row) => row.id),
    db,
  );
  return {
    messages: rows.map((row) => toSentMessage(row, counts.get(row.id))),
    total,
    page,
    limit,
  };
}

/** @throws HttpError 404 */
export async function readMessage(id: string, db: Database): Promise<SentMessage> {
  // PostgreSQL takes no NUL, not even to compare with.
  const row = id.includes('\0')
    ? undefined
    : await db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw missing('This message does not exist.');
  return toSentMessage(row, (await countStates([id], db)).get(id));
}
