import { sql } from 'kysely';
import type { ExpressionBuilder, SqlBool, Transaction } from 'kysely';
import type { OutcomeReason } from '../../src/shared/contract';
import { ALL_CLEAR_FILTER, CORRECTION_FILTER } from '../../src/shared/recipient-states';
import { lockForUpdate } from '../db/lock';
import { idTable } from '../db/json-table';
import type { MessageRow, RecipientRow, Tables } from '../db/schema';
import type { OutcomeCount } from '../db/step-outcomes';
import { answeredColumn } from '../escalation/count-answered';
import { findQuietHoursEnds } from '../quiet-hours/hours';
import type { AudienceMember, IdRange } from '../subscriptions/audience';
import { isInStates, type RecipientStateFilter } from './progress/recipients';
import { readStillWanted, writeRound } from './write-round';

/** `written_to` of a message without a running round. */
export const NO_ROUND = -1;

/** How far a running round is. Until the first round, `written_to` is how far the ledger is. */
export const toRoundCursor = ({
  rounds,
  written_to,
}: Pick<MessageRow, 'rounds' | 'written_to'>): number => (rounds === 0 ? NO_ROUND : written_to);

export interface NotifiedAgain {
  people: number;
  /** The requested people, and those not notified. The others wait for their push services. */
  outcomes: OutcomeCount[];
  /** `sort_key` for the next pushes. */
  nextKey: number;
}

/**
 * Uses the message's `rounds` and `next_key`.
 * @param states the states of the people to notify
 */
export async function notifyAgain(
  message: MessageRow,
  range: IdRange,
  transaction: Transaction<Tables>,
  now: number,
  states?: readonly RecipientStateFilter[],
): Promise<NotifiedAgain> {
  // The lock lasts until the commit: an answer comes before, or its person is notified.
  const unanswered = await lockForUpdate(
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
          sql<number>`(select id from ${idTable(range.only ?? [])} as named)`,
        ),
      )
      .orderBy('user_id')
      .select(['user_id', 'named', 'waiting', 'state']),
    transaction,
  ).execute();
  const countSkipped = (reason: OutcomeReason) =>
    unanswered.filter((row) => findNotNotifiedReason(row) === reason).length;
  const recipientIds = new Set(
    unanswered.flatMap((row) => (findNotNotifiedReason(row) ? [] : row.user_id)),
  );
  const beforeQuietHours = recipientIds.size;
  if (message.priority === 'info')
    for (const userId of (await findQuietHoursEnds([...recipientIds], transaction, now)).keys())
      recipientIds.delete(userId);
  const userIds = [...recipientIds];
  const outcomes: OutcomeCount[] = [
    { outcome: 'asked', people: unanswered.length },
    createNotPossible('push-pending', countSkipped('push-pending')),
    createNotPossible(
      'quiet-hours',
      countSkipped('quiet-hours') + beforeQuietHours - userIds.length,
    ),
  ];
  if (userIds.length === 0) return { people: 0, outcomes, nextKey: message.next_key };
  const stillWanted = await readStillWanted(message, userIds, unanswered, transaction);
  const members = stillWanted.filter(({ devices }) => devices.length > 0);
  const countInState = (deviceState: AudienceMember['state']) =>
    stillWanted.filter(({ state }) => state === deviceState).length;
  outcomes.push(
    createNotPossible('no-device', countInState('unreachable')),
    createNotPossible('muted', countInState('muted')),
    createNotPossible('unsubscribed', userIds.length - stillWanted.length),
  );
  const nextKey = await writeRound(message, members, transaction, now);
  return { people: members.length, outcomes, nextKey };
}

/** Why someone who has not answered is not notified, as far as the ledger has it. */
function findNotNotifiedReason({
  waiting,
  state,
}: Pick<RecipientRow, 'waiting' | 'state'>): OutcomeReason | undefined {
  // Held people are notified soon, for the first time.
  if (state === 'held') return 'quiet-hours';
  return waiting > 0 ? 'push-pending' : undefined;
}

const createNotPossible = (reason: OutcomeReason, people: number): OutcomeCount => ({
  outcome: 'not-possible',
  reason,
  people,
});

const hasAccount = sql<SqlBool>`exists (select 1 from users
  where users.id = recipients.user_id and users.suspended_at is null)`;

type RecipientExpression = ExpressionBuilder<Tables, 'recipients'>;

/**
 * People who have not answered (or read, if no answer is requested), and on request those who
 * answered an earlier text and were not shown the correction. After the all-clear, only people who
 * were not shown it.
 * @param states the states of the people to notify
 */
const isOpen =
  (message: MessageRow, states?: readonly RecipientStateFilter[]) => (row: RecipientExpression) => {
    if (message.all_clear_at !== null) return isInStates([ALL_CLEAR_FILTER]);
    const isUnanswered = row(answeredColumn(message), 'is', null);
    if (states === undefined) return isUnanswered;
    if (!states.includes(CORRECTION_FILTER)) return row.and([isUnanswered, isInStates(states)]);
    return row.or([row.and([isUnanswered, isInStates(states)]), isInStates([CORRECTION_FILTER])]);
  };

export const isOpenAndIdle =
  (message: MessageRow, states?: readonly RecipientStateFilter[]) => (row: RecipientExpression) =>
    row.and([isOpen(message, states)(row), row('waiting', '=', 0)]);
