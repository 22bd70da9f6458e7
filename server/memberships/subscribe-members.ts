/**
 * Keeps subscriptions in step with teams: a row with `by_name = 0` exists exactly while a team of
 * the person is subscribed to the topic. Callers hold `TEAMS_LOCK`.
 */
import { sql } from 'kysely';
import type { RawBuilder, Transaction } from 'kysely';
import { idList } from '../db/json-table';
import type { Tables } from '../db/schema';
import { isSubscribedByTeam } from './subscribed-by';

/** Changes of members or teams' topics, and ends of subscriptions by name, hold this lock. */
export const TEAMS_LOCK = 'teams';

/** The teams, topics and members that have changed. Absent means all. */
interface MembershipSelection {
  teamIds: readonly number[];
  topicIds?: readonly number[];
  userIds?: readonly number[];
}

const isAmong = (column: string, ids: readonly number[] | undefined): RawBuilder<boolean> =>
  ids === undefined ? sql`true` : sql`${sql.ref(column)} in ${idList(ids)}`;

/** Subscribes members to topics of their teams. Who is subscribed by name stays so. */
export async function subscribeMembers(
  { teamIds, topicIds, userIds }: MembershipSelection,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  // Rows are ordered by topic and person, like in other bulk writes, to avoid deadlocks.
  await sql`insert into subscriptions (user_id, topic_id, by_name, created_at)
    select distinct team_members.user_id, team_topics.topic_id, 0, cast(${now} as bigint)
    from team_topics inner join team_members on team_members.team_id = team_topics.team_id
    where ${isAmong('team_topics.team_id', teamIds)} and ${isAmong('team_topics.topic_id', topicIds)}
      and ${isAmong('team_members.user_id', userIds)}
    order by team_topics.topic_id, team_members.user_id
    on conflict (user_id, topic_id) do nothing`.execute(transaction);
}

/** Removes these people's subscriptions to the topics unless a team or their name keeps them. */
export async function removeUnsupportedSubscriptions(
  { topicIds, userIds, teamIds }: { topicIds: readonly number[] } & Partial<MembershipSelection>,
  transaction: Transaction<Tables>,
): Promise<void> {
  const members = sql`user_id in (select user_id from team_members where ${isAmong('team_id', teamIds)})`;
  await sql`delete from subscriptions where by_name = 0
    and ${isAmong('topic_id', topicIds)} and ${isAmong('user_id', userIds)}
    ${teamIds === undefined ? sql`` : sql`and ${members}`}
    and not ${isSubscribedByTeam}`.execute(transaction);
}
