/** The senders of a topic, as administrators see and change them. */
import type { Transaction } from 'kysely';
import type { Body, Senders } from '../../src/shared/contract';
import { recordAudit } from '../audit/record-audit';
import type { NewEntry } from '../audit/record-audit';
import { idList } from '../db/json-table';
import { lockForUpdate } from '../db/lock';
import type { Database } from '../db/open';
import type { Tables } from '../db/schema';
import { notFoundError } from '../http/errors';
import { lockUsers } from '../subscriptions/bulk-subscriptions';
import { lockTeams } from '../teams/teams';
import { NO_SUCH_TOPIC, requireTopic } from '../topics/topics';

/**
 * Sorts people and teams by name.
 * @throws HttpError 404
 */
export async function readSenders(topicId: number, db: Database): Promise<Senders> {
  await requireTopic(topicId, db);
  return {
    users: await db
      .selectFrom('topic_senders')
      .innerJoin('users', 'users.id', 'topic_senders.user_id')
      .where('topic_id', '=', topicId)
      .select(['users.id', 'users.username'])
      .orderBy('users.username_key')
      .execute(),
    teams: await db
      .selectFrom('topic_sender_teams')
      .innerJoin('teams', 'teams.id', 'topic_sender_teams.team_id')
      .where('topic_id', '=', topicId)
      .select(['teams.id', 'teams.name'])
      .orderBy('teams.name_key')
      .execute(),
  };
}

/**
 * People who are left out lose the right with this transaction.
 * @throws HttpError 404, 400
 */
export async function changeSenders(
  topicId: number,
  { userIds, teamIds }: Body<'PUT /api/admin/topics/:id/senders'>,
  transaction: Transaction<Tables>,
): Promise<Senders> {
  const row = transaction.selectFrom('topics').select('title').where('id', '=', topicId);
  const topic = await lockForUpdate(row, transaction).executeTakeFirst();
  if (topic === undefined) throw notFoundError(NO_SUCH_TOPIC);
  const formerSenders = await readSenders(topicId, transaction);
  const users = compareRows(formerSenders.users, userIds);
  const teams = compareRows(formerSenders.teams, teamIds);
  await lockUsers(users.added, transaction);
  const names = await lockTeams(teams.added, transaction);
  await transaction
    .deleteFrom('topic_senders')
    .where('topic_id', '=', topicId)
    .where('user_id', 'in', idList(users.removed.map(({ id }) => id)))
    .execute();
  await transaction
    .deleteFrom('topic_sender_teams')
    .where('topic_id', '=', topicId)
    .where('team_id', 'in', idList(teams.removed.map(({ id }) => id)))
    .execute();
  if (users.added.length > 0)
    await transaction
      .insertInto('topic_senders')
      .values(users.added.map((user_id) => ({ topic_id: topicId, user_id })))
      .execute();
  if (teams.added.length > 0)
    await transaction
      .insertInto('topic_sender_teams')
      .values(teams.added.map((team_id) => ({ topic_id: topicId, team_id })))
      .execute();
  const detail = topic.title;
  const entries: NewEntry[] = [
    ...users.removed.map(({ id }) => ({ action: 'sender.remove' as const, person: id, detail })),
    ...teams.removed.map(({ name }) => ({ action: 'sender.remove' as const, on: name, detail })),
    ...users.added.map((id) => ({ action: 'sender.add' as const, person: id, detail })),
    ...teams.added.map((id) => ({
      action: 'sender.add' as const,
      on: names.get(id) ?? '',
      detail,
    })),
  ];
  if (entries.length > 0) await recordAudit(entries, transaction);
  return readSenders(topicId, transaction);
}

function compareRows<Row extends { id: number }>(
  formerRows: readonly Row[],
  newTopicIds: readonly number[],
): { added: number[]; removed: Row[] } {
  const [beforeIds, chosenIds] = [new Set(formerRows.map(({ id }) => id)), new Set(newTopicIds)];
  return {
    added: [...chosenIds].filter((id) => !beforeIds.has(id)),
    removed: formerRows.filter(({ id }) => !chosenIds.has(id)),
  };
}
