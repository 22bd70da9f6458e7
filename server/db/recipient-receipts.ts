/** What is stored of a person's receipts of a message. */
import { sql } from 'kysely';
import type { RawBuilder, Transaction } from 'kysely';
import { jsonTableOfList } from './json-table';
import type { RecipientRow, Tables } from './schema';

/** Times are milliseconds since 1970. */
export type RecipientReceipts = Pick<
  RecipientRow,
  | 'displayed_at'
  | 'read_at'
  | 'acknowledged_at'
  | 'answer'
  | 'comment'
  | 'late'
  | 'revision'
  | 'answer_revision'
  | 'former'
  | 'correction_displayed_at'
  | 'all_clear_displayed_at'
  | 'unread_again'
>;

/**
 * A person's messages that are new to them, never opened or changed since. One statement for each
 * partial index.
 * @param userId a value or a column
 */
export const selectUnread = (userId: RawBuilder<number>): RawBuilder<unknown> =>
  sql`select 1 from recipients as entry where entry.user_id = ${userId} and entry.read_at is null
    union all select 1 from recipients as entry where entry.user_id = ${userId} and entry.unread_again = 1 and entry.read_at is not null`;

/** Writes the marks of many entries at once. Call it with their rows locked. */
export async function writeRecipientReceipts(
  entries: readonly (Pick<RecipientRow, 'user_id' | 'seq'> & RecipientReceipts)[],
  transaction: Transaction<Tables>,
): Promise<void> {
  if (entries.length === 0) return;
  const markRows = entries.map((row) => [
    row.user_id,
    row.seq,
    row.displayed_at,
    row.read_at,
    row.acknowledged_at,
    row.answer,
    row.comment,
    row.late,
    row.revision,
    row.former,
    row.answer_revision,
    row.correction_displayed_at,
    row.all_clear_displayed_at,
    row.unread_again,
  ]);
  await sql`update recipients set displayed_at = given.displayed_at, read_at = given.read_at,
      acknowledged_at = given.acknowledged_at, answer = given.answer, comment = given.comment, late = given.late,
      revision = given.revision, former = given.former, answer_revision = given.answer_revision,
      correction_displayed_at = given.correction_displayed_at, all_clear_displayed_at = given.all_clear_displayed_at,
      unread_again = given.unread_again
    from (select cast(value->>0 as bigint) as user_id, cast(value->>1 as bigint) as seq, cast(value->>2 as bigint) as displayed_at,
      cast(value->>3 as bigint) as read_at, cast(value->>4 as bigint) as acknowledged_at, value->>5 as answer, value->>6 as comment,
      cast(value->>7 as integer) as late, cast(value->>8 as integer) as revision, value->>9 as former,
      cast(value->>10 as integer) as answer_revision, cast(value->>11 as bigint) as correction_displayed_at,
      cast(value->>12 as bigint) as all_clear_displayed_at,
      cast(value->>13 as integer) as unread_again from ${jsonTableOfList(markRows)}) as given
    where recipients.user_id = given.user_id and recipients.seq = given.seq`.execute(transaction);
}
