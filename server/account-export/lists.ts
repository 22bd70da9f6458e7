/** Reads a person's data for the export, list by list, in pages. */
import type {
  ExportedCheckIn,
  ExportedDevice,
  ExportedMessage,
  ExportedSent,
  ExportedTopic,
  DeviceTest,
} from '../../src/shared/contract';
import { sql } from 'kysely';
import { accountEnabled, accountPreference } from '../db/effective-preference';
import type { Database } from '../db/open';
import { getPushServiceName } from '../db/push-services';
import { describeTimes } from '../check-ins/read-check-ins';
import { readSentAlarms } from '../check-ins/sent-alarms';
import { toTest } from '../device-tests/device-test';
import { describeSubscribedBy, readTeamsByTopic } from '../memberships/subscribed-by';
import { toTime, toTimeOrNull } from '../lib/clock';
import { describeFormerAnswers } from '../messages/corrections/answer-revisions';

export const EXPORT_PAGE_SIZE = 100;

export type ExportCursor = string | number | undefined;
/** `next` is undefined after the last page. */
export interface ExportPage<Row> {
  rows: Row[];
  next: ExportCursor;
}
type ReadPage<Row> = (
  userId: number,
  db: Database,
  after: ExportCursor,
) => Promise<ExportPage<Row>>;

const toExportPage = <From, Row>(
  exportedRows: readonly From[],
  toRow: (row: From) => Row,
  cursorOf: (row: From) => ExportCursor,
): ExportPage<Row> => {
  const lastRow = exportedRows.length < EXPORT_PAGE_SIZE ? undefined : exportedRows.at(-1);
  return { rows: exportedRows.map(toRow), next: lastRow && cursorOf(lastRow) };
};

export const readOwnTopics: ReadPage<ExportedTopic> = async (userId, db, after) => {
  const rows = await db
    .selectFrom('subscriptions')
    .innerJoin('topics', 'topics.id', 'subscriptions.topic_id')
    .leftJoin(
      'account_preferences as account',
      accountPreference({ user: 'subscriptions.user_id', topic: 'subscriptions.topic_id' }),
    )
    .where('subscriptions.user_id', '=', userId)
    .where('subscriptions.id', '>', Number(after ?? 0))
    .select([
      'subscriptions.id as place',
      'subscriptions.created_at',
      'subscriptions.by_name',
      'topics.id',
      'topics.title',
    ])
    .select(accountEnabled.as('enabled'))
    .orderBy('subscriptions.id')
    .limit(EXPORT_PAGE_SIZE)
    .execute();
  const teams = await readTeamsByTopic(userId, db);
  return toExportPage(
    rows,
    ({ id, title, created_at, enabled, by_name }) => ({
      id,
      title,
      subscribedAt: toTime(created_at),
      enabled: enabled === 1,
      ...describeSubscribedBy(by_name, teams.get(id)),
    }),
    ({ place }) => place,
  );
};

/** Reads one device per page, because each may have a setting for every topic. */
export const readDevices: ReadPage<ExportedDevice> = async (userId, db, after) => {
  const row = await db
    .selectFrom('devices')
    .leftJoin('device_reach', 'device_reach.device_id', 'devices.id')
    .where('devices.user_id', '=', userId)
    .where('devices.id', '>', Number(after ?? 0))
    .selectAll('devices')
    .select(['device_reach.accepted_at', 'device_reach.displayed_at'])
    .orderBy('devices.id')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return { rows: [], next: undefined };
  const topics = await db
    .selectFrom('device_preferences')
    .where('device_id', '=', row.id)
    .select(['topic_id', 'enabled'])
    .orderBy('topic_id')
    .execute();
  const device = {
    id: row.id,
    deviceType: row.type,
    userAgent: row.user_agent,
    model: row.model,
    installed: row.installed === null ? null : row.installed === 1,
    pushService: getPushServiceName(row.token),
    createdAt: toTime(row.created_at),
    lastSeenAt: toTime(row.last_seen_at),
    lastAcceptedAt: toTimeOrNull(row.accepted_at),
    lastDisplayedAt: toTimeOrNull(row.displayed_at),
    topics: topics.map(({ topic_id, enabled }) => ({ id: topic_id, enabled: enabled === 1 })),
  };
  return { rows: [device], next: row.id };
};

