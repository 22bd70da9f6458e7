/** Withdraws unsent pushes when a message is canceled or its alert is resolved. */
import type { Transaction } from 'kysely';
import { recordAudit } from '../audit/record-audit';
import { ESCALATION_JOB, MESSAGE_JOB, NOTIFY_AGAIN_JOB, REVISION_JOB } from '../db/jobs/kinds';
import { addJob, dropJobs } from '../db/jobs/jobs';
import { cancelRows } from '../db/outbox/maintenance';
import type { MessageRow, Tables } from '../db/schema';
import { isEscalating } from '../escalation/stop-escalation';
import type { EscalationStop } from '../escalation/stop-escalation';
import { conflictError } from '../http/errors';
import { auditTargetOfRow } from './audit-target';
import { requireNoOpenAlarm } from './corrections/alarms-of-check-in';
import { requireLockedMessage, lockMessage } from './lock-message';
import { withdrawHeldMessage } from './held-messages/hold';
import { countWritten } from './sending/ledger';

const NOTHING_LEFT =
  'You can no longer cancel this message. It has expired or was already canceled, or everything has already been sent.';

/**
 * Cancels a message and withdraws its unsent pushes. It stays in the inboxes of people who have it.
 * @throws HttpError 404; 409 if nothing is left to cancel, or someone who works alone waits for help
 */
export async function cancelMessage(
  id: string,
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const message = await requireLockedMessage(id, transaction);
  if (!(await hasAnyLeft(message, transaction, now))) throw conflictError(NOTHING_LEFT);
  await requireNoOpenAlarm(id, transaction);
  await withdrawMessage(message, { stopped: 'cancelled', at: now, userId }, transaction, now);
  const detail = message.state === 'scheduled' ? 'Before the message was sent' : '';
  await recordAudit(
    { action: 'message.cancel', ...auditTargetOfRow(message), detail },
    transaction,
  );
  for (const sentId of await readNotifiedTopics(id, transaction))
    await cancelWithStepMessages(sentId, '', transaction, now);
}

/** Closes the message of a resolved alert: withdraws pending pushes, and shows people why. */
export async function resolveAlertMessage(
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
  // This does not change why an escalation ended before.
  const stop: EscalationStop = { stopped: 'resolved', at: now, userId: null };
  await withdrawMessage(message, message.expires_at > now ? stop : undefined, transaction, now);
  await recordAudit({ action: 'message.resolve', ...auditTargetOfRow(message) }, transaction);
  for (const sentId of await readNotifiedTopics(id, transaction))
    await resolveAlertMessage(sentId, transaction, now);
}

/**
 * Cancels a message, and what its policy sent to other topics, such as the alarm of a check-in that
 * others ended. It does not say that all is well.
 */
export async function cancelWithStepMessages(
  id: string,
  detail: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const message = await lockMessage(id, transaction);
  if (message === undefined || message.state === 'cancelled') return;
  const stop: EscalationStop = { stopped: 'cancelled', at: now, userId: null };
  await withdrawMessage(message, message.expires_at > now ? stop : undefined, transaction, now);
  await recordAudit(
    { action: 'message.cancel', ...auditTargetOfRow(message), detail },
    transaction,
  );
  for (const sentId of await readNotifiedTopics(id, transaction))
    await cancelWithStepMessages(sentId, detail, transaction, now);
}

/** The messages by which its policy notified other topics. */
async function readNotifiedTopics(id: string, transaction: Transaction<Tables>): Promise<string[]> {
  const steps = await transaction
    .selectFrom('escalation_steps')
    .where('message_id', '=', id)
    .where('sent_id', 'is not', null)
    .orderBy('position')
    .select('sent_id')
    .execute();
  return steps.flatMap(({ sent_id }) => sent_id ?? []);
}

/**
 * Withdraws a reminder that was answered, without an entry in the audit log. It counts as read, so
 * that no one looks for something new in it.
 */
export async function withdrawReminder(
  id: string,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const message = await lockMessage(id, transaction);
  if (message === undefined) return;
  await transaction
    .updateTable('messages')
    .set({ resolved_at: now })
    .where('id', '=', id)
    .execute();
  await transaction
    .updateTable('recipients')
    .set({ read_at: now })
    .where('message_id', '=', id)
    .where('read_at', 'is', null)
    .execute();
  await withdrawMessage(message, undefined, transaction, now);
}

/** No push or escalation step starts after this transaction. */
async function withdrawMessage(
  message: MessageRow,
  stop: EscalationStop | undefined,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const { id } = message;
  await dropJobs([MESSAGE_JOB, NOTIFY_AGAIN_JOB, REVISION_JOB, ESCALATION_JOB], id, transaction);
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
  if (withdrawn + (await withdrawHeldMessage(id, transaction)) > 0)
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
      // Mails and webhook calls may still be under way.
      .where((eb) => eb.or([eb('done_at', 'is', null), eb('action', 'in', ['mail', 'webhook'])]))
      .select('position')
      .limit(1)
      .executeTakeFirst();
    if (step !== undefined) return true;
  }
  const pendingPush = await transaction
    .selectFrom('deliveries')
    .where('message_id', '=', id)
    .where('state', '=', 'pending')
    .select('id')
    .limit(1)
    .executeTakeFirst();
  if (pendingPush !== undefined) return true;
  const heldRow = await transaction
    .selectFrom('recipients')
    .where('message_id', '=', id)
    .where('state', '=', 'held')
    .select('seq')
    .limit(1)
    .executeTakeFirst();
  return heldRow !== undefined;
}
