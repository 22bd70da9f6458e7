import type { Database } from '../db/open';
import { nextTurn } from '../lib/loop';
import { EVERYBODY } from '../subscriptions/audience';
import type { Range } from '../subscriptions/audience';

/** What is asked of so many takes a tenth of a second at most. */
export const MANY = 20_000;

/**
 * The recipients of a message in ranges of their ids, with turns for others in between: no statement
 * takes longer for a larger message. @param most so many in each
 */
export async function* recipientRanges(
  messageId: string,
  db: Database,
  most = MANY,
): AsyncGenerator<Range, void> {
  for (let after = 0; after < EVERYBODY.upTo; ) {
    const range = await nextRange(messageId, after, most, db);
    if (after > 0) await nextTurn();
    yield range;
    after = range.upTo;
  }
}

/**
 * The next `most` recipients of a message behind the user `after`: up to the id of the last of them,
 * or, where there are fewer, up to that of everybody.
 */
export async function nextRange(
  messageId: string,
  after: number,
  most: number,
  db: Database,
): Promise<Range> {
  const last = await db
    .selectFrom('recipients')
    .where('message_id', '=', messageId)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .offset(most - 1)
    .limit(1)
    .select('user_id')
    .executeTakeFirst();
  return { after, upTo: last?.user_id ?? EVERYBODY.upTo };
}
