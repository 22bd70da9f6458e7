/** When a message stops escalating: by answers, or because it was canceled. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { ESCALATION_JOB } from '../db/jobs/kinds';
import { addJobs, dropJobs } from '../db/jobs/jobs';
import { isOnPostgres } from '../db/lock';
import { jsonTableOfList } from '../db/json-table';
import type { MessageRow, Tables } from '../db/schema';
import {
  type AnswerCounts,
  type HelpColumns,
  answeredColumn,
  isCallForHelp,
  listHelpAnswers,
  storeHelpAnswers,
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
 * Why the answers are enough; undefined if not, and while anyone calls for help. A message without
 * recipients just expires.
 */
export function findStopReason(
  quorum: number | null,
  { answered, open, callsForHelp, answeredElsewhere = 0 }: AnswerCounts,
): 'acknowledged' | 'quorum' | undefined {
  if (callsForHelp > 0) return undefined;
  if (answered > 0 && open === 0) return 'acknowledged';
  return quorum !== null && answered + answeredElsewhere >= quorum ? 'quorum' : undefined;
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

/** Messages that may still escalate, or again after a new call for help. */
type EscalatingMessages = ReadonlyMap<
  string,
  HelpColumns & Pick<MessageRow, 'state' | 'stopped'> & { quorum: number | null }
>;

/**
 * Locks the messages that may still escalate, or escalate again after a new call for help, so that a concurrent step runs before this
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
  const { rows } = await sql<HelpColumns & Pick<MessageRow, 'id' | 'state' | 'stopped' | 'policy'>>`
    select id, answers, translations, help_answers, state, stopped, policy from messages
    where id in (select value->>0 from ${ids}) and policy is not null and expires_at > ${now}
      and (stopped is null or ${mayResume})
      and revised_to < 0
    order by id ${lock}`.execute(transaction);
  return new Map(
    rows.map(({ id, policy, ...message }) => [
      id,
      { ...message, quorum: readPolicy({ policy })?.quorum ?? null },
    ]),
  );
}

/** Whether a new call for help continues a message's escalation, which answers had stopped. */
const mayResume = sql<boolean>`(stopped in ('acknowledged', 'quorum') and all_clear_at is null
  and help_answers not in ('', ${sql.lit(storeHelpAnswers([]))}))`;

/**
 * Continues escalations with the next step that was not done, at once if its time has passed.
 * @param calledIds of messages with new calls for help
 */
export async function resumeEscalations(
  calledIds: Iterable<string>,
  escalating: EscalatingMessages,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const ids = [...new Set(calledIds)].filter((id) => escalating.get(id)?.stopped);
  if (ids.length === 0) return;
  await transaction
    .updateTable('messages')
    .set({ stopped: null, stopped_at: null, stopped_by: null })
    .where('id', 'in', ids)
    .execute();
  const steps = await transaction
    .selectFrom('escalation_steps')
    .where('message_id', 'in', ids)
    .where('done_at', 'is', null)
    .groupBy('message_id')
    .orderBy('message_id')
    .select(({ fn }) => ['message_id', fn.min('due_at').as('due_at')])
    .execute();
  const jobs = steps.map((step) => ({
    subject: step.message_id,
    dueAt: Math.max(now, Number(step.due_at)),
  }));
  await addJobs(ESCALATION_JOB, jobs, transaction, now);
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
    if (escalating.get(answer.messageId)?.stopped === null)
      byMessage.set(answer.messageId, [...(byMessage.get(answer.messageId) ?? []), answer]);
  if (byMessage.size === 0) return;
  const counts = await readAnswered([...byMessage.keys()], escalating, transaction);
  for (const [id, messageAnswers] of byMessage) {
    const { quorum = null, state } = escalating.get(id) ?? {};
    const { answered, isOpen, needsHelp } = counts.get(id) ?? NOTHING_COUNTED;
    // While a message is still written, not all its people are known.
    const open = isOpen || state !== 'sent' ? 1 : 0;
    const stopReason = findStopReason(quorum, { answered, open, callsForHelp: needsHelp ? 1 : 0 });
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

const NOTHING_COUNTED = { answered: 0, isOpen: true, needsHelp: false };

/**
 * Whether someone has not answered or calls for help, and only for a quorum whether anyone calls
 * for help, and how many others have answered. No deleted people.
 */
async function readAnswered(
  ids: readonly string[],
  escalating: EscalatingMessages,
  transaction: Transaction<Tables>,
): Promise<Map<string, typeof NOTHING_COUNTED>> {
  const askedRows = ids.map((id) => {
    const message = escalating.get(id);
    const isRead = message !== undefined && answeredColumn(message) === 'read_at';
    const helpAnswers = message === undefined ? '' : listHelpAnswers(message);
    return [id, isRead ? 1 : 0, message?.quorum === null ? 0 : 1, helpAnswers];
  });
  const people = sql`recipients inner join users on users.id = recipients.user_id where recipients.message_id = asked.id
    and case when ${isCallForHelp(sql`asked.help_answers`)} then null
      when asked.is_read = 1 then recipients.read_at else recipients.acknowledged_at end`;
  const { rows } = await sql<
    { id: string; answered: number } & Record<'isOpen' | 'needsHelp', boolean | 0 | 1>
  >`
    select asked.id, exists (select 1 from ${people} is null) as "isOpen",
      asked.is_counted = 1 and exists (select 1 from recipients inner join users on users.id = recipients.user_id
        where recipients.message_id = asked.id and ${isCallForHelp(sql`asked.help_answers`)}) as "needsHelp",
      case when asked.is_counted = 1 then (select count(*) from ${people} is not null) else 1 end as answered
    from (select value->>0 as id, cast(value->>1 as integer) as is_read, cast(value->>2 as integer) as is_counted,
        value->>3 as help_answers
      from ${jsonTableOfList(askedRows)}) as asked`.execute(transaction);
  return new Map(
    rows.map(({ id, answered, isOpen, needsHelp }) => [
      id,
      {
        answered: Number(answered),
        isOpen: Boolean(isOpen),
        needsHelp: Boolean(needsHelp),
      },
    ]),
  );
}
