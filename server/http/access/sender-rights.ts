/** Who may send to which topics without being an administrator: by name, or as a member of a team. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { idList } from '../../db/json-table';
import { lockForShare } from '../../db/lock';
import type { Database } from '../../db/open';
import type { Tables, UserRow } from '../../db/schema';
import { HttpError } from '../errors';
import { consumeLimitOrThrow } from '../rate-limits';
import type { Limit } from '../rate-limits';

const selectGrants = (userId: number, db: Database) =>
  db
    .selectFrom('topic_senders')
    .where('user_id', '=', userId)
    .select('topic_id')
    .union(
      db
        .selectFrom('topic_sender_teams as granted')
        .innerJoin('team_members as member', 'member.team_id', 'granted.team_id')
        .where('member.user_id', '=', userId)
        .select('granted.topic_id'),
    );

/** Administrators do not count as senders: they may send to everyone, with their own calls. */
export async function isSender(
  { id, role }: Pick<UserRow, 'id' | 'role'>,
  db: Database,
): Promise<boolean> {
  if (role === 'ADMIN') return false;
  return (await selectGrants(id, db).limit(1).executeTakeFirst()) !== undefined;
}

/** Whether this person may send to this topic, for reading. `lockRights` decides about sending. */
export const isTopicSender = async (
  userId: number,
  topicId: number,
  db: Database,
): Promise<boolean> => (await readSenderTopicIds(userId, db)).includes(topicId);

/** The person's own responses have this field; it is absent for people who may not send. */
export const readMaySendField = async (
  user: Pick<UserRow, 'id' | 'role'>,
  db: Database,
): Promise<{ maySend?: true }> => ((await isSender(user, db)) ? { maySend: true } : {});

export async function readSenderTopicIds(userId: number, db: Database): Promise<number[]> {
  const rows = await selectGrants(userId, db).execute();
  return rows.map(({ topic_id }) => topic_id);
}

/**
 * Whether this person may send to all these topics. The granting rows stay locked, so that a
 * removal comes before this transaction or after it.
 */
export async function lockSenderRights(
  userId: number,
  topicIds: readonly number[],
  transaction: Transaction<Tables>,
): Promise<boolean> {
  const missingTopics = new Set(topicIds);
  const byName = transaction
    .selectFrom('topic_senders')
    .where('user_id', '=', userId)
    .where('topic_id', 'in', idList(missingTopics))
    .orderBy('topic_id')
    .select('topic_id');
  for (const { topic_id } of await lockForShare(byName, transaction).execute())
    missingTopics.delete(topic_id);
  if (missingTopics.size === 0) return true;
  const byTeam = transaction
    .selectFrom('topic_sender_teams')
    .innerJoin('team_members', 'team_members.team_id', 'topic_sender_teams.team_id')
    .where('team_members.user_id', '=', userId)
    .where('topic_sender_teams.topic_id', 'in', idList(missingTopics))
    .orderBy('team_members.team_id')
    .select('topic_sender_teams.topic_id');
  for (const { topic_id } of await lockForShare(byTeam, transaction).execute())
    missingTopics.delete(topic_id);
  return missingTopics.size === 0;
}

/** Whether a message of `messages.id` went to one of these topics. */
export const wentToTopics = (topicIds: readonly number[]) =>
  sql<boolean>`exists (select 1 from message_topics
    where message_topics.message_id = messages.id and message_topics.topic_id in ${idList(topicIds)})`;

/** Messages and repeats of one person: enough for an emergency, too few to flood a crew. */
const sendLimit = (userId: number): Limit => ({
  key: ['sender', String(userId)],
  max: 30,
  windowMs: 10 * 60_000,
});

/**
 * Counts a message or a repeat.
 * @throws HttpError 429
 */
export const countSenderUse = (
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> =>
  consumeLimitOrThrow(
    sendLimit(userId),
    transaction,
    now,
    (seconds) => new HttpError(429, 'You have sent too many messages.', seconds),
  );
