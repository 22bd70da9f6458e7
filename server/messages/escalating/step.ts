/**
 * The next step of a message that was not answered. Its transaction takes the message's row alone,
 * as one that writes answers of it does: of the two, one comes first, and the other sees it. A step
 * that is done says so in the same transaction, so no process takes it twice.
 */
import type { Transaction } from 'kysely';
import { ESCALATION_JOB } from '../../db/jobs';
import type { EscalationStepRow, MessageRow, Tables } from '../../db/schema';
import { type Answered, answeredColumn, countAnswered } from '../../escalation/answered';
import { readPolicy } from '../../escalation/plan';
import { isEnough, isEscalating, stop } from '../../escalation/stop';
import type { Services } from '../../services';
import { createTurn } from '../../turns';
import { lockMessage } from '../find';
import { act } from './actions';

/** Clocks of two servers may differ by so much: the end of a message has come where any says so. */
const CLOCKS_DIFFER = 5000;
/** How soon it is looked at again whether a message has left. */
const SOON = 60_000;
/** What is late is made up for, but phones mute what rings more often than once a minute. */
const LEAST_BETWEEN = 60_000;

export const escalations = createTurn({
  kinds: [ESCALATION_JOB],
  limit: 20,
  atOnce: 4,
  failure: 'a step of an escalation failed',
  step: ({ subject }, transaction, services) => takeStep(subject, transaction, services),
});

/** @returns when there is more to do; undefined if there is no more */
async function takeStep(
  messageId: string,
  transaction: Transaction<Tables>,
  services: Services,
): Promise<number | undefined> {
  const message = await lockMessage(messageId, transaction);
  // Asked now: others may have held the row for long.
  const now = services.now();
  if (message === undefined || hasEnded(message, now)) return undefined;
  if (message.state !== 'sent') return now + SOON;
  const [step, next] = await transaction
    .selectFrom('escalation_steps')
    .selectAll()
    .where('message_id', '=', messageId)
    .where('done_at', 'is', null)
    .orderBy('position')
    .limit(2)
    .execute();
  if (step === undefined) return undefined;
  // Another process was quicker.
  if (step.due_at > now) return step.due_at;
  const answered = await countAnswered(message, transaction);
  if (await stopIfEnough(message, answered, transaction, now)) return undefined;
  const done = await act(message, step, answered, transaction, now);
  await transaction
    .updateTable('escalation_steps')
    .set({
      people: (step.people ?? 0) + done.people,
      written_to: done.writtenTo ?? step.written_to,
      done_at: done.writtenTo === undefined ? now : null,
    })
    .where('message_id', '=', messageId)
    .where('position', '=', step.position)
    .execute();
  if (done.writtenTo !== undefined) return now;
  const dueAt = next && dueAfter(step, next, now);
  return dueAt === undefined || hasEnded(message, dueAt) ? undefined : dueAt;
}

const hasEnded = (message: MessageRow, now: number): boolean =>
  message.state === 'cancelled' || !isEscalating(message, now + CLOCKS_DIFFER);

/** As planned; or if that is over, as long after this one as planned, up to a minute. */
const dueAfter = (step: EscalationStepRow, next: EscalationStepRow, now: number): number =>
  Math.max(next.due_at, now + Math.min(LEAST_BETWEEN, next.due_at - step.due_at));

/**
 * Whoever was deleted does not have to answer any more, and a process of an earlier version stops
 * nothing when it writes an answer.
 */
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
