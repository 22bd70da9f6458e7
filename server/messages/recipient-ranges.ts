import type { Database } from '../db/open';
import { yieldToEventLoop } from '../lib/loop';
import { FULL_RANGE } from '../subscriptions/audience';
import type { IdRange } from '../subscriptions/audience';

/** Recipients per statement, so that one takes a tenth of a second at most. */
export const RANGE_SIZE = 20_000;

/** Splits recipients into ranges of ids, so that no statement takes longer for a larger message. */
export async function* recipientRanges(
  messageId: string,
  db: Database,
  max = RANGE_SIZE,
): AsyncGenerator<IdRange, void> {
  for (let after = 0; after < FULL_RANGE.upTo; ) {
    const range = await nextRange(messageId, after, max, db);
    if (after > 0) await yieldToEventLoop();
    yield range;
    after = range.upTo;
  }
}

/** The next `max` recipients behind the user `after`; the last range is open-ended. */
export async function nextRange(
  messageId: string,
  after: number,
  max: number,
  db: Database,
): Promise<IdRange> {
  const lastRecipient = await db
    .selectFrom('recipients')
    .where('message_id', '=', messageId)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .offset(max - 1)
    .limit(1)
    .select('user_id')
    .executeTakeFirst();
  return { after, upTo: lastRecipient?.user_id ?? FULL_RANGE.upTo };
}
