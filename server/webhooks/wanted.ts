/** Whether a call that waited is still to be made. */
import type { Database } from '../db/open';
import { goesOn } from '../escalation/stop';
import type { ClaimedCall } from './calls';

/** As it was written (`messages/escalating/actions.ts`). */
interface OfStep {
  type: string;
  /** An earlier version named no step: then it was called by one. */
  data: { message?: { id: string }; step?: object };
}

/**
 * Somebody is woken by what a step calls: not any more once its message was answered or cancelled,
 * or has ended, as with a mail. What tells of something is told whenever it can be, also of a step.
 */
export async function isWanted(
  { body, messageId }: Pick<ClaimedCall, 'body' | 'messageId'>,
  db: Database,
  now: number,
): Promise<boolean> {
  const { type, data } = JSON.parse(body) as OfStep;
  if (type !== 'message.escalated' || (messageId === null && data.step !== undefined)) return true;
  const message = await db
    .selectFrom('messages')
    .where('id', '=', data.message?.id ?? '')
    .select(['state', 'stopped', 'expires_at'])
    .executeTakeFirst();
  return message !== undefined && goesOn(message, now);
}
