/** The messages of heartbeats: the alert, and that a machine is back. */
import type { Transaction } from 'kysely';
import type { HeartbeatRow, Tables } from '../db/schema';
import { isEscalating, stopEscalation } from '../escalation/stop-escalation';
import { writeInAllLanguages } from '../translation/message-translations';
import { resolveAlertMessage } from '../messages/cancel';
import { lockMessage } from '../messages/lock-message';
import { sendInTransaction } from '../messages/sending/send';
import { writeDuration, writeUtcTime } from './write-duration';

/** Machines send normal messages. People send urgent ones. */
const AUTOMATIC = { senderId: null, idempotencyKey: undefined, priority: 'normal' } as const;

/**
 * Applies the topic's policy. An earlier “X is back” ends: the alert's push closes its notification.
 * @returns the message's id
 */
export async function sendSilenceAlert(
  { name, topic_id, last_at, every_seconds, alert_id }: HeartbeatRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<string> {
  const texts = writeInAllLanguages((translateText, language) => {
    // A duration would be wrong for people who read the message later.
    const at = writeUtcTime(last_at, language);
    const intervalText = writeDuration(every_seconds * 1000, language);
    return {
      title: translateText('{0} is silent', name),
      message: [
        translateText('Last heartbeat: {0}', at),
        translateText('Expected interval: {0}', intervalText),
      ].join('\n'),
    };
  });
  const audience = { topicId: topic_id };
  if (alert_id !== null)
    await transaction
      .updateTable('messages')
      .set({ expires_at: now })
      .where('id', '=', alert_id)
      .where('expires_at', '>', now)
      .execute();
  return (await sendInTransaction({ to: audience, ...AUTOMATIC, ...texts }, transaction, now))
    .messageId;
}

/**
 * Resolves the alert, and notifies its recipients once.
 * @returns the message's id
 */
export async function sendHeartbeatRecovery(
  { name, topic_id, last_at, alert_id }: HeartbeatRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<string> {
  const policyTopics = alert_id === null ? [] : await readPolicyTopics(alert_id, transaction);
  if (alert_id !== null) await resolveAlertMessage(alert_id, transaction, now);
  const texts = writeInAllLanguages((translateText, language) => ({
    title: translateText('{0} is back', name),
    message: translateText('Time without a heartbeat: {0}', writeDuration(now - last_at, language)),
  }));
  // The topic's policy does not apply, because this message needs no answer.
  const request = { ...AUTOMATIC, ...texts, policyId: null };
  // One message each, because a topic may have no one, and an audience may not.
  for (const topicId of policyTopics.filter((id) => id !== topic_id))
    await sendInTransaction({ to: { topicId }, ...request }, transaction, now);
  return (await sendInTransaction({ to: { topicId: topic_id }, ...request }, transaction, now))
    .messageId;
}

/** The other topics that the alert's policy notified. */
async function readPolicyTopics(
  alertId: string,
  transaction: Transaction<Tables>,
): Promise<number[]> {
  const steps = await transaction
    .selectFrom('escalation_steps')
    .innerJoin('topics', 'topics.id', 'escalation_steps.topic_id')
    .where('message_id', '=', alertId)
    .where('sent_id', 'is not', null)
    .select('topics.id')
    .distinct()
    .execute();
  return steps.map(({ id }) => id);
}

/** Stops the escalation of a deleted heartbeat’s alert. The message itself stays. */
export async function stopAlert(
  { alert_id }: Pick<HeartbeatRow, 'alert_id'>,
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const message = alert_id === null ? undefined : await lockMessage(alert_id, transaction);
  if (message !== undefined && isEscalating(message, now))
    await stopEscalation(message.id, { stopped: 'cancelled', at: now, userId }, transaction);
}
