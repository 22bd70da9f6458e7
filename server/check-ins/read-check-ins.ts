/** Reading check-ins: a person's own, the board, and the export. */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { CheckIn, CheckInPage, CheckInState, OwnCheckIns } from '../../src/shared/contract';
import { CHECK_IN_STATES } from '../../src/shared/contract/check-ins';
import { readIsoTime } from '../../src/shared/iso-time';
import { getShownState, isAlarm } from '../db/current-check-in';
import type { Database } from '../db/open';
import type { CheckInRow, MessageRow } from '../db/schema';
import { notFoundError } from '../http/errors';
import { containsWords, readPageFields, readOption } from '../http/paging';
import type { Paging } from '../http/paging';
import { toTime, toTimeOrNull } from '../lib/clock';
import { readReminders } from './reminders';
import { readStoredAudience } from '../messages/lock-message';
import { readPresses } from './read-presses';
import { readSentAlarms } from './sent-alarms';
import { readCheckInSettings } from './settings';
import { canAlarmNotify, hasOthers } from './watchers';
import { DAY_MS } from '../lib/durations';

const MAX_EARLIER_CHECK_INS = 10;
export const NO_SUCH_CHECK_IN = 'This check-in does not exist.';

export async function readOwnCheckIns(
  userId: number,
  db: Database,
  now: number,
): Promise<OwnCheckIns> {
  const { enabled, title, topic_id } = await readCheckInSettings(db);
  const ownCheckIns = selectCheckIns(db).where('check_ins.user_id', '=', userId);
  const earlierCheckIns = await ownCheckIns
    .where('ended_at', 'is not', null)
    .orderBy('started_at', 'desc')
    .limit(MAX_EARLIER_CHECK_INS)
    .execute();
  const current = (await readCurrentCheckIn(userId, db, now)) ?? null;
  // A check-in that began before check-ins were turned off still sends its alarm.
  const isAlarmPossible = enabled === 1 || current !== null;
  return {
    enabled: enabled === 1,
    alarmTo: topic_id !== null && (await hasOthers(topic_id, userId, db)) ? (title ?? '') : '',
    ...(isAlarmPossible &&
      !(await canAlarmNotify(topic_id, userId, db)) && { isAlarmUndeliverable: true }),
    current,
    earlier: await describeAll(earlierCheckIns, db, now),
  };
}

export async function readCurrentCheckIn(
  userId: number,
  db: Database,
  now: number,
): Promise<CheckIn | undefined> {
  const row = await selectCheckIns(db)
    .where('check_ins.user_id', '=', userId)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return row && toOwnCheckIn(row, db, now);
}

