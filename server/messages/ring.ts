/** The pushes with which a message rings again at some of its people. */
import { sql } from 'kysely';
import type { ExpressionBuilder, Transaction } from 'kysely';
import type { RecipientState } from '../../src/shared/contract';
import { takenAlone } from '../db/lock';
import { tableOf, tableOfIds } from '../db/rows';
import type { MessageRow, Tables } from '../db/schema';
import { answeredColumn } from '../escalation/answered';
import { findQuiet } from '../quiet-hours/hours';
import type { Member, Range } from '../subscriptions/audience';
import { readAudience } from '../subscriptions/audience';
import { audienceOf } from './find';
import { furthest } from './progress/recipients';
import { insertDeliveries } from './sending/ledger';

/** In `written_to` of a message that does not ring again at this moment. */
export const RESTING = -1;

export interface Rung {
  /** At how many it rings. */
  people: number;
  /** From which key on the next pushes are written. */
  nextKey: number;
}

/**
 * Writes the pushes of those in a range who have not answered, with the message's `rounds` and from
 * its `next_key` on. @param states only of those of them who are in one of these
 */
export async function ringAt(
  message: MessageRow,
  range: Range,
  transaction: Transaction<Tables>,
  now: number,
  states?: readonly RecipientState[],
): Promise<Rung> {
  // Held until the end: who acknowledges at this moment does so before, or is rung at.
  const silent = await takenAlone(
    transaction
      .selectFrom('recipients')
      .where('message_id', '=', message.id)
      .where('user_id', '>', range.after)
      .where('user_id', '<=', range.upTo)
      .where(isSilent(message, states))
      // It rings at them soon, and for the first time.
      .where('state', '<>', 'held')
      .$if(range.only !== undefined, (query) =>
        query.where(
          'user_id',
          'in',
          sql<number>`(select id from ${tableOfIds(range.only ?? [])} as named)`,
        ),
      )
      .orderBy('user_id')
      .select('user_id'),
    transaction,
  ).execute();
  const wanted = new Set(silent.map(({ user_id }) => user_id));
  if (message.priority === 'info')
    for (const userId of (await findQuiet([...wanted], transaction, now)).keys())
      wanted.delete(userId);
  const only = [...wanted];
  const [first, last] = [only[0], only.at(-1)];
  if (first === undefined || last === undefined) return { people: 0, nextKey: message.next_key };
  // Nobody else is looked at: SQLite would go through all people for one.
  const those = { after: first - 1, upTo: last, only };
  const members = (await readAudience(audienceOf(message), those, transaction, message.id)).filter(
    ({ devices }) => devices.length > 0,
  );
  const round = { id: message.id, round: message.rounds };
  const nextKey = await insertDeliveries(round, members, message.next_key, transaction, now);
  await countRinging(message.id, members, transaction);
  return { people: members.length, nextKey };
}

async function countRinging(
  messageId: string,
  members: readonly Member[],
  transaction: Transaction<Tables>,
): Promise<void> {
  const [first, last] = [members[0], members.at(-1)];
  if (first === undefined || last === undefined) return;
  const counts = members.map(({ userId, devices }) => [userId, devices.length] as const);
  // With the range, and materialized: otherwise SQLite goes through all of the one for each of the
  // other.
  await sql`with given as materialized (
      select cast(key as bigint) as user_id, cast(cast(value as text) as integer) as count from ${tableOf(counts)})
    update recipients set waiting = waiting + given.count,
      devices = case when devices > given.count then devices else given.count end,
      state = case when state = 'accepted' then state else 'pending' end
    from given
    where recipients.message_id = ${messageId} and recipients.user_id >= ${first.userId} and recipients.user_id <= ${last.userId}
      and recipients.user_id = given.user_id`.execute(transaction);
}

/**
 * Who has not answered, or not read it where nothing was asked, and has no push on its way.
 * @param states only who is in one of these
 */
export const isSilent =
  (message: MessageRow, states?: readonly RecipientState[]) =>
  (row: ExpressionBuilder<Tables, 'recipients'>) =>
    row.and([
      row(answeredColumn(message), 'is', null),
      row('waiting', '=', 0),
      ...(states === undefined ? [] : [row(furthest, 'in', states)]),
    ]);
