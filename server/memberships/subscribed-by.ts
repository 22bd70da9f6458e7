/** Finds the teams that subscribe a person to a topic. */
import { sql } from 'kysely';
import type { Subscription, TeamReference } from '../../src/shared/contract';
import { idList } from '../db/json-table';
import type { Database } from '../db/open';
import { conflictError } from '../http/errors';
import type { HttpError } from '../http/errors';

/** Members with their teams' topics; two joins of `subscriptions`. */
const teamsOfSubscriptions = (db: Database) =>
  db
    .selectFrom('team_topics')
    .innerJoin('team_members', 'team_members.team_id', 'team_topics.team_id')
    .innerJoin('teams', 'teams.id', 'team_topics.team_id');

/** The teams that subscribe a person, by topic. */
export async function readTeamsByTopic(
  userId: number,
  db: Database,
): Promise<Map<number, TeamReference[]>> {
  const rows = await teamsOfSubscriptions(db)
    .where('team_members.user_id', '=', userId)
    .select(['team_topics.topic_id as groupId', 'teams.id', 'teams.name'])
    .orderBy('teams.name_key')
    .execute();
  return groupTeams(rows);
}

/** The teams that subscribe people to a topic, by person. */
export async function readTeamsByPerson(
  topicId: number,
  db: Database,
): Promise<Map<number, TeamReference[]>> {
  const rows = await teamsOfSubscriptions(db)
    .where('team_topics.topic_id', '=', topicId)
    .select(['team_members.user_id as groupId', 'teams.id', 'teams.name'])
    .orderBy('teams.name_key')
    .execute();
  return groupTeams(rows);
}

function groupTeams(
  rows: readonly (TeamReference & { groupId: number })[],
): Map<number, TeamReference[]> {
  const groups = new Map<number, TeamReference[]>();
  for (const { groupId, id, name } of rows) {
    const teams = groups.get(groupId);
    if (teams === undefined) groups.set(groupId, [{ id, name }]);
    else teams.push({ id, name });
  }
  return groups;
}

/** Returns both fields, or none for people who are subscribed by name alone. */
export const describeSubscribedBy = (
  byName: 0 | 1,
  teams: TeamReference[] | undefined,
): Pick<Subscription, 'byName' | 'teams'> =>
  teams === undefined ? {} : { byName: byName === 1, teams };

/** Returns undefined unless a team alone subscribes some of these people to the topic. */
export async function findTeamOnlySubscription(
  { topicId, userIds }: { topicId: number; userIds: readonly number[] },
  db: Database,
): Promise<HttpError | undefined> {
  const inTeamsOnly = db
    .selectFrom('subscriptions')
    .where('subscriptions.topic_id', '=', topicId)
    .where('subscriptions.by_name', '=', 0)
    .where('subscriptions.user_id', 'in', idList(userIds));
  const { people } = await inTeamsOnly
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .executeTakeFirstOrThrow();
  if (Number(people) === 0) return undefined;
  const firstMembership = await inTeamsOnly
    .innerJoin('users', 'users.id', 'subscriptions.user_id')
    .innerJoin('team_members', 'team_members.user_id', 'subscriptions.user_id')
    .innerJoin('team_topics', (join) =>
      join
        .onRef('team_topics.team_id', '=', 'team_members.team_id')
        .onRef('team_topics.topic_id', '=', 'subscriptions.topic_id'),
    )
    .innerJoin('teams', 'teams.id', 'team_members.team_id')
    .select(['users.username', 'teams.name'])
    .orderBy('users.username_key')
    .orderBy('teams.name_key')
    .limit(1)
    .executeTakeFirstOrThrow();
  const { username, name } = firstMembership;
  return conflictError(
    Number(people) === 1
      ? `${username} is subscribed through the team “${name}”. Remove the person from the team, or unsubscribe the team from the topic.`
      : `${people} of these people are subscribed through a team, such as ${username} through “${name}”. Remove them from the team, or unsubscribe the team from the topic.`,
  );
}

/** Whether a subscription's person is in a team that is subscribed to its topic. */
export const isSubscribedByTeam = sql<boolean>`exists (select 1 from team_members
  inner join team_topics on team_topics.team_id = team_members.team_id
  where team_members.user_id = subscriptions.user_id and team_topics.topic_id = subscriptions.topic_id)`;