export const readMessages: ReadPage<ExportedMessage> = async (userId, db, after) => {
  const rows = await db
    .selectFrom('recipients')
    .innerJoin('messages', 'messages.id', 'recipients.message_id')
    .leftJoin('topics', 'topics.id', 'recipients.topic_id')
    .where('recipients.user_id', '=', userId)
    .where('recipients.seq', '>', Number(after ?? 0))
    .selectAll('recipients')
    .select(['messages.title', 'messages.text', 'messages.link', 'messages.priority'])
    .select(['messages.topic_title', 'messages.send_at', 'messages.created_at'])
    .select(['messages.expires_at', 'topics.title as topicTitle'])
    .orderBy('recipients.seq')
    .limit(EXPORT_PAGE_SIZE)
    .execute();
  return toExportPage(
    rows,
    (row) => ({
      id: row.message_id,
      seq: row.seq,
      title: row.title || row.topicTitle || row.topic_title || 'Fieldbell',
      message: row.text,
      topic: row.topicTitle,
      link: row.link,
      priority: row.priority,
      createdAt: toTime(row.send_at ?? row.created_at),
      expiresAt: toTime(row.expires_at),
      state: row.state,
      devices: row.devices,
      displayedAt: toTimeOrNull(row.displayed_at),
      readAt: toTimeOrNull(row.read_at),
      acknowledgedAt: toTimeOrNull(row.acknowledged_at),
      answer: row.answer,
      ...(row.comment !== null && { comment: row.comment }),
      ...(row.answer_revision !== null && { answerRevision: row.answer_revision }),
      ...describeFormerAnswers(row),
      late: row.late === 1,
    }),
    ({ seq }) => seq,
  );
};

/** The id orders rows of the same millisecond. */
const toCursor = ({ created_at, id }: { created_at: number; id: string }): ExportCursor =>
  `${created_at} ${id}`;
const isAfterCursor = (after: ExportCursor) => {
  if (after === undefined) return sql<boolean>`1 = 1`;
  const [at = '', id] = String(after).split(/ (.*)/s);
  return sql<boolean>`(created_at, id) > (${Number(at)}, ${id})`;
};

export async function readTests(
  userId: number,
  db: Database,
  after: ExportCursor,
  now: number,
): Promise<ExportPage<DeviceTest>> {
  const rows = await db
    .selectFrom('tests')
    .where('user_id', '=', userId)
    .where(isAfterCursor(after))
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .limit(EXPORT_PAGE_SIZE)
    .execute();
  return toExportPage(rows, (row) => toTest(row, now), toCursor);
}

export const readOwnSent: ReadPage<ExportedSent> = async (userId, db, after) => {
  const rows = await db
    .selectFrom('messages')
    .where('sender_id', '=', userId)
    .where('kind', '=', 'message')
    .where(isAfterCursor(after))
    .select(['id', 'title', 'text', 'topic_title', 'created_at', 'people'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(EXPORT_PAGE_SIZE)
    .execute();
  return toExportPage(
    rows,
    (row) => ({
      id: row.id,
      title: row.title,
      message: row.text,
      topic: row.topic_title || null,
      createdAt: toTime(row.created_at),
      people: row.people,
    }),
    toCursor,
  );
};

export async function readCheckIns(
  userId: number,
  db: Database,
  after: ExportCursor,
  now: number,
): Promise<ExportPage<ExportedCheckIn>> {
  const rows = await db
    .selectFrom('check_ins')
    .where('user_id', '=', userId)
    .where('id', '>', Number(after ?? 0))
    .selectAll()
    .orderBy('id')
    .limit(EXPORT_PAGE_SIZE)
    .execute();
  const alarms = await readSentAlarms(
    rows.map(({ id }) => id),
    db,
  );
  return toExportPage(
    rows,
    (row) => {
      const { alarmAt: alarmPlannedAt, ...checkIn } = describeTimes(row, now);
      const sentAlarms = (alarms.get(row.id) ?? []).map(({ at: sentAt }) => ({ sentAt }));
      return { ...checkIn, alarmPlannedAt, alarms: sentAlarms };
    },
    ({ id }) => id,
  );
}
