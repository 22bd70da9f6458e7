/** Taking a message back, as far as it has not left: somebody cancels it, or its alert is over. */
import type { Transaction } from 'kysely';
import { record } from '../audit/record';
import { ESCALATION_JOB, MESSAGE_JOB, REPEAT_JOB } from '../db/jobs/kinds';
import { addJob, dropJobs } from '../db/jobs/jobs';
import { cancelRows } from '../db/outbox/upkeep';
import type { MessageRow, Tables } from '../db/schema';
import { isEscalating } from '../escalation/stop';
import type { Stop } from '../escalation/stop';
import { conflict } from '../http/errors';
import { targetOfRow } from './audit';
import { findMessage, lockMessage } from './find';
import { withdrawHeld } from './holding/hold';
import { countWritten } from './sending/ledger';

/**
 * A scheduled message never leaves; of one that is being sent, what is still pending does not. What
 * people have in their inbox stays there. From the end of this transaction on no push of it is
 * begun; the rows of a large one are ended behind the answer.
 * @param userId who cancels it
 * @throws HttpError 404; 409 if nothing is left to cancel
 */
export async function cancel(
  id: string,
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const message = await findMessage(id, transaction);
  if (!(await hasAnyLeft(message, transaction, now)))
    throw conflict('Nothing of this message is left to cancel.');
  await withdraw(message, { stopped: 'cancelled', at: now, userId }, transaction, now);
  const detail = message.state === 'scheduled' ? 'Before it was sent' : '';
  await record({ action: 'message.cancel', ...targetOfRow(message), detail }, transaction);
}

/**
 * The alert that a message told of is over: whatever is pending is withdrawn as if it were
 * cancelled, and everybody sees why. What is resolved already, or is not kept any more, stays as it is.
 */
export async function resolve(
  id: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const message = await lockMessage(id, transaction);
  if (message === undefined || message.resolved_at !== null) return;
  await transaction
    .updateTable('messages')
    .set({ resolved_at: now })
    .where('id', '=', id)
    .execute();
  // What had ended before was not stopped by this.
  const stop: Stop = { stopped: 'resolved', at: now, userId: null };
  await withdraw(message, message.expires_at > now ? stop : undefined, transaction, now);
  await record({ action: 'message.resolve', ...targetOfRow(message) }, transaction);
}

/** From the end of this transaction on no push of the message is begun, nor any step of its policy. */
async function withdraw(
  message: MessageRow,
  stop: Stop | undefined,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const { id } = message;
  await dropJobs([MESSAGE_JOB, REPEAT_JOB, ESCALATION_JOB], id, transaction);
  const people = message.state === 'writing' ? await countWritten(id, transaction) : message.people;
  await transaction
    .updateTable('messages')
    .set({
      state: 'cancelled',
      people,
      ...(message.stopped === null &&
        stop !== undefined && {
          stopped: stop.stopped,
          stopped_at: stop.at,
          stopped_by: stop.userId,
        }),
    })
    .where('id', '=', id)
    .execute();
  const withdrawn = await cancelRows(id, transaction, now);
  if (withdrawn + (await withdrawHeld(id, transaction)) > 0)
    await addJob({ kind: MESSAGE_JOB, subject: id }, transaction, now);
}

async function hasAnyLeft(
  message: MessageRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const { id, state, expires_at } = message;
  if (state === 'scheduled') return true;
  if (state === 'cancelled' || expires_at <= now) return false;
  if (state === 'writing') return true;
  if (isEscalating(message, now)) {
    const step = await transaction
      .selectFrom('escalation_steps')
      .where('message_id', '=', id)
      // What was asked of a mail server or a webhook may still be on its way.
      .where((is) => is.or([is('done_at', 'is', null), is('action', 'in', ['mail', 'webhook'])]))
      .select('position')
      .limit(1)
      .executeTakeFirst();
    if (step !== undefined) return true;
  }
  const pending = await transaction
    .selectFrom('deliveries')
    .where('message_id', '=', id)
    .where('state', '=', 'pending')
    .select('id')
    .limit(1)
    .executeTakeFirst();
  if (pending !== undefined) return true;
  const held = await transaction
    .selectFrom('recipients')
    .where('message_id', '=', id)
    .where('state', '=', 'held')
    .select('seq')
    .limit(1)
    .executeTakeFirst();
  return held !== undefined;
}