export async function readCheckIn(id: number, db: Database, now: number): Promise<CheckIn> {
  const row = await selectCheckIns(db).where('check_ins.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFoundError(NO_SUCH_CHECK_IN);
  return toOwnCheckIn(row, db, now);
}

/** If there is an alarm, adds who is coming, the presses, and reminders without an answer. */
async function toOwnCheckIn(row: DescribedRow, db: Database, now: number): Promise<CheckIn> {
  const [checkIn = toCheckIn(row, now)] = await describeAll([row], db, now);
  if (!isAlarm(row)) return checkIn;
  const [reminders, presses] = [await readReminders(row, db), await readPresses(row, db)];
  return { ...checkIn, reminders, presses, responders: await readResponders(row, db) };
}

const MAX_RESPONDERS = 20;

/**
 * Every answer to an alarm is “On my way”, also to an earlier one that is still open. Until a call
 * for help is sent, people have no alarm about it.
 */
async function readResponders(row: CheckInRow, db: Database): Promise<CheckIn['responders'] & {}> {
  if (!hasOwnAlarm(row) || row.alarm_id === null) return [];
  const rows = await db
    .selectFrom('recipients')
    .innerJoin('users', 'users.id', 'recipients.user_id')
    .where(isOfOpenAlarm(sql`${row.id}`, sql`${row.alarm_id}`))
    .where('recipients.user_id', '<>', row.user_id)
    .where('recipients.acknowledged_at', 'is not', null)
    .orderBy('recipients.acknowledged_at')
    .orderBy('recipients.seq')
    .limit(MAX_RESPONDERS)
    .select(['users.username', 'recipients.comment'])
    .execute();
  const responders = new Map<string, (typeof rows)[number]>();
  // The last answer counts, at the place of the first one.
  for (const answer of rows) responders.set(answer.username, answer);
  return [...responders.values()].map(({ username, comment }) => ({
    username,
    ...(comment && { comment }),
  }));
}

/** An all-clear by hand ended the earlier alarms, so their answers are not about a new call. */
const isOfOpenAlarm = (checkInId: RawBuilder<unknown>, alarmId: RawBuilder<unknown>) => {
  const openAlarms = sql`select sent.message_id from check_in_messages as sent inner join messages on messages.id = sent.message_id
    where sent.check_in_id = ${checkInId} and sent.kind = 'alarm'
      and (messages.id = ${alarmId} or (sent.state = 'open' and messages.all_clear_at is null))`;
  // The policy may have notified other topics.
  return sql<boolean>`recipients.message_id in (${openAlarms} union all
    select step.sent_id from escalation_steps as step where step.sent_id is not null and step.message_id in (${openAlarms}))`;
};

const STATE_URGENCY_CASES = ['help', 'missed', 'running', 'ended'].map(
  (state, place) => sql`when ${sql.lit(state)} then ${sql.lit(place)}`,
);

/**
 * Lists people who need help first.
 * @throws HttpError 400
 */
export async function listCheckIns(
  query: URLSearchParams,
  paging: Paging,
  db: Database,
  now: number,
): Promise<CheckInPage> {
  const state = readOption('state', CHECK_IN_STATES, query);
  const since = readIsoTime(query.get('since') ?? '') ?? now - DAY_MS;
  const matching = selectCheckIns(db)
    .where(({ ref }) => containsWords(paging.words, ref('users.username_key')))
    .where(isInState(state, since, now));
  const rows = await matching
    .orderBy(sql`case check_ins.state ${sql.join(STATE_URGENCY_CASES, sql` `)} end`)
    .orderBy('check_ins.due_at')
    .orderBy('check_ins.id')
    .limit(paging.limit)
    .offset(paging.offset)
    .execute();
  const [counts, pager] = await Promise.all([
    countStates(since, db, now),
    readPageFields(rows, paging, matching.clearSelect(), db),
  ]);
  return { checkIns: await describeAll(rows, db, now), counts, ...pager };
}

const isInState = (state: CheckInState | undefined, since: number, now: number) => {
  switch (state) {
    case undefined:
      return sql<boolean>`check_ins.ended_at is null`;
    case 'running':
      return sql<boolean>`check_ins.state = 'running' and check_ins.ask_at > ${now}`;
    case 'due':
      return sql<boolean>`check_ins.state = 'running' and check_ins.ask_at <= ${now}`;
    case 'ended':
      return sql<boolean>`check_ins.ended_at >= ${since}`;
    default:
      return sql<boolean>`check_ins.state = ${state}`;
  }
};

async function countStates(
  since: number,
  db: Database,
  now: number,
): Promise<CheckInPage['counts']> {
  const stateCounts = CHECK_IN_STATES.filter((state) => state !== 'ended').map(
    (state) =>
      sql`coalesce(sum(case when ${isInState(state, since, now)} then 1 else 0 end), 0) as ${sql.ref(state)}`,
  );
  const { rows } = await sql<CheckInPage['counts']>`select ${sql.join(stateCounts)},
      (select count(*) from check_ins where ${isInState('ended', since, now)}) as ended
    from check_ins where ended_at is null`.execute(db);
  const [counts] = rows;
  if (counts === undefined) throw new Error('The database returned no counts.');
  const numbers = Object.entries(counts).map(([state, count]) => [state, Number(count)]);
  return Object.fromEntries(numbers) as CheckInPage['counts'];
}

/** Includes the numbers of the last alarm. */
const selectCheckIns = (db: Database) =>
  db
    .selectFrom('check_ins')
    .innerJoin('users', 'users.id', 'check_ins.user_id')
    .leftJoin('messages as alarm', 'alarm.id', 'check_ins.alarm_id')
    .leftJoin('users as clearer', 'clearer.id', 'alarm.all_clear_by')
    .selectAll('check_ins')
    .select([
      'users.username',
      'alarm.people',
      'alarm.state as alarm_state',
      'alarm.audience',
      'alarm.topic_title',
      'alarm.all_clear_at',
      'clearer.username as clearer',
      sql<number>`case when check_ins.alarm_id is null then 0 else
        (select count(distinct recipients.user_id) from recipients
          where ${isOfOpenAlarm(sql`check_ins.id`, sql`check_ins.alarm_id`)}
          and recipients.user_id <> check_ins.user_id and recipients.acknowledged_at is not null) end`.as(
        'answered',
      ),
      countRecipients(
        sql`coalesce(recipients.displayed_at, recipients.read_at, recipients.acknowledged_at) is not null`,
      ).as('displayed'),
      countRecipients(sql`recipients.state in ('unreachable', 'muted')`).as('unreachable'),
      sql<number>`case when check_ins.alarm_id is null then 0 else
        (select count(*) from recipients where recipients.message_id = check_ins.alarm_id
          and recipients.user_id = check_ins.user_id) end`.as('self'),
      sql<number>`case when check_ins.alarm_id is null then 0 else
        (select count(distinct recipients.user_id) from recipients
          where ${isOfOpenAlarm(sql`check_ins.id`, sql`check_ins.alarm_id`)}
          and recipients.user_id <> check_ins.user_id and recipients.acknowledged_at is not null
          and not exists (select 1 from recipients as own
            where own.message_id = check_ins.alarm_id and own.user_id = recipients.user_id)) end`.as(
        'others',
      ),
    ]);

/** Counts the alarm's recipients, but not the person of the check-in. The `case` stops SQLite from counting for all check-ins before it sorts them. */
const countRecipients = (condition: RawBuilder<unknown>): RawBuilder<number> =>
  sql<number>`case when check_ins.alarm_id is null then 0 else
    (select count(*) from recipients where recipients.message_id = check_ins.alarm_id
      and recipients.user_id <> check_ins.user_id and ${condition}) end`;

interface DescribedRow extends CheckInRow {
  username: string;
  people: number | null;
  alarm_state: MessageRow['state'] | null;
  audience: string | null;
  topic_title: string | null;
  answered: number;
  displayed: number;
  unreachable: number;
  /** 1 if the person is a recipient of their own alarm. */
  self: number;
  /** Answered through another topic of the policy, or only an earlier alarm. */
  others: number;
  all_clear_at: number | null;
  clearer: string | null;
}

/** Leaves out the alarm and the person. */
export const describeTimes = (
  row: CheckInRow,
  now: number,
): Omit<CheckIn, 'alarm' | 'lastAlarm' | 'earlierAlarms' | 'reminders' | 'presses' | 'person'> => ({
  id: row.id,
  minutes: row.minutes,
  note: row.note,
  startedAt: toTime(row.started_at),
  askAt: toTime(row.ask_at),
  dueAt: toTime(row.due_at),
  alarmAt: toTime(row.alarm_at),
  state: getShownState(row, now),
  answers: row.answers,
  answeredAt: toTimeOrNull(row.answered_at),
  ...(row.received_at !== null && { receivedAt: toTime(row.received_at) }),
  ...(row.help_at !== null && { helpAt: toTime(row.help_at) }),
  ...(row.help_received_at !== null && { helpReceivedAt: toTime(row.help_received_at) }),
  endedAt: toTimeOrNull(row.ended_at),
  ...(row.end_reason !== null && { endReason: row.end_reason }),
});

/** While help waits to be sent, the last alarm is an earlier one: its outcome is not the help's. */
const hasOwnAlarm = (row: CheckInRow): boolean => isAlarm(row) && row.owes !== 'help';

async function describeAll(
  rows: readonly DescribedRow[],
  db: Database,
  now: number,
): Promise<CheckIn[]> {
  const ids = rows.map(({ id }) => id);
  const alarms = await readSentAlarms(ids, db);
  return rows.map((row) => {
    const sentAlarms = alarms.get(row.id) ?? [];
    const lastAlarm = sentAlarms.at(-1);
    return {
      ...toCheckIn(row, now),
      ...(lastAlarm && { lastAlarm }),
      ...(sentAlarms.length > 1 && { earlierAlarms: sentAlarms.slice(0, -1) }),
    };
  });
}

/** People are named in its audience only as administrators. */
function describeAlarmAudience({
  audience,
  topic_title,
}: DescribedRow): Pick<NonNullable<CheckIn['alarm']>, 'topicTitle' | 'isToAdmins'> {
  if (!audience) return {};
  const { topicIds = [], userIds = [] } = readStoredAudience({ audience });
  return {
    ...(topicIds.length > 0 && topic_title && { topicTitle: topic_title }),
    ...(userIds.length > 0 && { isToAdmins: true }),
  };
}

/** Older versions allowed administrators to cancel an alarm, which then alerts no one. */
const countPeople = (row: DescribedRow) =>
  row.alarm_state === 'cancelled'
    ? { people: 0, unreachable: 0, displayed: 0, answered: 0 }
    : {
        people: (row.people ?? 0) - Number(row.self) + Number(row.others),
        unreachable: Number(row.unreachable),
        displayed: Number(row.displayed) + Number(row.others),
        answered: Number(row.answered),
      };

function toCheckIn(row: DescribedRow, now: number): CheckIn {
  return {
    ...describeTimes(row, now),
    alarm:
      hasOwnAlarm(row) && row.alarm_id !== null && row.alarmed_at !== null
        ? {
            messageId: row.alarm_id,
            at: toTime(row.alarmed_at),
            ...describeAlarmAudience(row),
            ...countPeople(row),
            ...(row.all_clear_at !== null && {
              allClearAt: toTime(row.all_clear_at),
              ...(row.clearer !== null && { allClearBy: row.clearer }),
            }),
          }
        : null,
    person: { id: row.user_id, username: row.username },
  };
}
