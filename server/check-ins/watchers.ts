/** Who gets the alarm. */
import type { Transaction } from 'kysely';
import type { Database } from '../db/open';
import type { CheckInRow, Tables } from '../db/schema';
import type { MessageAudience } from '../messages/sending/send-request';
import { FULL_RANGE, audienceDevices } from '../subscriptions/audience';

/**
 * Finds the people of the topic, or all administrators if the topic is gone or has no one else. If
 * the topic's people have no device to notify, it finds both. The person is never among them.
 */
export async function findWatchers(
  topicId: number | null,
  { user_id }: Pick<CheckInRow, 'user_id'>,
  transaction: Transaction<Tables>,
): Promise<MessageAudience> {
  const exceptUserId = user_id;
  const isPossible = topicId !== null && (await hasOthers(topicId, user_id, transaction));
  if (isPossible && (await canReachOthers([topicId], [], user_id, transaction)))
    return { topicId, exceptUserId };
  const admins = await findAdmins(transaction);
  const userIds = admins.filter((id) => id !== user_id);
  if (userIds.length === 0)
    return topicId === null ? { userIds: admins, exceptUserId } : { topicId, exceptUserId };
  return isPossible ? { topicIds: [topicId], userIds, exceptUserId } : { userIds, exceptUserId };
}

async function findAdmins(db: Database): Promise<number[]> {
  const admins = await db
    .selectFrom('users')
    .where('role', '=', 'ADMIN')
    .where('status', '=', 'ACTIVE')
    .where('suspended_at', 'is', null)
    .select('id')
    .execute();
  return admins.map(({ id }) => id);
}

/** Whether an alarm sent now would notify someone: in the topic, or else an administrator. */
export async function canAlarmNotify(
  topicId: number | null,
  personId: number,
  db: Database,
): Promise<boolean> {
  return (await findUnprotected(topicId, [personId], db)).size === 0;
}

/**
 * Finds people whose alarm, sent now, would notify no one. Two reachable people are enough for
 * everyone, so one statement suffices however many people check in.
 */
export async function findUnprotected(
  topicId: number | null,
  personIds: readonly number[],
  db: Database,
): Promise<ReadonlySet<number>> {
  const topicIds = topicId === null ? [] : [topicId];
  const audience = { topicIds, userIds: await findAdmins(db) };
  const reachable = await db
    .selectFrom(audienceDevices(audience, FULL_RANGE, db))
    .where('enabled', '=', 1)
    .select('user_id')
    .distinct()
    .limit(2)
    .execute();
  const [first] = reachable;
  if (reachable.length > 1) return new Set();
  return new Set(personIds.filter((id) => first === undefined || id === first.user_id));
}

export const isAdminReachable = async (db: Database): Promise<boolean> =>
  canReachOthers([], await findAdmins(db), undefined, db);

const selectRecipients = (topicId: number, db: Database) =>
  db
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'subscriptions.user_id')
    .where('subscriptions.topic_id', '=', topicId)
    .where('users.suspended_at', 'is', null)
    .select('users.id')
    .limit(1);

/** Whether a message to this topic has a recipient. */
export const hasRecipients = async (
  topicId: number,
  transaction: Transaction<Tables>,
): Promise<boolean> =>
  (await selectRecipients(topicId, transaction).executeTakeFirst()) !== undefined;

/** Whether the topic has someone else. Someone who never registered cannot help. */
export async function hasOthers(topicId: number, personId: number, db: Database): Promise<boolean> {
  const recipient = await selectRecipients(topicId, db)
    .where('users.status', '=', 'ACTIVE')
    .where('users.id', '<>', personId)
    .executeTakeFirst();
  return recipient !== undefined;
}

/**
 * Whether someone has a device on which a topic is switched on, or is named and has a device.
 * @param personId does not count
 */
async function canReachOthers(
  topicIds: readonly number[],
  userIds: readonly number[],
  personId: number | undefined,
  db: Database,
): Promise<boolean> {
  const otherPerson = await db
    .selectFrom(audienceDevices({ topicIds, userIds }, FULL_RANGE, db))
    .where('user_id', '<>', personId ?? 0)
    .where('enabled', '=', 1)
    .select('user_id')
    .limit(1)
    .executeTakeFirst();
  return otherPerson !== undefined;
}
