import { firstOrderKey } from '../db/outbox/queue-order';
import { ALL_CLEAR_FILTER } from '../../src/shared/recipient-states';
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { recordAudit } from '../audit/record-audit';
import { NOTIFY_AGAIN_JOB } from '../db/jobs/kinds';
import { addJob } from '../db/jobs/jobs';
import type { MessageRow, Tables } from '../db/schema';
import { addOutcomes } from '../db/step-outcomes';
import type { OutcomeCount } from '../db/step-outcomes';
import { recordNotifyAgain } from '../escalation/plan-steps';
import { conflictError } from '../http/errors';
import { FULL_RANGE } from '../subscriptions/audience';
import { countedNoun } from '../lib/counted-noun';
import { auditTargetOfRow } from './audit-target';
import { requireNotEnded } from './corrections/require-not-ended';
import { requireLockedMessage } from './lock-message';
import { nextRange, recipientRanges } from './recipient-ranges';
import { isOpenAndIdle, NO_ROUND, notifyAgain, toRoundCursor } from './notify-again';
import type { RecipientStateFilter } from './progress/recipients';
import type { NotifiedAgain } from './notify-again';
import { MAX_RECIPIENTS_WRITTEN_AT_ONCE, LEDGER_CHUNK_SIZE } from './sending/ledger';

interface NotifyAgainFilter {
  /** Ids of others are ignored. */
  userIds?: readonly number[] | undefined;
  states?: readonly RecipientStateFilter[] | undefined;
}

/**
 * Leaves out people who muted it, have no device or a pending push, and for `info` those in quiet
 * hours.
 * @throws HttpError 404; 409 if it is not sent yet, canceled, resolved or expired
 */
