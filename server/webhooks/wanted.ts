/** Whether a call that waited is still to be made. */
import type { Database } from '../db/open';
import { goesOn } from '../escalation/stop';
import type { Call } from './calls';

/** As it was written (`messages/escalating/actions.ts`). */
interface OfStep {
  type: string;
  data: { message?: { id: string } };
}

/**
 * Somebody is woken by what a step calls: not any more once its message was answered or cancelled,
 * or has ended, as with a mail. What tells of something is told whenever it can be.
 */
export async function isWanted({ body }: Call, db: Database, now: number): Promise<boolean> {
  const { type, data } = JSON.parse(body) as OfStep;
  if (type !== 'message.escalated') return true;
  const message = await db
    .selectFrom('messages')
    .where('id', '=', data.message?.id ?? '')
    .select(['state', 'stopped', 'expires_at'])
    .executeTakeFirst();
  return message !== undefined && goesOn(message, now);
}
