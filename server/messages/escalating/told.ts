/** What webhooks that listen are told of steps that are taken, whatever comes of them. */
import type { Transaction } from 'kysely';
import type { EscalationStepRow, MessageRow, Tables } from '../../db/schema';
import { MAX_IN_CALL, addCalls } from '../../db/webhook-calls';
import { answeredColumn } from '../../escalation/answered';
import { EVERYBODY } from '../../subscriptions/audience';
import type { Range } from '../../subscriptions/audience';
import { describeEvent } from '../message-event';

/** A step that is taken for so many people who have not answered. */
interface TakenStep {
  message: MessageRow;
  step: EscalationStepRow;
  open: number;
}

/**
 * Tells each webhook that listens to `message.escalated` of each step, in one call that names a
 * hundred people at most. One that the step calls itself hears of it by that call.
 */
export async function tellOfSteps(
  steps: readonly TakenStep[],
  transaction: Transaction<Tables>,
  now: number,
  except: number | null = null,
): Promise<void> {
  if (steps.length === 0) return;
  const read = async (): Promise<object[]> => {
    const calls: object[] = [];
    for (const { message, step, open } of steps) {
      const event = await describeEvent(message.id, transaction);
      if (event === undefined) continue;
      const waitingFor = await readOpen(message, EVERYBODY, transaction, MAX_IN_CALL);
      calls.push({ message: event, step: describeStep(step), people: open, waitingFor });
    }
    return calls;
  };
  await addCalls('message.escalated', read, transaction, now, except);
}

/** Which step of its policy, from 0, and what it does. */
export const describeStep = ({ position, action }: EscalationStepRow) => ({ position, action });

/** Who has not answered, by id. */
export const readOpen = (
  message: MessageRow,
  { after, upTo }: Range,
  transaction: Transaction<Tables>,
  most?: number,
): Promise<{ id: number; username: string }[]> =>
  transaction
    .selectFrom('recipients')
    .innerJoin('users', 'users.id', 'recipients.user_id')
    .where('recipients.message_id', '=', message.id)
    .where('recipients.user_id', '>', after)
    .where('recipients.user_id', '<=', upTo)
    .where(answeredColumn(message), 'is', null)
    .orderBy('users.id')
    .$if(most !== undefined, (query) => query.limit(most ?? 0))
    .select(['users.id', 'users.username'])
    .execute();
