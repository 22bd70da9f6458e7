/**
 * The next step of a message that was not answered. Its transaction takes the message's row alone,
 * as one that writes answers of it does: of the two, one comes first, and the other sees it. A step
 * that is done says so in the same transaction, so no process takes it twice.
 */
import type { Transaction } from 'kysely';
import type { EscalationStepRow, MessageRow, Tables } from '../../db/schema';
import { addOutcomes } from '../../db/step-outcomes';
import { type Answered, answeredColumn, countAnswered } from '../../escalation/answered';
import { readPolicy } from '../../escalation/plan';
import { isStillNeeded, isEnough, stop } from '../../escalation/stop';
import type { Services } from '../../services';
import { lockMessage } from '../find';
import { act } from './actions';
import { tellOfSteps } from './told';

/** How soon it is looked at again whether a message has left. */
const SOON = 60_000;
/** What is late is made up for, but phones mute what rings more often than once a minute. */
const MIN_BETWEEN = 60_000;

/** @returns when there is more to do; undefined if there is no more */
export async function takeEscalationStep(
  messageId: string,
  transaction: Transaction<Tables>,
  services: Services,
): Promise<number | undefined> {
  const message = await lockMessage(messageId, transaction);
  // Asked now: others may have held the row for long.
  const now = services.now();
  const steps = await transaction
    .selectFrom('escalation_steps')
    .selectAll()
    .where('message_id', '=', messageId)
    .where('done_at', 'is', null)
    .orderBy('position')
    .limit(2)
    .execute();
  const found = findStep(message, steps, now);
  if (!('step' in found)) return found.dueAt;
  const { step, next } = found;
  if (message === undefined) return undefined;
  const answered = await countAnswered(message, transaction);
  if (await stopIfEnough(message, answered, transaction, now)) return undefined;
  const done = await act(message, step, answered, transaction, services, now);
  await transaction
    .updateTable('escalation_steps')
    .set({
      people: (step.people ?? 0) + done.people,
      written_to: done.writtenTo ?? step.written_to,
      done_at: done.writtenTo === undefined ? now : null,
      ...(done.round !== undefined && { round: done.round }),
      ...(done.sentId !== undefined && { sent_id: done.sentId }),
    })
    .where('message_id', '=', messageId)
    .where('position', '=', step.position)
    .execute();
  // One that is called by the step itself hears once.
  if (step.written_to === 0 && answered.open > 0)
    await tellOfSteps([{ message, step, open: answered.open }], transaction, now, step.webhook_id);
  const { position } = step;
  const outcomes = done.outcomes.map((outcome) => ({ ...outcome, messageId, position }));
  await addOutcomes(outcomes, transaction);
  if (done.writtenTo !== undefined) return now;
  return dueAfter(message, step, next, now);
}

/**
 * What is to be done now, and what comes after it; or when to look again, if ever.
 * @param steps the first two that are not done
 */
export function findStep(
  message: MessageRow | undefined,
  [step, next]: readonly EscalationStepRow[],
  now: number,
):
  | { step: EscalationStepRow; next: EscalationStepRow | undefined }
  | { dueAt: number | undefined } {
  if (message === undefined || step === undefined || hasEnded(message, now))
    return { dueAt: undefined };
  if (message.state !== 'sent') return { dueAt: now + SOON };
  // Where it is not, another process was quicker.
  return step.due_at > now ? { dueAt: step.due_at } : { step, next };
}

const hasEnded = (message: MessageRow, now: number): boolean =>
  message.policy === null || !isStillNeeded(message, now);

/**
 * When the next step is due: as planned; or if that is over, as long after this one as planned, up
 * to a minute. Undefined if there is none before the message ends.
 */
export function dueAfter(
  message: MessageRow,
  step: EscalationStepRow,
  next: EscalationStepRow | undefined,
  now: number,
): number | undefined {
  if (next === undefined) return undefined;
  const dueAt = Math.max(next.due_at, now + Math.min(MIN_BETWEEN, next.due_at - step.due_at));
  return hasEnded(message, dueAt) ? undefined : dueAt;
}

/** People who were deleted since do not have to answer any more. */
async function stopIfEnough(
  message: MessageRow,
  answered: Answered,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const stopped = isEnough(readPolicy(message)?.quorum ?? null, answered);
  if (stopped === undefined) return false;
  const last = await transaction
    .selectFrom('recipients')
    .innerJoin('users', 'users.id', 'recipients.user_id')
    .where('recipients.message_id', '=', message.id)
    .where(answeredColumn(message), 'is not', null)
    .orderBy(answeredColumn(message), 'desc')
    .orderBy('users.id')
    .limit(1)
    .select('users.id')
    .executeTakeFirst();
  await stop(message.id, { stopped, at: now, userId: last?.id ?? null }, transaction);
  return true;
}
