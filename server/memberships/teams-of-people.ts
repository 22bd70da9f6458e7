/** The teams that people are in, and lists of one team's people. */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { TeamReference } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { HttpError } from '../http/errors';

export const NO_SUCH_TEAM = 'This team does not exist.';

/** Finds each person's teams, by name. */
export async function readTeamsByUser(
  userIds: readonly number[],
  db: Database,
): Promise<Map<number, TeamReference[]>> {
  const teams = new Map<number, TeamReference[]>();
  if (userIds.length === 0) return teams;
  const rows = await db
    .selectFrom('team_members')
    .innerJoin('teams', 'teams.id', 'team_members.team_id')
    .where('team_members.user_id', 'in', userIds)
    .select(['team_members.user_id', 'teams.id', 'teams.name'])
    .orderBy('teams.name_key')
    .execute();
  for (const { user_id, ...team } of rows) {
    const ownTeams = teams.get(user_id);
    if (ownTeams === undefined) teams.set(user_id, [team]);
    else ownTeams.push(team);
  }
  return teams;
}

/**
 * Reads the id of a list's team from the query.
 * @throws HttpError 400 for an unknown team
 */
export async function readTeamFilter(
  path: 'team' | 'teamId',
  query: URLSearchParams,
  db: Database,
): Promise<number | undefined> {
  const text = query.get(path) ?? '';
  if (text === '') return undefined;
  const createUnknownTeamError = () => new HttpError(400, [{ message: NO_SUCH_TEAM, path }]);
  if (!/^[1-9]\d{0,14}$/.test(text)) throw createUnknownTeamError();
  const team = db.selectFrom('teams').select('id').where('id', '=', Number(text));
  return (await team.executeTakeFirstOrThrow(createUnknownTeamError)).id;
}

/** Whether a row of `users` is in the team. */
export const isInTeam = (teamId: number): RawBuilder<boolean> =>
  sql<boolean>`users.id in (select user_id from team_members where team_id = ${teamId})`;
