/** Teams, for administrators. */
import { call } from '../../api/call';
import { withIdempotencyKey } from '../../api/idempotency';
import type { Body, Team } from '../../shared/contract';
import { teamSchema, teamPageSchema } from '../../shared/contract/teams' with { type: 'example' };
import { readAllPages, type PageOf, type PageRequest } from '../read-all-pages';

export const TEAMS_FAILED = 'Failed to load teams.';
export const TEAM_FAILED = 'Failed to load the team.';
export const TEAM_SAVE_FAILED = 'Failed to save the team.';

export async function readTeams(query: PageRequest): Promise<PageOf<Team>> {
  const { teams: rows, ...page } = await call('GET /api/admin/teams', {
    query,
    fallback: TEAMS_FAILED,
    like: teamPageSchema,
  });
  return { rows, ...page };
}

/** A thousand teams, by name. */
export const readAllTeams = async (): Promise<readonly Team[]> =>
  [...(await readAllPages(readTeams))].sort((a, b) => a.name.localeCompare(b.name));

/** Reads the teams, each with a `title` like a topic's. */
export const readTeamChoices = async () =>
  (await readAllTeams()).map(({ id, name, description }) => ({ id, title: name, description }));

export const readTeam = (id: string): Promise<Team> =>
  call('GET /api/admin/teams/:id', { params: { id }, fallback: TEAM_FAILED, like: teamSchema });

/**
 * Adds a team, or changes the team with this id; a retry is safe.
 * @throws {ApiError}
 */
export const saveTeam = (
  id: number | undefined,
  body: Body<'POST /api/admin/teams'>,
): Promise<Team> =>
  id === undefined
    ? withIdempotencyKey('POST /api/admin/teams', body, (idempotencyKey) =>
        call('POST /api/admin/teams', {
          body,
          idempotencyKey,
          fallback: TEAM_SAVE_FAILED,
          like: teamSchema,
        }),
      )
    : call('PUT /api/admin/teams/:id', {
        params: { id },
        body,
        fallback: TEAM_SAVE_FAILED,
        like: teamSchema,
      });

/** @param fallback names the team as people know it */
export const deleteTeam = (id: number, fallback: string): Promise<unknown> =>
  call('DELETE /api/admin/teams/:id', { params: { id }, fallback });
