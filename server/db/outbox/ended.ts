/** What the ledger learns of pushes that came to an end. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { isOnPostgres } from '../lock';
import { tableOfList } from '../rows';
import type { DeliveryState, Tables } from '../schema';

/** A row of the outbox that has just ended. */
export interface Ended {
  message_id: string;
  /** 0 if an earlier version wrote the row: its message has no ledger. */
  user_id: number;
  state: DeliveryState;
}

/**
 * Counts ended pushes in the rows of their recipients: one that was accepted is enough; the last
 * without any such means that the person was not reached. Those of a digest count for all of its
 * messages. To be called in the transaction that ends
 * them, as its last step: a transaction that changes several recipients locks them in the order of
 * (user_id, seq), and nothing of the outbox after that.
 */
export async function countEnded(
  ended: readonly Ended[],
  transaction: Transaction<Tables>,
): Promise<void> {
  const people = new Map<
    string,
    [messageId: string, userId: number, count: number, good: number]
  >();
  for (const { message_id, user_id, state } of ended) {
    if (user_id === 0 || state === 'pending') continue;
    const key = `${user_id} ${message_id}`;
    const [, , count, good] = people.get(key) ?? [message_id, user_id, 0, 0];
    people.set(key, [message_id, user_id, count + 1, good + (state === 'accepted' ? 1 : 0)]);
  }
  if (people.size === 0) return;
  const given = sql`(select cast(value->>0 as text) as message_id, cast(value->>1 as bigint) as user_id,
    cast(value->>2 as integer) as count, cast(value->>3 as integer) as good from ${tableOfList([...people.values()])})`;
  // The message's own row, or those of all messages of which a digest told.
  const found = (by: 'message_id' | 'digest_id') =>
    sql`select entry.user_id, entry.seq, given.count, given.good from ${given} as given
      inner join recipients as entry on ${sql.ref(`entry.${by}`)} = given.message_id and entry.user_id = given.user_id`;
  const ends = sql`(select user_id, seq, sum(count) as count, sum(good) as good
    from (${found('message_id')} union all ${found('digest_id')}) as found group by user_id, seq) as ended`;
  const same = sql`recipients.user_id = ended.user_id and recipients.seq = ended.seq`;
  if (isOnPostgres(transaction))
    await sql`select 1 from ${ends} inner join recipients on ${same}
      order by recipients.user_id, recipients.seq for no key update of recipients`.execute(
      transaction,
    );
  await sql`update recipients set
      waiting = case when recipients.waiting > ended.count then recipients.waiting - ended.count else 0 end,
      state = case when ended.good > 0 then 'accepted'
        when recipients.state = 'pending' and recipients.waiting <= ended.count then 'failed'
        else recipients.state end
    from ${ends} where ${same}`.execute(transaction);
}
