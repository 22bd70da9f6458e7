/** The all-clear: a message no longer applies. */
import type { Transaction } from 'kysely';
import { recordAudit } from '../../audit/record-audit';
import { ESCALATION_JOB } from '../../db/jobs/kinds';
import { dropJobs } from '../../db/jobs/jobs';
import type { MessageRow, Tables } from '../../db/schema';
import { isEscalating } from '../../escalation/stop-escalation';
import { conflictError } from '../../http/errors';
import { toTime } from '../../lib/clock';
import { auditTargetOfRow } from '../audit-target';
import { requireLockedMessage } from '../lock-message';
import { addMessageEvent } from '../message-event';
import {
  closeAlarm,
  findAlarmOfStep,
  lockEarlierAlarms,
  lockStepMessages,
} from './alarms-of-check-in';
import { isCorrectable, requireCorrectable } from './require-not-ended';
import { sendRevision } from './revise';

/**
 * Ends the escalation, and notifies everyone once more, also in other topics that its policy
 * notified. For an alarm, or what its policy sent, it also applies to the earlier alarms of its
 * check-in that are out.
 * @throws HttpError 404, 409
 */
export async function addAllClear(
  givenId: string,
  allClearText: string | undefined,
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const id = (await findAlarmOfStep(givenId, transaction)) ?? givenId;
  const earlierAlarms = await lockEarlierAlarms(id, transaction);
  const message = await requireLockedMessage(id, transaction);
  requireCorrectable(message, now);
  if (message.state === 'scheduled') throw conflictError('This message has not been sent yet.');
  const others = [...earlierAlarms, ...(await lockStepMessages(id, transaction))];
  const openOthers = new Map(
    others.flatMap((other) => (isCorrectable(other, now) ? [[other.id, other]] : [])),
  );
  // The newest message carries the notification, and closes the earlier notifications.
  const messages = [message, ...openOthers.values()].sort(
    (one, other) => other.created_at - one.created_at || (one.id < other.id ? 1 : -1),
  );
  for (const messageToClear of messages)
    await clearMessage(messageToClear, allClearText, userId, transaction, now);
}

async function clearMessage(
  message: MessageRow,
  allClearText: string | undefined,
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const { id } = message;
  await dropJobs([ESCALATION_JOB], id, transaction);
  const clearedMessage = await transaction
    .updateTable('messages')
    .set({
      all_clear_at: now,
      all_clear: allClearText ?? null,
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
  await closeAlarm(id, transaction, now);
  await sendRevision(clearedMessage, transaction, now);
  await recordAudit({ action: 'message.clear', ...auditTargetOfRow(message) }, transaction);
  const eventDetails = {
    allClearAt: toTime(now),
    ...(allClearText !== undefined && { allClear: allClearText }),
  };
  await addMessageEvent('message.all-clear', id, transaction, now, eventDetails);
}
