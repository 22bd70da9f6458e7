/** Webhook events of escalation steps, whatever their outcome. */
import type { Transaction } from 'kysely';
import type { EscalationStepRow, MessageRow, Tables } from '../../db/schema';
import { MAX_ITEMS_PER_CALL, addWebhookCalls } from '../../db/webhook-calls';
import { answeredColumn } from '../../escalation/count-answered';
import { FULL_RANGE } from '../../subscriptions/audience';
import type { IdRange } from '../../subscriptions/audience';
import { describeEvent } from '../message-event';

interface TakenStep {
  message: MessageRow;
  step: EscalationStepRow;
  open: number;
}

/** One call for each step. A webhook that the step itself calls is left out (`except`). */
export async function addStepEvents(
  steps: readonly TakenStep[],
  transaction: Transaction<Tables>,
  now: number,
  except: number | null = null,
): Promise<void> {
  if (steps.length === 0) return;
  const readCalls = async (): Promise<object[]> => {
    const calls: object[] = [];
    for (const { message, step, open } of steps) {
      const event = await describeEvent(message.id, transaction);
      if (event === undefined) continue;
      const waitingFor = await readUnansweredRecipients(
        message,
        FULL_RANGE,
        transaction,
        MAX_ITEMS_PER_CALL,
      );
      calls.push({ message: event, step: describeStep(step), people: open, waitingFor });
    }
    return calls;
  };
  await addWebhookCalls('message.escalated', readCalls, transaction, now, except);
}

export const describeStep = ({ position, action }: EscalationStepRow) => ({ position, action });

export const readUnansweredRecipients = (
  message: MessageRow,
  { after, upTo }: IdRange,
  transaction: Transaction<Tables>,
  max?: number,
): Promise<{ id: number; username: string }[]> =>
  transaction
    .selectFrom('recipients')
    .innerJoin('users', 'users.id', 'recipients.user_id')
    .where('recipients.message_id', '=', message.id)
    .where('recipients.user_id', '>', after)
    .where('recipients.user_id', '<=', upTo)
    .where('users.suspended_at', 'is', null)
    .where(answeredColumn(message), 'is', null)
    .orderBy('users.id')
    .$if(max !== undefined, (query) => query.limit(max ?? 0))
    .select(['users.id', 'users.username'])
    .execute();
