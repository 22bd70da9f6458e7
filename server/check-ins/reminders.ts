/**
 * Asks people whether they are OK, tells those who did not answer that the alarm was sent, and those
 * who asked for help if it notified no one: an urgent message to each of them, outside the history.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { foldCase } from '../../src/shared/case-fold';
import type { CheckIn } from '../../src/shared/contract';
import { CHECK_IN_ANSWERS } from '../../src/shared/contract/check-ins';
import { CHECK_IN_PAGE } from '../../src/shared/check-in-page';
import { jsonTableOfList } from '../db/json-table';
import type { Database } from '../db/open';
import type { CheckInRow, Tables } from '../db/schema';
import { toTime } from '../lib/clock';
import { furthestState } from '../messages/progress/recipients';
import { storeTranslations, writeInAllLanguages } from '../translation/message-translations';
import { writePersonalMessages } from '../messages/sending/ledger';
import { isLastReminder } from './check-in-rules';
import { createTimeFormatter } from './messages/alarm-texts';
import { readCheckInSettings } from './settings';
import { findUnprotected } from './watchers';
import { DAY_MS } from '../lib/durations';

/** The rows belong to different people. Thousands may be due at once, so a few statements write all of them. */
export async function sendReminders(
  rows: readonly CheckInRow[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  if (rows.length === 0) return;
  const { topic_id } = await readCheckInSettings(transaction);
  const personIds = rows.map(({ user_id }) => user_id);
  const unprotected = await findUnprotected(topic_id, personIds, transaction);
  const undeliverableAlarms = await findUndeliverableAlarms(rows, transaction);
  const writeTexts = createWriter(undeliverableAlarms, unprotected, now);
  const reminders = rows
    // People who asked for help only need to know if no one was notified.
    .filter(({ state, alarm_id }) => state !== 'help' || undeliverableAlarms.has(alarm_id ?? ''))
    .map((row) => ({ row, texts: writeTexts(row) }));
  await writeReminders(reminders, transaction, now);
}

interface Reminder {
  row: CheckInRow;
  texts: ReturnType<typeof writeReminder>;
  /** Whether the reminder tells of someone else's all-clear. */
  isAllClear?: boolean;
}

/** Writes a message to one person for each reminder. */
export async function writeReminders(
  newReminders: readonly Reminder[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const reminders = newReminders.map((reminder) => ({
    ...reminder,
    id: randomUUID(),
    userId: reminder.row.user_id,
  }));
  const messages = reminders.map(({ id, row, userId, texts, isAllClear }) => {
    const { title, message, translations } = texts;
    const audience = JSON.stringify({ topicIds: [], userIds: [userId] });
    const key = foldCase(`${title}\n${message}`);
    const expiresAt = Math.max(row.alarm_at, now) + DAY_MS;
    const values = [id, title, message, storeTranslations(translations), audience, key];
    return [...values, expiresAt, isAllClear ? 1 : 0];
  });
  const at = sql`cast(${now} as bigint)`;
  await sql`insert into messages (id, kind, topic_title, title, text, translations, link, priority, answers, audience, state,
      send_at, next_key, people, search_key, text_key, created_at, expires_at, is_all_clear)
    select value->>0, 'reminder', '', value->>1, value->>2, value->>3, ${sql.lit(CHECK_IN_PAGE)}, 'urgent',
      cast(${JSON.stringify(CHECK_IN_ANSWERS)} as text), value->>4, 'sent',
      ${at}, ${at}, 1, value->>5, value->>5, ${at}, cast(value->>6 as bigint), cast(value->>7 as integer)
    from ${jsonTableOfList(messages)}`.execute(transaction);
  await writePersonalMessages(reminders, transaction, now);
  await sql`insert into check_in_messages (message_id, check_in_id, kind)
    select value->>0, cast(value->>1 as bigint), 'reminder'
    from ${jsonTableOfList(reminders.map(({ id, row }) => [id, row.id]))}`.execute(transaction);
}

/** Finds alarms that notify no one, or only the person. Unwritten alarms count as deliverable. */
async function findUndeliverableAlarms(
  rows: readonly CheckInRow[],
  transaction: Transaction<Tables>,
): Promise<ReadonlySet<string>> {
  const ids = rows.flatMap(({ state, alarm_id }) => (state === 'running' ? [] : (alarm_id ?? [])));
  if (ids.length === 0) return new Set();
  const alarms = await transaction
    .selectFrom('check_in_messages')
    .innerJoin('check_ins', 'check_ins.id', 'check_in_messages.check_in_id')
    .innerJoin('messages', 'messages.id', 'check_in_messages.message_id')
    .where('messages.id', 'in', ids)
    .where('messages.state', '<>', 'writing')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('recipients')
            .whereRef('recipients.message_id', '=', 'messages.id')
            .whereRef('recipients.user_id', '<>', 'check_ins.user_id')
            .where('recipients.state', 'not in', ['unreachable', 'muted'])
            .select('recipients.user_id'),
        ),
      ),
    )
    .select('messages.id')
    .execute();
  return new Set(alarms.map(({ id }) => id));
}

