/** When a message stops escalating: by answers, or because it was canceled. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { ESCALATION_JOB } from '../db/jobs/kinds';
import { dropJobs } from '../db/jobs/jobs';
import { isOnPostgres } from '../db/lock';
import { jsonTableOfList } from '../db/json-table';
import type { MessageRow, Tables } from '../db/schema';
import {
  type AnswerCounts,
  answeredColumn,
  isCallForHelp,
  listHelpAnswers,
} from './count-answered';
import { readPolicy } from './plan-steps';

/** Why, when, and by whose answer or cancellation. */
export interface EscalationStop {
  stopped: NonNullable<MessageRow['stopped']>;
  at: number;
  userId: number | null;
}

/** Allowed difference between servers' clocks: a message has ended when any of them says so. */
export const MAX_CLOCK_DIFFERENCE_MS = 5000;

/** Whether a step's mail or call is still to be made. */
export const isStillNeeded = (
  { state, stopped, expires_at }: Pick<MessageRow, 'state' | 'stopped' | 'expires_at'>,
  now: number,
): boolean =>
  state !== 'cancelled' && stopped === null && now < expires_at - MAX_CLOCK_DIFFERENCE_MS;

export const isEscalating = (
  message: Pick<MessageRow, 'policy' | 'stopped' | 'expires_at'>,
  now: number,
): boolean => message.policy !== null && message.stopped === null && message.expires_at > now;

/**
 * Why the answers are enough; undefined if not. Calls for help are not enough, even if everyone has
 * answered. A message without recipients just expires.
 */
export function findStopReason(
  quorum: number | null,
  { answered, open, callsForHelp }: AnswerCounts,
): 'acknowledged' | 'quorum' | undefined {
  if (answered > 0 && open === 0 && callsForHelp === 0) return 'acknowledged';
  return quorum !== null && answered >= quorum ? 'quorum' : undefined;
}

export async function stopEscalation(
  messageId: string,
  { stopped, at, userId }: EscalationStop,
  transaction: Transaction<Tables>,
): Promise<void> {
  await transaction
    .updateTable('messages')
    .set({ stopped, stopped_at: at, stopped_by: userId })
    .where('id', '=', messageId)
    .execute();
  await dropJobs([ESCALATION_JOB], messageId, transaction);
}

/** Messages that may still escalate. */
type EscalatingMessages = ReadonlyMap<
  string,
  Pick<MessageRow, 'answers' | 'translations' | 'state'> & { quorum: number | null }
>;

/**
 * Locks the messages that may still escalate, so that a concurrent step runs before this
 * transaction or sees its answers. Callers lock rows of the ledger later.
 */
export async function lockEscalating(
  messageIds: readonly string[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<EscalatingMessages> {
  if (messageIds.length === 0) return new Map();
  const ids = jsonTableOfList(messageIds.map((id) => [id]));
  const lock = isOnPostgres(transaction) ? sql`for no key update` : sql``;
  const { rows } = await sql<
    Pick<MessageRow, 'id' | 'answers' | 'translations' | 'state' | 'policy'>
  >`
    select id, answers, translations, state, policy from messages
    where id in (select value->>0 from ${ids}) and policy is not null and stopped is null and expires_at > ${now}
      and revised_to < 0
    order by id ${lock}`.execute(transaction);
  return new Map(
    rows.map(({ id, policy, ...message }) => [
      id,
      { ...message, quorum: readPolicy({ policy })?.quorum ?? null },
    ]),
  );
}

export interface GivenAnswer {
  messageId: string;
  userId: number;
  at: number;
}

/**
 * Stops messages that need no more answers.
 * @param answers in order, already in the ledger; without calls for help
 */
export async function stopAnsweredEscalations(
  answers: readonly GivenAnswer[],
  escalating: EscalatingMessages,
  transaction: Transaction<Tables>,
): Promise<void> {
  const byMessage = new Map<string, GivenAnswer[]>();
  for (const answer of answers)
    if (escalating.has(answer.messageId))
      byMessage.set(answer.messageId, [...(byMessage.get(answer.messageId) ?? []), answer]);
  if (byMessage.size === 0) return;
  const counts = await readAnswered([...byMessage.keys()], escalating, transaction);
  for (const [id, messageAnswers] of byMessage) {
    const { quorum = null, state } = escalating.get(id) ?? {};
    const { answered, isOpen } = counts.get(id) ?? { answered: 0, isOpen: true };
    // While a message is still written, not all its people are known.
    const open = isOpen || state !== 'sent' ? 1 : 0;
    const stopReason = findStopReason(quorum, { answered, open, callsForHelp: 0 });
    if (stopReason === undefined) continue;
    const answeredBefore = answered - messageAnswers.length;
    const decidingIndex =
      stopReason === 'quorum' ? (quorum ?? 1) - answeredBefore - 1 : messageAnswers.length - 1;
    const decidingAnswer = messageAnswers[Math.max(0, decidingIndex)];
    if (decidingAnswer)
      await stopEscalation(
        id,
        { stopped: stopReason, at: decidingAnswer.at, userId: decidingAnswer.userId },
        transaction,
      );
  }
}

/**
 * Whether someone has not answered or calls for help, and how many others have answered (only for a
 * quorum). No deleted people.
 */
async function readAnswered(
  ids: readonly string[],
  escalating: EscalatingMessages,
  transaction: Transaction<Tables>,
): Promise<Map<string, { answered: number; isOpen: boolean }>> {
  const askedRows = ids.map((id) => {
    const message = escalating.get(id);
    const isRead = message !== undefined && answeredColumn(message) === 'read_at';
    const helpAnswers = message === undefined ? '' : listHelpAnswers(message);
    return [id, isRead ? 1 : 0, message?.quorum === null ? 0 : 1, helpAnswers];
  });
  const people = sql`recipients inner join users on users.id = recipients.user_id where recipients.message_id = asked.id
    and case when ${isCallForHelp(sql`asked.help_answers`)} then null
      when asked.is_read = 1 then recipients.read_at else recipients.acknowledged_at end`;
  const { rows } = await sql<{ id: string; answered: number; isOpen: boolean | 0 | 1 }>`
    select asked.id, exists (select 1 from ${people} is null) as "isOpen",
      case when asked.is_counted = 1 then (select count(*) from ${people} is not null) else 1 end as answered
    from (select value->>0 as id, cast(value->>1 as integer) as is_read, cast(value->>2 as integer) as is_counted,
        value->>3 as help_answers
      from ${jsonTableOfList(askedRows)}) as asked`.execute(transaction);
  return new Map(
    rows.map(({ id, answered, isOpen }) => [
      id,
      { answered: Number(answered), isOpen: Boolean(isOpen) },
    ]),
  );
}