export async function notifyRecipientsAgain(
  id: string,
  { userIds, states }: NotifyAgainFilter,
  senderId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<{ messageId: string; people: number }> {
  const message = await requireLockedMessage(id, transaction);
  if (message.state === 'scheduled' || message.state === 'writing')
    throw conflictError('This message has not been sent yet.');
  const isAboutAllClear = states?.includes(ALL_CLEAR_FILTER) === true;
  requireNotEnded({ ...message, ...(isAboutAllClear && { all_clear_at: null }) }, now);
  const { people, outcomes } = await (userIds
    ? notifySome(message, { userIds, states }, transaction, now)
    : notifyAll(message, states, transaction, now));
  if (people > 0) {
    const round = { people, outcomes, round: message.rounds + 1 };
    await recordNotifyAgain(id, round, senderId, transaction, now);
    const detail = countedNoun(people, 'person', 'people');
    await recordAudit(
      { action: 'message.repeat', ...auditTargetOfRow(message), detail },
      transaction,
    );
  }
  return { messageId: id, people };
}

type NotifyAgainResult = Pick<NotifiedAgain, 'people' | 'outcomes'>;

/**
 * A job notifies more than 5,000 people.
 * @returns the number of people, as far as it is known
 */
async function notifyAll(
  message: MessageRow,
  states: NotifyAgainFilter['states'],
  transaction: Transaction<Tables>,
  now: number,
): Promise<NotifyAgainResult> {
  const { id } = message;
  const outcomes: OutcomeCount[] = [];
  const { unanswered, reachable } = await countUnanswered(message, states, transaction);
  if (unanswered === 0) return { people: 0, outcomes };
  const repeat_states = chooseStates(message, states);
  const round = {
    ...{ ...message, repeat_states },
    ...{ rounds: message.rounds + 1, next_key: firstOrderKey(message, now), written_to: 0 },
  };
  const { rounds, next_key, written_to } = round;
  if (unanswered > MAX_RECIPIENTS_WRITTEN_AT_ONCE) {
    await transaction
      .updateTable('messages')
      .set({ rounds, next_key, written_to, repeat_states })
      .where('id', '=', id)
      .execute();
    await addJob({ kind: NOTIFY_AGAIN_JOB, subject: id }, transaction, now);
    return { people: reachable, outcomes };
  }
  let people = 0;
  for (let cursor: MessageRow = round; ; ) {
    const part = await notifyNext(cursor, transaction, now);
    people += part.people;
    outcomes.push(...part.outcomes);
    cursor = { ...cursor, next_key: part.nextKey, written_to: part.writtenTo };
    if (part.writtenTo === NO_ROUND) break;
  }
  if (people > 0)
    await transaction.updateTable('messages').set({ rounds }).where('id', '=', id).execute();
  return { people, outcomes };
}

/** The states to store. A running job for other states starts again for all. */
function chooseStates(message: MessageRow, states: NotifyAgainFilter['states']): string | null {
  const requestedStates = states?.join() ?? null;
  const isUnderWay = toRoundCursor(message) !== NO_ROUND;
  return isUnderWay && message.repeat_states !== requestedStates ? null : requestedStates;
}

/** A running job keeps its place. */
async function notifySome(
  message: MessageRow,
  { userIds, states }: NotifyAgainFilter & { userIds: readonly number[] },
  transaction: Transaction<Tables>,
  now: number,
): Promise<NotifyAgainResult> {
  let nextKey = firstOrderKey(message, now);
  let people = 0;
  const outcomes: OutcomeCount[] = [];
  const rounds = message.rounds + 1;
  for (let from = 0; from < userIds.length; from += LEDGER_CHUNK_SIZE) {
    const range = { ...FULL_RANGE, only: userIds.slice(from, from + LEDGER_CHUNK_SIZE) };
    const nextRound = { ...message, rounds, next_key: nextKey };
    const notified = await notifyAgain(nextRound, range, transaction, now, states);
    nextKey = notified.nextKey;
    people += notified.people;
    outcomes.push(...notified.outcomes);
  }
  if (people > 0)
    await transaction
      .updateTable('messages')
      .set({ rounds, written_to: toRoundCursor(message) })
      .where('id', '=', message.id)
      .execute();
  return { people, outcomes };
}

/**
 * A step of the job.
 * @returns whether it is complete
 */
export async function continueNotifyAgain(
  message: MessageRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  // Expired, or another process was faster.
  if (message.expires_at <= now || message.written_to === NO_ROUND) return true;
  const { writtenTo, outcomes } = await notifyNext(message, transaction, now);
  const { id: messageId, rounds: round } = message;
  await addOutcomes(
    outcomes.map((outcome) => ({ ...outcome, messageId, round })),
    transaction,
  );
  return writtenTo === NO_ROUND;
}

async function notifyNext(
  message: MessageRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<NotifiedAgain & { writtenTo: number }> {
  const range = await nextRange(message.id, message.written_to, LEDGER_CHUNK_SIZE, transaction);
  const states = message.repeat_states?.split(',') as RecipientStateFilter[] | undefined;
  const notified = await notifyAgain(message, range, transaction, now, states);
  const writtenTo = range.upTo === FULL_RANGE.upTo ? NO_ROUND : range.upTo;
  await transaction
    .updateTable('messages')
    .set({ written_to: writtenTo, next_key: notified.nextKey })
    .where('id', '=', message.id)
    .execute();
  return { ...notified, writtenTo };
}

/** `reachable` is as of the sending. Devices are looked up when the round is written. */
async function countUnanswered(
  message: MessageRow,
  states: NotifyAgainFilter['states'],
  transaction: Transaction<Tables>,
): Promise<{ unanswered: number; reachable: number }> {
  const totals = { unanswered: 0, reachable: 0 };
  for await (const { after, upTo } of recipientRanges(message.id, transaction)) {
    const { unanswered, reachable } = await transaction
      .selectFrom('recipients')
      .where('message_id', '=', message.id)
      .where('user_id', '>', after)
      .where('user_id', '<=', upTo)
      .where(isOpenAndIdle(message, states))
      .select(({ fn }) => [
        fn.countAll<number>().as('unanswered'),
        sql<number>`coalesce(sum(case when devices > 0 then 1 else 0 end), 0)`.as('reachable'),
      ])
      .executeTakeFirstOrThrow();
    totals.unanswered += unanswered;
    totals.reachable += Number(reachable);
  }
  return totals;
}
