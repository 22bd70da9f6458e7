/** The administrator's dashboard, which pages refresh often. */
import { sql } from 'kysely';
import type { Overview } from '../../src/shared/contract';
import { queryInReadThread } from '../db/open';
import type { Database } from '../db/open';
import { countWaiting } from '../db/outbox/queues';
import type { UserRow } from '../db/schema';
import { LAST_BACKUP, readMailServerOutcome, readSetting } from '../db/settings';
import { listMessages } from '../messages/progress/progress';
import { isWithheld } from '../messages/sending/withheld';
import { readHealth } from './health';
import { readPushServices } from './push-services';
import type { Services } from '../services';
import { listKeysOverBudget } from '../topics/keys';
import { summarizeWebhooks } from '../webhooks/webhooks';
import { countReachable } from '../reach/states';
import { toTimeOrNull } from '../lib/clock';

/** More than a dashboard lists, which shows some of them elsewhere. */
const SHOWN_MESSAGES = 8;

export async function readOverview(user: UserRow, services: Services): Promise<Overview> {
  const { db, now } = services;
  const newestPage = { page: 1, limit: SHOWN_MESSAGES, offset: 0, words: [] };
  // The queries run at once: each waits for a connection, and a dashboard has more than twenty.
  const [people, topics, { messages }, withheld, ownDevices, health] = await Promise.all([
    countPeople(db, now()),
    countTopics(db),
    listMessages(newestPage, {}, db, now()),
    countWithheld(db, now()),
    countDevices(user.id, db),
    describeHealth(user, services),
  ]);
  return {
    people,
    topics,
    messages,
    ...(withheld > 0 && { withheld }),
    ownDevices,
    health,
  };
}

async function countPeople(db: Database, now: number): Promise<Overview['people']> {
  const countsQuery = sql<{ total: number; pending: number }>`select count(*) as total,
    coalesce(sum(case when status = 'PENDING' then 1 else 0 end), 0) as pending from users
    where suspended_at is null`;
  const [[counts], reachable] = await Promise.all([
    queryInReadThread(countsQuery.compile(db), db),
    countReachable(db, now),
  ]);
  return {
    total: Number(counts?.total),
    reachable,
    pending: Number(counts?.pending),
  };
}

async function countTopics(db: Database): Promise<Overview['topics']> {
  const { rows } = await sql<{ total: number; deserted: number }>`select count(*) as total,
    coalesce(sum(case when exists (select 1 from subscriptions where topic_id = topics.id) then 0 else 1 end), 0) as deserted
    from topics`.execute(db);
  return { total: Number(rows[0]?.total), withoutSubscribers: Number(rows[0]?.deserted) };
}

async function countWithheld(db: Database, now: number): Promise<number> {
  const { messages } = await db
    .selectFrom('messages')
    .where(isWithheld(now))
    .select(({ fn }) => fn.countAll<number>().as('messages'))
    .executeTakeFirstOrThrow();
  return Number(messages);
}

async function countDevices(userId: number, db: Database): Promise<number> {
  const { devices } = await db
    .selectFrom('devices')
    .where('user_id', '=', userId)
    .select(({ fn }) => fn.countAll<number>().as('devices'))
    .executeTakeFirstOrThrow();
  return devices;
}

async function describeHealth({ email }: UserRow, services: Services): Promise<Overview['health']> {
  const { db, config, now } = services;
  const [health, pushServices, waitingMails, { acceptedAt }, webhooks, heldBack, lastBackupAt] =
    await Promise.all([
      readHealth(services),
      readPushServices(services),
      countWaiting(db, now()),
      readMailServerOutcome(db),
      summarizeWebhooks(db),
      listKeysOverBudget(db, now()),
      readLastBackup(db),
    ]);
  return {
    delivery: health.delivery,
    pushServices,
    waiting: waitingMails,
    mail: config.smtpUrl === undefined ? 'not_set_up' : health.mail,
    mailSentAt: toTimeOrNull(acceptedAt),
    webhooks,
    heldBack,
    ownEmail: email !== null,
    // Other tools back up PostgreSQL, and many don't report it.
    ...((config.databaseUrl === undefined || lastBackupAt !== null) && { lastBackupAt }),
    version: health.version,
  };
}

async function readLastBackup(db: Database): Promise<string | null> {
  const lastBackupAt = await readSetting(LAST_BACKUP, db);
  return toTimeOrNull(lastBackupAt === undefined ? null : Number(lastBackupAt));
}
