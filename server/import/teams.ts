/** The column `teams`: names of teams. Unknown names become new teams. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { requiredLine } from '../../src/shared/contract/fields';
import { MAX_TEAM_NAME } from '../../src/shared/contract/teams';
import { idList, jsonTableOfList } from '../db/json-table';
import { acquireLock } from '../db/lock';
import type { Database } from '../db/open';
import type { Tables } from '../db/schema';
import { TEAMS_LOCK, subscribeMembers } from '../memberships/subscribe-members';

/** The most teams that one file may name. */
export const MAX_IMPORTED_TEAMS = 1000;
export const MAX_IMPORTED_MEMBERSHIPS = 30_000;
/** A response lists at most this number of names. */
export const MAX_LISTED_NEW_TEAMS = 100;

export const teamNameRule = requiredLine('Team', MAX_TEAM_NAME);

/** Semicolons or line ends separate names. */
export const splitTeams = (cell: string): string[] =>
  cell
    .split(/[;\r\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** The names of a file by their folded form, each as first written. */
export type TeamNames = Map<string, string>;

export interface TeamPlan {
  /** Teams that the file names and that do not exist. */
  added: { key: string; name: string }[];
  /** `ID KEY` of existing memberships. */
  existingMemberships: ReadonlySet<string>;
}

export async function planTeams(
  names: TeamNames,
  userIds: readonly number[],
  db: Database,
): Promise<TeamPlan> {
  if (names.size === 0) return { added: [], existingMemberships: new Set() };
  const nameKeyTable = jsonTableOfList([...names.keys()].map((key) => [key]));
  const { rows } = await sql<{ id: number; name_key: string }>`select teams.id, name_key
    from (select value->>0 as wanted from ${nameKeyTable}) as given
    inner join teams on teams.name_key = given.wanted`.execute(db);
  const idsByNameKey = new Map(rows.map(({ id, name_key }) => [id, name_key]));
  const keys = new Set(idsByNameKey.values());
  const memberships = await db
    .selectFrom('team_members')
    .where('team_id', 'in', idList(idsByNameKey.keys()))
    .where('user_id', 'in', idList(userIds))
    .select(['team_id', 'user_id'])
    .execute();
  return {
    added: [...names].flatMap(([key, name]) => (keys.has(key) ? [] : [{ key, name }])),
    existingMemberships: new Set(
      memberships.map(({ team_id, user_id }) => `${user_id} ${idsByNameKey.get(team_id)}`),
    ),
  };
}

interface NewMembers {
  added: TeamPlan['added'];
  /** Each entry is a person's id and a team's folded name. */
  members: readonly (readonly [userId: number, key: string])[];
}

/** @returns false if others have added the same teams or members meanwhile */
export async function writeTeams(
  { added, members }: NewMembers,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  if (members.length === 0) return true;
  await acquireLock(TEAMS_LOCK, transaction);
  const rows = jsonTableOfList(added.map(({ key, name }) => [name, key]));
  const insertedTeams = await sql`insert into teams (name, name_key, search_key, created_at)
    select value->>0, value->>1, value->>1, cast(${now} as bigint) from ${rows} where true
    order by cast(key as integer) on conflict (name_key) do nothing`.execute(transaction);
  const pairs = jsonTableOfList(members);
  const insertedMembers = await sql<{
    team_id: number;
    user_id: number;
  }>`insert into team_members (team_id, user_id)
    select teams.id, cast(given.value->>0 as bigint) from (select value from ${pairs}) as given
    inner join teams on teams.name_key = given.value->>1 where true
    on conflict (team_id, user_id) do nothing returning team_id, user_id`.execute(transaction);
  const isNew = Number(insertedTeams.numAffectedRows) === added.length;
  if (!isNew || insertedMembers.rows.length !== members.length) return false;
  const teamIds = new Set(insertedMembers.rows.map(({ team_id }) => team_id));
  const userIds = new Set(insertedMembers.rows.map(({ user_id }) => user_id));
  await subscribeMembers({ teamIds: [...teamIds], userIds: [...userIds] }, transaction, now);
  return true;
}
