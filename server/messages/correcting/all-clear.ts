/** The all-clear: a message no longer applies. */
import type { Transaction } from 'kysely';
import { recordAudit } from '../../audit/record-audit';
import { ESCALATION_JOB } from '../../db/jobs/kinds';
import { dropJobs } from '../../db/jobs/jobs';
import type { Tables } from '../../db/schema';
import { isEscalating } from '../../escalation/stop-escalation';
import { conflictError } from '../../http/errors';
import { auditTargetOfRow } from '../audit-target';
import { findMessage } from '../lock-message';
import { addMessageEvent } from '../message-event';
import { requireCorrectable } from './require-not-ended';
import { sendRevision } from './revise';

/** Ends the escalation, and notifies everyone once more. @throws HttpError 404, 409 */
export async function giveAllClear(
  id: string,
  words: string | undefined,
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const message = await findMessage(id, transaction);
  requireCorrectable(message, now);
  if (message.state === 'scheduled') throw conflictError('This message has not been sent yet.');
  await dropJobs([ESCALATION_JOB], id, transaction);
  const clearedMessage = await transaction
    .updateTable('messages')
    .set({
      all_clear_at: now,
      all_clear: words ?? null,
      all_clear_by: userId,
      ...(isEscalating(message, now) && {
        stopped: 'all-clear' as const,
        stopped_at: now,
        stopped_by: userId,
      }),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await sendRevision(clearedMessage, transaction, now);
  await recordAudit({ action: 'message.clear', ...auditTargetOfRow(message) }, transaction);
  await addMessageEvent('message.all-clear', id, transaction, now);
}
