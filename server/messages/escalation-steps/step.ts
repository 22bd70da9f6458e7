/** The transaction locks the message, as one that writes an answer does, so one sees the other. */
import type { Transaction } from 'kysely';
import type { EscalationStepRow, MessageRow, Tables } from '../../db/schema';
import { addOutcomes } from '../../db/step-outcomes';
import {
  type AnswerCounts,
  answeredColumn,
  countAnswered,
  countAnsweredElsewhere,
  isCallForHelpIn,
} from '../../escalation/count-answered';
import { readPolicy } from '../../escalation/plan-steps';
import { isStillNeeded, findStopReason, stopEscalation } from '../../escalation/stop-escalation';
import type { Services } from '../../services';
import { lockMessage } from '../lock-message';
import { NO_ROUND } from '../notify-again';
import { runStepAction } from './actions';
import { addStepEvents } from './step-events';

/** Wait before looking again for a message that is not sent yet. */
const UNSENT_RETRY_MS = 60_000;
/** Late steps are caught up on, but phones mute anything that sounds more than once a minute. */
const MIN_STEP_INTERVAL_MS = 60_000;

/** @returns when to continue; undefined at the end */
export async function runEscalationStep(
  messageId: string,
  transaction: Transaction<Tables>,
  services: Services,
): Promise<number | undefined> {
  const message = await lockMessage(messageId, transaction);
  // The time is read now, because the lock may have taken long.
  const now = services.now();
  const steps = await transaction
    .selectFrom('escalation_steps')
    .selectAll()
    .where('message_id', '=', messageId)
    .where('done_at', 'is', null)
    .orderBy('position')
    .limit(2)
    .execute();
  const dueStep = findStep(message, steps, now);
  if (!('step' in dueStep)) return dueStep.dueAt;
  const { step, next } = dueStep;
  if (message === undefined) return undefined;
  const answerCounts = await countAnswered(message, transaction);
  if (await stopIfEnough(message, answerCounts, transaction, now)) return undefined;
  const result = await runStepAction(message, step, answerCounts, transaction, services, now);
  await transaction
    .updateTable('escalation_steps')
    .set({
      people: (step.people ?? 0) + result.people,
      written_to: result.writtenTo ?? step.written_to,
      done_at: result.writtenTo === undefined ? now : null,
      ...(result.round !== undefined && { round: result.round }),
      ...(result.sentId !== undefined && { sent_id: result.sentId }),
    })
    .where('message_id', '=', messageId)
    .where('position', '=', step.position)
    .execute();
  // A webhook that the step itself calls gets one call.
  if (step.written_to === 0 && answerCounts.open > 0)
    await addStepEvents(
      [{ message, step, open: answerCounts.open }],
      transaction,
      now,
      step.webhook_id,
    );
  const { position } = step;
  const outcomes = result.outcomes.map((outcome) => ({ ...outcome, messageId, position }));
  await addOutcomes(outcomes, transaction);
  if (result.writtenTo !== undefined) return now;
  return nextStepDueAt(message, step, next, now);
}

/** @param steps the first two that are not done */
export function findStep(
  message: MessageRow | undefined,
  [step, next]: readonly EscalationStepRow[],
  now: number,
):
  | { step: EscalationStepRow; next: EscalationStepRow | undefined }
  | { dueAt: number | undefined } {
  if (message === undefined || step === undefined || hasEnded(message, now))
    return { dueAt: undefined };
  if (message.state !== 'sent' || message.revised_to !== NO_ROUND)
    return { dueAt: now + UNSENT_RETRY_MS };
  // If the step is not due, another process was faster.
  return step.due_at > now ? { dueAt: step.due_at } : { step, next };
}

const hasEnded = (message: MessageRow, now: number): boolean =>
  message.policy === null || !isStillNeeded(message, now);

/** The next step's time: as planned or, if late, after the planned interval, at most a minute. */
export function nextStepDueAt(
  message: MessageRow,
  step: EscalationStepRow,
  next: EscalationStepRow | undefined,
  now: number,
): number | undefined {
  if (next === undefined) return undefined;
  const dueAt = Math.max(
    next.due_at,
    now + Math.min(MIN_STEP_INTERVAL_MS, next.due_at - step.due_at),
  );
  return hasEnded(message, dueAt) ? undefined : dueAt;
}

/** Deleted people need not answer any more. */
async function stopIfEnough(
  message: MessageRow,
  answerCounts: AnswerCounts,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const quorum = readPolicy(message)?.quorum ?? null;
  const answeredElsewhere =
    quorum === null ? 0 : await countAnsweredElsewhere(message.id, transaction);
  const stopReason = findStopReason(quorum, { ...answerCounts, answeredElsewhere });
  if (stopReason === undefined) return false;
  const lastAnswer = await transaction
    .selectFrom('recipients')
    .innerJoin('users', 'users.id', 'recipients.user_id')
    .where('recipients.message_id', '=', message.id)
    .where(answeredColumn(message), 'is not', null)
    .where(({ not }) => not(isCallForHelpIn(message)))
    .orderBy(answeredColumn(message), 'desc')
    .orderBy('users.id')
    .limit(1)
    .select('users.id')
    .executeTakeFirst();
  await stopEscalation(
    message.id,
    { stopped: stopReason, at: now, userId: lastAnswer?.id ?? null },
    transaction,
  );
  return true;
}