/**
 * Reads the reminders before a check-in's alarm that no answer has withdrawn. Notices of the alarm
 * and of an all-clear are left out, because they ask nothing.
 */
export async function readReminders(
  { id, alarm_at, alarmed_at }: Pick<CheckInRow, 'id' | 'alarm_at' | 'alarmed_at'>,
  db: Database,
): Promise<CheckIn['reminders'] & {}> {
  const rows = await db
    .selectFrom('check_in_messages as reminder')
    .innerJoin('messages', 'messages.id', 'reminder.message_id')
    .innerJoin('recipients', 'recipients.message_id', 'reminder.message_id')
    .where('reminder.check_in_id', '=', id)
    .where('reminder.kind', '=', 'reminder')
    .where('reminder.state', '=', 'open')
    .where('messages.created_at', '<', Math.min(alarm_at, alarmed_at ?? alarm_at))
    .where('messages.is_all_clear', '=', 0)
    .orderBy('messages.created_at')
    .select(['messages.created_at', furthestState.as('state')])
    .execute();
  return rows.map(({ created_at, state }) => ({ at: toTime(created_at), state }));
}

/** Finds reminders whose question was answered, even if the job has not closed them yet. */
export async function findWithdrawnReminders(
  messageIds: readonly string[],
  db: Database,
): Promise<Set<string>> {
  if (messageIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('check_in_messages')
    .innerJoin('check_ins', 'check_ins.id', 'check_in_messages.check_in_id')
    .where('check_in_messages.message_id', 'in', [...new Set(messageIds)])
    .where('check_in_messages.kind', '=', 'reminder')
    .where(({ eb, and, or }) =>
      or([
        eb('check_in_messages.state', '=', 'closed'),
        and([
          eb('check_ins.owes', 'in', ['all-clear', 'withdrawal']),
          or([eb('check_ins.asked', '=', 0), eb('check_ins.state', '=', 'ended')]),
        ]),
      ]),
    )
    .select('check_in_messages.message_id')
    .execute();
  return new Set(rows.map(({ message_id }) => message_id));
}

/** Writes equal texts once: many are due at the same time, and formats of time are slow to create. */
function createWriter(
  undeliverableAlarms: ReadonlySet<string>,
  unprotected: ReadonlySet<number>,
  now: number,
) {
  const clocks = new Map<string, ReturnType<typeof createTimeFormatter>>();
  const textsByLanguage = new Map<string, ReturnType<typeof writeReminder>>();
  return (row: CheckInRow): ReturnType<typeof writeReminder> => {
    const clock = clocks.get(row.time_zone) ?? createTimeFormatter(row);
    clocks.set(row.time_zone, clock);
    const isTimeUp = row.due_at <= now;
    const isUndeliverable =
      row.state === 'missed'
        ? undeliverableAlarms.has(row.alarm_id ?? '')
        : unprotected.has(row.user_id);
    const [title, text] = chooseTexts(row, isUndeliverable, now);
    const time = clock(isTimeUp ? row.alarm_at : row.due_at);
    const key = title + text + time;
    const texts = textsByLanguage.get(key) ?? writeReminder(title, text, time);
    textsByLanguage.set(key, texts);
    return texts;
  };
}

function chooseTexts(
  row: CheckInRow,
  isUndeliverable: boolean,
  now: number,
): readonly [title: string, text: string] {
  if (row.state === 'help')
    return [
      'We can’t notify anyone',
      'You asked for help, but we can’t alert others right now. Call for help in another way.',
    ];
  if (row.state === 'missed')
    return isUndeliverable
      ? [
          'We can’t notify anyone',
          'You didn’t answer by {0}, but we can’t alert others right now. If you need help, call for help in another way. If you’re OK, tell us.',
        ]
      : [
          'We’ve sent the alarm',
          'You didn’t answer by {0}. If you’re OK, tell us, and we’ll send the all-clear.',
        ];
  if (row.due_at > now) return ['Are you OK?', 'Your check-in is due at {0}.'];
  return [
    isLastReminder(row, now) ? 'Last reminder: Are you OK?' : 'Are you OK?',
    isUndeliverable
      ? 'Answer by {0}. We can’t alert others right now. If you need help, call for help in another way.'
      : 'Answer by {0}, or we’ll alert others.',
  ];
}

const writeReminder = (title: string, text: string, time: string) =>
  writeInAllLanguages((translateText) => ({
    title: translateText(title),
    message: translateText(text, time),
    answers: CHECK_IN_ANSWERS.map((answer) => translateText(answer)),
  }));
