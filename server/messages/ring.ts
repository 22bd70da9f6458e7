/** The pushes with which a message rings again at some of its people. */
import { sql } from 'kysely';
import type { ExpressionBuilder, SqlBool, Transaction } from 'kysely';
import type { OutcomeReason, RecipientState } from '../../src/shared/contract';
import { lockForUpdate } from '../db/lock';
import { tableOf, tableOfIds } from '../db/json-table';
import type { MessageRow, RecipientRow, Tables } from '../db/schema';
import type { OutcomeCount } from '../db/step-outcomes';
import { answeredColumn } from '../escalation/answered';
import { findQuiet } from '../quiet-hours/hours';
import type { Member, Range } from '../subscriptions/audience';
import { readAudience } from '../subscriptions/audience';
import { audienceOfRow } from './find';
import { furthest } from './progress/recipients';
import { insertDeliveries } from './sending/ledger';

/** In `written_to` of a message that does not ring again at this moment. */
export const RESTING = -1;

export interface Rung {
  /** At how many it rings. */
  people: number;
  /** Who was asked for, and at whom it does not ring: the others wait for their push services. */
  outcomes: OutcomeCount[];
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
  const open = await lockForUpdate(
    transaction
      .selectFrom('recipients')
      .where('message_id', '=', message.id)
      .where('user_id', '>', range.after)
      .where('user_id', '<=', range.upTo)
      .where(isOpen(message, states))
      .where(hasAccount)
      .$if(range.only !== undefined, (query) =>
        query.where(
          'user_id',
          'in',
          sql<number>`(select id from ${tableOfIds(range.only ?? [])} as named)`,
        ),
      )
      .orderBy('user_id')
      .select(['user_id', 'waiting', 'state']),
    transaction,
  ).execute();
  const count = (reason: OutcomeReason) => open.filter((row) => reasonOf(row) === reason).length;
  const wanted = new Set(open.flatMap((row) => (reasonOf(row) ? [] : row.user_id)));
  const silent = wanted.size;
  if (message.priority === 'info')
    for (const userId of (await findQuiet([...wanted], transaction, now)).keys())
      wanted.delete(userId);
  const only = [...wanted];
  const [first, last] = [only[0], only.at(-1)];
  const outcomes: OutcomeCount[] = [
    { outcome: 'asked', people: open.length },
    notPossible('push-pending', count('push-pending')),
    notPossible('quiet-hours', count('quiet-hours') + silent - only.length),
  ];
  if (first === undefined || last === undefined)
    return { people: 0, outcomes, nextKey: message.next_key };
  // Nobody else is looked at: SQLite would go through all people for one.
  const those = { after: first - 1, upTo: last, only };
  const found = await readAudience(audienceOfRow(message), those, transaction, message.id);
  const members = found.filter(({ devices }) => devices.length > 0);
  const ofState = (one: Member['state']) => found.filter(({ state }) => state === one).length;
  outcomes.push(
    notPossible('no-device', ofState('unreachable')),
    notPossible('muted', ofState('muted')),
    notPossible('unsubscribed', only.length - found.length),
  );
  const round = { id: message.id, round: message.rounds };
  const nextKey = await insertDeliveries(round, members, message.next_key, transaction, now);
  await countRinging(message.id, members, transaction);
  return { people: members.length, outcomes, nextKey };
}

/** Why it does not ring at someone who has not answered, as far as the ledger says. */
function reasonOf({
  waiting,
  state,
}: Pick<RecipientRow, 'waiting' | 'state'>): OutcomeReason | undefined {
  // It rings at them soon, and for the first time.
  if (state === 'held') return 'quiet-hours';
  return waiting > 0 ? 'push-pending' : undefined;
}

const notPossible = (reason: OutcomeReason, people: number): OutcomeCount => ({
  outcome: 'not-possible',
  reason,
  people,
});

const hasAccount = sql<SqlBool>`exists (select 1 from users where users.id = recipients.user_id)`;

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
    update recipients set waiting = waiting + given.count, round_accepted = 0,
      devices = case when devices > given.count then devices else given.count end,
      state = case when state = 'accepted' then state else 'pending' end
    from given
    where recipients.message_id = ${messageId} and recipients.user_id >= ${first.userId} and recipients.user_id <= ${last.userId}
      and recipients.user_id = given.user_id`.execute(transaction);
}

type Recipient = ExpressionBuilder<Tables, 'recipients'>;

/**
 * Who has not answered, or not read it where nothing was asked.
 * @param states only who is in one of these
 */
const isOpen = (message: MessageRow, states?: readonly RecipientState[]) => (row: Recipient) =>
  row.and([
    row(answeredColumn(message), 'is', null),
    ...(states === undefined ? [] : [row(furthest, 'in', states)]),
  ]);

/** Of those, who has no push on its way. */
export const isSilent =
  (message: MessageRow, states?: readonly RecipientState[]) => (row: Recipient) =>
    row.and([isOpen(message, states)(row), row('waiting', '=', 0)]);
