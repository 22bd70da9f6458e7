/** Records what a person presses, in the app or on a reminder. The alarm locks the same row. */
import type { Transaction } from 'kysely';
import type { Receipt } from '../../src/shared/contract';
import { readIsoTime } from '../../src/shared/iso-time';
import { actAs, recordAudit } from '../audit/record-audit';
import { addJob } from '../db/jobs/jobs';
import { CHECK_IN_JOB } from '../db/jobs/kinds';
import { lockForUpdate } from '../db/lock';
import type { CheckInRow, Tables } from '../db/schema';
import { isPossibleMessageId } from '../messages/message-id';
import { receiptTime } from '../lib/receipt-time';
import type { DeviceTimes } from '../lib/receipt-time';
import { originalAnswer } from '../translation/message-translations';
import { CLOCK_TOLERANCE_MS, changeByPress, isLatePress, nextCheckInDueAt } from './check-in-rules';
import type { CheckInChange, CheckInPress } from './check-in-rules';
import { writeLatePress } from './read-presses';
import { readAlarmEnd } from './sent-alarms';

export async function lockCheckIn(
  id: number,
  transaction: Transaction<Tables>,
): Promise<CheckInRow | undefined> {
  const row = transaction.selectFrom('check_ins').selectAll().where('id', '=', id);
  return lockForUpdate(row, transaction).executeTakeFirst();
}

/** The check-in of a person that has not ended. */
export async function lockRunningCheckIn(
  userId: number,
  transaction: Transaction<Tables>,
): Promise<CheckInRow | undefined> {
  const row = transaction
    .selectFrom('check_ins')
    .selectAll()
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null);
  return lockForUpdate(row, transaction).executeTakeFirst();
}

/** Writes a change, and when the job looks at the check-in next. */
export async function changeCheckIn(
  row: CheckInRow,
  change: CheckInChange,
  transaction: Transaction<Tables>,
  now: number,
): Promise<CheckInRow> {
  const changedRow = { ...row, ...change };
  await transaction.updateTable('check_ins').set(change).where('id', '=', row.id).execute();
  await addCheckInJob(changedRow, transaction, now);
  return changedRow;
}

/** Adds the job that looks at the check-in next. */
export async function addCheckInJob(
  row: CheckInRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const dueAt = nextCheckInDueAt(row);
  if (dueAt !== undefined)
    await addJob({ kind: CHECK_IN_JOB, subject: String(row.id) }, transaction, now, dueAt);
}

/**
 * Needs a locked check-in.
 * @returns the check-in as it is now
 */
export async function applyPressToCheckIn(
  row: CheckInRow,
  press: CheckInPress,
  transaction: Transaction<Tables>,
): Promise<CheckInRow> {
  const alarmEnd =
    press.kind === 'help' ? await readAlarmEnd(row, transaction, press.now) : undefined;
  const change = changeByPress(row, { ...press, alarmEnd });
  if (change === undefined) return row;
  const changedRow = await changeCheckIn(row, change, transaction, press.now);
  const at = change.answered_at ?? change.help_at ?? press.now;
  const author = { by: { person: row.user_id }, at: press.now };
  actAs({ ...author, ...(press.network && { network: press.network }) }, transaction);
  await recordAudit(
    {
      action: press.kind === 'ok' ? 'check-in.ok' : 'check-in.help',
      person: row.user_id,
      detail: isLatePress(at, press.now) ? writeLatePress(at) : '',
    },
    transaction,
  );
  return changedRow;
}

interface GivenReceipt {
  userId: number;
  receipt: Receipt & DeviceTimes;
  /** Arrival, in milliseconds since 1970. */
  at: number;
}

/** Answers to reminders. Even those that the ledger ignores: the last press of several counts. */
export async function recordCheckInAnswers(
  receipts: readonly GivenReceipt[],
  transaction: Transaction<Tables>,
): Promise<void> {
  const answers = receipts.filter(
    ({ receipt: { kind, messageId } }) => kind === 'acknowledged' && isPossibleMessageId(messageId),
  );
  if (answers.length === 0) return;
  const ids = [...new Set(answers.map(({ receipt }) => receipt.messageId))];
  const reminders = await transaction
    .selectFrom('check_in_messages')
    .innerJoin('messages', 'messages.id', 'check_in_messages.message_id')
    .where('check_in_messages.message_id', 'in', ids)
    .where('check_in_messages.kind', '=', 'reminder')
    .select(['message_id', 'check_in_id', 'answers', 'translations', 'messages.created_at'])
    .execute();
  if (reminders.length === 0) return;
  const byMessage = new Map(reminders.map((reminder) => [reminder.message_id, reminder]));
  const presses = answers.flatMap(({ userId, receipt, at }) => {
    const reminder = byMessage.get(receipt.messageId);
    if (reminder === undefined) return [];
    const { check_in_id, translations, created_at } = reminder;
    const choices = JSON.parse(reminder.answers) as string[];
    const texts = { answers: choices, translations };
    const choice = choices.indexOf(originalAnswer(receipt.answer ?? '', texts));
    if (choice < 0) return [];
    const kind = choice === 0 ? 'ok' : 'help';
    const likelyTime = readIsoTime(receipt.at ?? '') ?? at;
    // A clock that was ahead at the press, and right when this was sent. Help counts as fresh.
    const wasAhead = kind === 'ok' && likelyTime > at + CLOCK_TOLERANCE_MS;
    const pressedAt = wasAhead ? created_at : receiptTime(receipt, created_at, at);
    // Like `pressedAt`: the person answered a reminder that was sent by then.
    const phoneTime = wasAhead ? created_at : readIsoTime(receipt.earliestAt ?? receipt.at ?? '');
    const earliestAt = phoneTime && Math.max(phoneTime, created_at);
    const isTimeUnknown = wasAhead || likelyTime < created_at - CLOCK_TOLERANCE_MS;
    const press: CheckInPress = { kind, pressedAt, earliestAt, isTimeUnknown, now: at };
    return { id: check_in_id, userId, pressedAt, press };
  });
  // All transactions use the same order, so that two of them cannot deadlock.
  presses.sort((one, other) => one.id - other.id || one.pressedAt - other.pressedAt);
  // The last of each kind decides: a phone could report hundreds, and others wait meanwhile.
  const lastPresses = new Map<string, (typeof presses)[number]>();
  for (const press of presses) {
    const key = [press.id, press.userId, press.press.kind].join();
    lastPresses.delete(key);
    lastPresses.set(key, press);
  }
  for (const { id, userId, press } of lastPresses.values()) {
    const row = await lockCheckInForPress(id, userId, press, transaction);
    if (row !== undefined) await applyPressToCheckIn(row, press, transaction);
  }
}

/**
 * A press on a reminder of an ended check-in applies to the running one: “I need help” always, and
 * “I’m OK” if it was surely pressed since that one began.
 */
export async function lockCheckInForPress(
  id: number,
  userId: number,
  { kind, pressedAt, earliestAt = pressedAt, isTimeUnknown }: Partial<CheckInPress>,
  transaction: Transaction<Tables>,
): Promise<CheckInRow | undefined> {
  const row = await lockCheckIn(id, transaction);
  if (row?.user_id !== userId) return undefined;
  if (row.ended_at === null) return row;
  const runningRow = (await lockRunningCheckIn(userId, transaction)) ?? row;
  const appliesToRunning =
    kind === 'help' ||
    (!isTimeUnknown && earliestAt !== undefined && earliestAt >= runningRow.started_at);
  return appliesToRunning ? runningRow : row;
}
