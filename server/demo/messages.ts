import type { Transaction } from 'kysely';
import { recordAudit } from '../audit/record-audit';
import type { Tables } from '../db/schema';
import { addAllClear } from '../messages/corrections/all-clear';
import { correctMessage } from '../messages/corrections/correct';
import { sendMessage } from '../messages/sending/send';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/durations';
import { transactIn, type Company } from './company';
import { DEMO_ADMIN } from './names';
import * as names from './names';

const SERVER_ROOM = '2001:db8:17::/48';

export function sendMessages(company: Company): void {
  const { now, plan, idOf } = company;
  for (const sample of names.sampleMessages) {
    const at = toTimestamp(sample.when, now);
    const isByKey = names.sampleKeys.some(([topic]) => topic === sample.topic);
    const { by = DEMO_ADMIN } = sample;
    if (!isByKey)
      plan(at - 8 * MINUTE_MS, by, (transaction) =>
        recordAudit({ action: 'login', person: idOf(by), detail: 'With a password' }, transaction),
      );
    let messageId = '';
    const key = names.sampleKeys.findLast(([topic]) => topic === sample.topic)?.[1];
    plan(
      at,
      isByKey ? { name: `key: ${key}` } : by,
      async (transaction, time) => {
        messageId = await sendOne(sample, isByKey ? undefined : by, time, company, transaction);
      },
      { isSending: true, ...(isByKey && { network: SERVER_ROOM }) },
    );
    planFollowUps(sample, () => messageId, at, company);
  }
  plan(now - 30 * MINUTE_MS, DEMO_ADMIN, (transaction) => {
    const detail = 'Recipients of a message';
    return recordAudit({ action: 'export', on: 'Maintenance windows', detail }, transaction);
  });
  const stranger = { network: '192.0.2.0/24' };
  for (const [minutes, detail] of [
    [0, 'Wrong password'],
    [1, 'Wrong password, 4 times within an hour'],
  ] as const)
    plan(
      now - 28 * HOUR_MS + minutes * MINUTE_MS,
      { name: 'unknown' },
      (transaction) =>
        recordAudit({ action: 'login.failed', person: idOf(DEMO_ADMIN), detail }, transaction),
      stranger,
    );
}

/** Sample times are in this machine's time zone, which is also the browser's. */
function toTimestamp(sampleTime: names.SampleTime, now: number): number {
  if (!Array.isArray(sampleTime))
    return now - (sampleTime as { minutesAgo: number }).minutesAgo * MINUTE_MS;
  const [daysAgo, time] = sampleTime as readonly [number, string];
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return new Date(now - daysAgo * DAY_MS).setHours(hours, minutes, 0, 0);
}

/** Corrections and the all-clear, by its sender; for what a key sent, by the demo's administrator. */
function planFollowUps(
  { by = DEMO_ADMIN, corrected, allClear }: names.SampleMessage,
  sentId: () => string,
  sentAt: number,
  { plan, idOf }: Company,
): void {
  const isSending = true;
  if (corrected)
    plan(
      sentAt + corrected.minutesLater * MINUTE_MS,
      by,
      (transaction, at) =>
        correctMessage(sentId(), { message: corrected.text, ask: false }, transaction, at),
      { isSending },
    );
  if (allClear)
    plan(
      sentAt + allClear.minutesLater * MINUTE_MS,
      by,
      (transaction, at) => addAllClear(sentId(), allClear.text, idOf(by), transaction, at),
      { isSending },
    );
}

async function sendOne(
  { topic, person, text, answers = [], priority = 'normal' }: names.SampleMessage,
  by: string | undefined,
  at: number,
  { topicOf, idOf, keys }: Company,
  transaction: Transaction<Tables>,
): Promise<string> {
  const { id } = topicOf(topic);
  const key = by === undefined ? keys.get(topic) : undefined;
  const audience =
    person === undefined ? { topicId: id } : { topicIds: [id], userIds: [idOf(person)] };
  const senderId = by === undefined ? null : idOf(by);
  const { messageId } = await sendMessage(
    {
      ...{
        to: audience,
        message: text,
        answers: [...answers],
        priority,
        senderId,
        idempotencyKey: undefined,
      },
      ...(key !== undefined && { key }),
      ...(answers.length === 0 && { policyId: null }),
    },
    transactIn(transaction),
    at,
  );
  if (key !== undefined)
    await transaction
      .updateTable('topic_keys')
      .set({ last_used_at: at })
      .where('id', '=', key.id)
      .execute();
  return messageId;
}
