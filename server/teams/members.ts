import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { ChangedSubscriptions, MemberPage } from '../../src/shared/contract';
import { recordAudit } from '../audit/record-audit';
import { idList, idTable } from '../db/json-table';
import { queryInReadThread } from '../db/open';
import type { Database } from '../db/open';
import type { Tables } from '../db/schema';
import { containsWords, readPageFields } from '../http/paging';
import type { Paging } from '../http/paging';
import { toTimeOrNull } from '../lib/clock';
import { lockUsers } from '../subscriptions/bulk-subscriptions';
import { removeUnsupportedSubscriptions, subscribeMembers } from '../memberships/subscribe-members';
import { requireTeam } from './teams';

/**
 * Lists members by username.
 * @throws HttpError 404
 */
export async function listMembers(
  teamId: number,
  paging: Paging,
  db: Database,
): Promise<MemberPage> {
  await requireTeam(teamId, db);
  const { limit, offset, words } = paging;
  const membersQuery = db
    .selectFrom('team_members')
    .innerJoin('users', 'users.id', 'team_members.user_id')
    .where('team_members.team_id', '=', teamId)
    .where(({ ref }) => containsWords(words, ref('users.username_key')));
  const page = membersQuery
    .select(['users.id', 'users.username', 'users.role', 'users.status', 'users.suspended_at'])
    .select(({ selectFrom }) =>
      selectFrom('devices')
        .whereRef('devices.user_id', '=', 'users.id')
        .select(({ fn }) => fn.max<number | null>('devices.last_seen_at').as('at'))
        .as('seen_at'),
    )
    .orderBy('users.username_key')
    .limit(limit)
    .offset(offset);
  const rows = await queryInReadThread(page.compile(), db);
  const members = rows.map(({ suspended_at, seen_at, ...member }) => ({
    ...member,
    suspendedAt: toTimeOrNull(suspended_at),
    lastSeenAt: toTimeOrNull(seen_at),
  }));
  return { members, ...(await readPageFields(rows, paging, membersQuery, db)) };
}

interface MemberChange {
  teamId: number;
  userIds: readonly number[];
}

/**
 * Adds all of the people or none. The caller holds `TEAMS_LOCK`.
 * @throws HttpError 404 without the team, 400
 */
export async function addMembers(
  { teamId, userIds }: MemberChange,
  transaction: Transaction<Tables>,
  now: number,
): Promise<ChangedSubscriptions> {
  const { name } = await requireTeam(teamId, transaction);
  const people = await lockUsers(userIds, transaction);
  const rows = await transaction
    .insertInto('team_members')
    .columns(['team_id', 'user_id'])
    .expression((build) =>
      build
        .selectFrom(idTable(people).as('wanted'))
        .select([sql<number>`cast(${teamId} as bigint)`.as('team_id'), 'wanted.id'])
        // SQLite needs a condition, or reads `on conflict` as a join's.
        .where(sql<boolean>`true`),
    )
    .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doNothing())
    .returning('user_id')
    .execute();
  const joinedIds = rows.map(({ user_id }) => user_id);
  await subscribeMembers({ teamIds: [teamId], userIds: joinedIds }, transaction, now);
  const entries = joinedIds.map(
    (person) => ({ action: 'team.join', person, detail: name }) as const,
  );
  await recordAudit(entries, transaction);
  return { changed: joinedIds.length, unchanged: people.length - joinedIds.length };
}

/**
 * Removes all of the people or none, and ends subscriptions that only this team gave them.
 * @throws as above
 */
export async function removeMembers(
  { teamId, userIds }: MemberChange,
  transaction: Transaction<Tables>,
): Promise<ChangedSubscriptions> {
  const { name } = await requireTeam(teamId, transaction);
  const people = await lockUsers(userIds, transaction);
  const rows = await transaction
    .deleteFrom('team_members')
    .where('team_id', '=', teamId)
    .where('user_id', 'in', idList(people))
    .returning('user_id')
    .execute();
  const leftIds = rows.map(({ user_id }) => user_id);
  const topics = await transaction
    .selectFrom('team_topics')
    .select('topic_id')
    .where('team_id', '=', teamId)
    .execute();
  const topicIds = topics.map(({ topic_id }) => topic_id);
  await removeUnsupportedSubscriptions({ topicIds, userIds: leftIds }, transaction);
  const entries = leftIds.map(
    (person) => ({ action: 'team.leave', person, detail: name }) as const,
  );
  await recordAudit(entries, transaction);
  return { changed: leftIds.length, unchanged: people.length - leftIds.length };
}
