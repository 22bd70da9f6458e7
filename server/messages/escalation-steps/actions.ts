import { firstOrderKey } from '../../db/outbox/queue-order';
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { MESSAGE_MAIL_JOB } from '../../db/jobs/kinds';
import type { EscalationStepRow, MessageRow, Tables } from '../../db/schema';
import type { OutcomeCount } from '../../db/step-outcomes';
import { addCall, splitIntoCalls } from '../../db/webhook-calls';
import { type AnswerCounts, answeredColumn } from '../../escalation/count-answered';
import { findObstacle } from '../../escalation/step-obstacles';
import { FULL_RANGE } from '../../subscriptions/audience';
import type { IdRange } from '../../subscriptions/audience';
import { describeEvent } from '../message-event';
import type { Services } from '../../services';
import { nextRange } from '../recipient-ranges';
import { notifyAgain, toRoundCursor } from '../notify-again';
import { LEDGER_CHUNK_SIZE } from '../sending/ledger';
import { notifyTopic } from './notify';
import { describeStep, readUnansweredRecipients } from './step-events';

interface StepResult {
  people: number;
  writtenTo?: number | undefined;
  outcomes: OutcomeCount[];
  round?: number;
  sentId?: string;
}

const EMPTY_RESULT: StepResult = { people: 0, outcomes: [] };

/** Does a step, or the next part of it. The caller has locked the message against answers. */
export async function runStepAction(
  message: MessageRow,
  step: EscalationStepRow,
  answerCounts: AnswerCounts,
  transaction: Transaction<Tables>,
  { config }: Pick<Services, 'config'>,
  now: number,
): Promise<StepResult> {
  const { open, callsForHelp } = answerCounts;
  // Only another topic has to know of people who answered that they need help.
  if (open === 0 && (callsForHelp === 0 || step.action !== 'notify')) return EMPTY_RESULT;
  if (step.written_to === 0) {
    const reason = await findObstacle(step, config, transaction);
    if (reason !== undefined)
      return {
        people: 0,
        outcomes: [
          { outcome: 'asked', people: open },
          { outcome: 'not-possible', reason, people: open },
        ],
      };
  }
  if (step.action === 'notify') {
    const sentMessage = await notifyTopic(message, step.topic_id, answerCounts, transaction, now);
    return { ...sentMessage, outcomes: [] };
  }
  const range = await findRange(message, step, answerCounts, transaction);
  const result = await actions[step.action](
    message,
    { step, range, answered: answerCounts },
    transaction,
    now,
  );
  return { ...result, writtenTo: range.upTo === FULL_RANGE.upTo ? undefined : range.upTo };
}

async function findRange(
  { id }: MessageRow,
  { written_to: after }: EscalationStepRow,
  { answered, open, callsForHelp }: AnswerCounts,
  transaction: Transaction<Tables>,
): Promise<IdRange> {
  if (after === 0 && answered + open + callsForHelp <= LEDGER_CHUNK_SIZE) return FULL_RANGE;
  return nextRange(id, after, LEDGER_CHUNK_SIZE, transaction);
}

interface StepPart {
  step: EscalationStepRow;
  range: IdRange;
  answered: AnswerCounts;
}
type RunAction = (
  message: MessageRow,
  part: StepPart,
  transaction: Transaction<Tables>,
  now: number,
) => Promise<Pick<StepResult, 'people' | 'outcomes' | 'round'>>;

const actions: Record<'repeat' | 'mail' | 'webhook', RunAction> = {
  async repeat(message, { step, range }, transaction, now) {
    const isFirst = step.written_to === 0;
    const rounds = message.rounds + (isFirst ? 1 : 0);
    const next_key = isFirst ? firstOrderKey(message, now) : message.next_key;
    const outcome = await notifyAgain({ ...message, rounds, next_key }, range, transaction, now);
    await transaction
      .updateTable('messages')
      // Someone may be notifying again by hand, but only after the first round.
      .set({ rounds, next_key: outcome.nextKey, written_to: toRoundCursor(message) })
      .where('id', '=', message.id)
      .execute();
    return { ...outcome, round: rounds };
  },

  /** Emails go only to verified addresses: no one else must get this person's message. */
  async mail(message, { step, range }, transaction, now) {
    const at = sql`cast(${now} as bigint)`;
    const unansweredRows = sql`from recipients inner join users on users.id = recipients.user_id
      where users.suspended_at is null and recipients.message_id = ${message.id} and recipients.user_id > ${range.after} and recipients.user_id <= ${range.upTo}
        and ${sql.ref(answeredColumn(message))} is null`;
    const { rows } = await sql<{
      asked: number;
    }>`select count(*) as asked ${unansweredRows}`.execute(transaction);
    const { numAffectedRows } = await sql`
      insert into jobs (kind, subject, created_at, due_at)
      select ${sql.lit(MESSAGE_MAIL_JOB)}, users.id || ' ' || recipients.message_id || ' ' || cast(${String(step.position)} as text), ${at}, ${at}
      ${unansweredRows} and users.email is not null and users.email_verified_at is not null and users.status = 'ACTIVE'
      order by users.id
      on conflict (kind, subject) do update set created_at = excluded.created_at, due_at = excluded.due_at,
        attempts = 0, generation = jobs.generation + 1`.execute(transaction);
    const people = Number(numAffectedRows ?? 0);
    const askedCount = Number(rows[0]?.asked ?? 0);
    const noAddress: OutcomeCount = {
      outcome: 'not-possible',
      reason: 'no-address',
      people: askedCount - people,
    };
    return { people, outcomes: [{ outcome: 'asked', people: askedCount }, noAddress] };
  },

  async webhook(message, { step, range, answered }, transaction, now) {
    const event = await describeEvent(message.id, transaction);
    if (step.webhook_id === null || event === undefined) return EMPTY_RESULT;
    const unanswered = await readUnansweredRecipients(message, range, transaction);
    const outcomes: OutcomeCount[] = [{ outcome: 'asked', people: unanswered.length }];
    let people = 0;
    for (const waitingFor of splitIntoCalls(unanswered)) {
      const data = { message: event, step: describeStep(step), people: answered.open, waitingFor };
      const call = { type: 'message.escalated', data } as const;
      const { length } = waitingFor;
      const asking = { messageId: message.id, position: step.position, people: length };
      const queued = await addCall(step.webhook_id, call, asking, transaction, now);
      if (queued === 'written') people += length;
      else if (queued === 'full')
        outcomes.push({ outcome: 'failed', reason: 'webhook-full', people: length });
      else outcomes.push({ outcome: 'not-possible', reason: 'webhook-off', people: length });
    }
    return { people, outcomes };
  },
};
