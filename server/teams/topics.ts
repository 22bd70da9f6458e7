/** The teams that are subscribed to a topic. */
import type { Transaction } from 'kysely';
import type { ChangedSubscriptions, TopicTeams } from '../../src/shared/contract';
import { recordAudit } from '../audit/record-audit';
import { lockForUpdate } from '../db/lock';
import type { Database } from '../db/open';
import { idList } from '../db/json-table';
import type { Tables } from '../db/schema';
import { notFoundError } from '../http/errors';
import { NO_SUCH_TOPIC, requireTopic } from '../topics/topics';
import { removeUnsupportedSubscriptions, subscribeMembers } from '../memberships/subscribe-members';
import { countMembers, lockTeams } from './teams';

/**
 * Lists teams by name.
 * @throws HttpError 404
 */
export async function listTopicTeams(topicId: number, db: Database): Promise<TopicTeams> {
  await requireTopic(topicId, db);
  const rows = await db
    .selectFrom('team_topics')
    .innerJoin('teams', 'teams.id', 'team_topics.team_id')
    .where('team_topics.topic_id', '=', topicId)
    .select(['teams.id', 'teams.name'])
    .orderBy('teams.name_key')
    .execute();
  const counts = await countMembers(
    rows.map(({ id }) => id),
    db,
  );
  return { teams: rows.map((row) => ({ ...row, members: counts.get(row.id) ?? 0 })) };
}

interface TeamChange {
  topicId: number;
  teamIds: readonly number[];
}

/**
 * Subscribes all of the teams or none. The caller holds `TEAMS_LOCK`.
 * @throws HttpError 404 without the topic, 400
 */
export async function addTeams(
  change: TeamChange,
  transaction: Transaction<Tables>,
  now: number,
): Promise<ChangedSubscriptions> {
  const { topicId } = change;
  const { title, names } = await findAll(change, transaction);
  const rows = await transaction
    .selectFrom('team_topics')
    .select('team_id')
    .where('topic_id', '=', topicId)
    .where('team_id', 'in', idList(names.keys()))
    .execute();
  const formerTeamIds = new Set(rows.map(({ team_id }) => team_id));
  const addedIds = [...names.keys()].filter((id) => !formerTeamIds.has(id));
  if (addedIds.length > 0) {
    const values = addedIds.map((team_id) => ({ team_id, topic_id: topicId }));
    await transaction.insertInto('team_topics').values(values).execute();
    await subscribeMembers({ teamIds: addedIds, topicIds: [topicId] }, transaction, now);
    await recordTeams('team.subscribe', addedIds, { title, names }, transaction);
  }
  return { changed: addedIds.length, unchanged: formerTeamIds.size };
}

/**
 * Unsubscribes all of the teams or none. People who are subscribed by name stay.
 * @throws as above
 */
export async function removeTeams(
  change: TeamChange,
  transaction: Transaction<Tables>,
): Promise<ChangedSubscriptions> {
  const { topicId } = change;
  const { title, names } = await findAll(change, transaction);
  const rows = await transaction
    .deleteFrom('team_topics')
    .where('topic_id', '=', topicId)
    .where('team_id', 'in', idList(names.keys()))
    .returning('team_id')
    .execute();
  const removedIds = rows.map(({ team_id }) => team_id);
  if (removedIds.length > 0) {
    await removeUnsupportedSubscriptions({ topicIds: [topicId], teamIds: removedIds }, transaction);
    await recordTeams('team.unsubscribe', removedIds, { title, names }, transaction);
  }
  return { changed: removedIds.length, unchanged: names.size - removedIds.length };
}

interface FoundTopicAndTeams {
  title: string;
  /** The teams' names by id. */
  names: ReadonlyMap<number, string>;
}

async function findAll(
  { topicId, teamIds }: TeamChange,
  transaction: Transaction<Tables>,
): Promise<FoundTopicAndTeams> {
  const rowOfTopic = transaction.selectFrom('topics').select('title').where('id', '=', topicId);
  const topic = await lockForUpdate(rowOfTopic, transaction).executeTakeFirst();
  if (topic === undefined) throw notFoundError(NO_SUCH_TOPIC);
  const names = await lockTeams(teamIds, transaction);
  return { title: topic.title, names };
}

async function recordTeams(
  action: 'team.subscribe' | 'team.unsubscribe',
  ids: readonly number[],
  { title, names }: FoundTopicAndTeams,
  transaction: Transaction<Tables>,
): Promise<void> {
  const entries = ids.map((id) => ({ action, on: names.get(id) ?? '', detail: title }));
  await recordAudit(entries, transaction);
}
