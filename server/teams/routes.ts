import { MANY_PEOPLE_BYTES } from '../../src/shared/contract/subscriptions';
import { readIdempotencyKey, idempotentRequest } from '../http/idempotency';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { NO_SUCH_TOPIC } from '../topics/topics';
import { TEAMS_LOCK } from '../memberships/subscribe-members';
import { addMembers, listMembers, removeMembers } from './members';
import { NO_SUCH_TEAM } from '../memberships/teams-of-people';
import { addTeam, changeTeam, deleteTeam, listTeams, readTeam } from './teams';
import { addTeams, listTopicTeams, removeTeams } from './topics';

const teamsLock = { lock: TEAMS_LOCK };
const teamId = (text: string): number => readId(text, NO_SUCH_TEAM);

export function addTeamRoutes(add: AddRoute, { db, now }: Services): void {
  add('GET /api/admin/teams', {
    action: 'teams.read',
    respond: ({ paging }) => listTeams(paging, db),
  });
  add('POST /api/admin/teams', {
    action: 'teams.change',
    status: 201,
    respond: ({ body, user, transact, header }) => {
      const request = idempotentRequest('team', user.id, readIdempotencyKey(header), body);
      return transact((transaction) => addTeam(body, request, transaction, now()), teamsLock);
    },
  });
  add('GET /api/admin/teams/:id', {
    action: 'teams.read',
    respond: ({ params }) => readTeam(teamId(params.id), db),
  });
  add('PUT /api/admin/teams/:id', {
    action: 'teams.change',
    respond: ({ params, body, transact }) =>
      transact((transaction) => changeTeam(teamId(params.id), body, transaction), teamsLock),
  });
  add('DELETE /api/admin/teams/:id', {
    action: 'teams.change',
    respond: async ({ params, transact }) => {
      await transact((transaction) => deleteTeam(teamId(params.id), transaction), teamsLock);
      return { message: 'The team was deleted.' };
    },
  });
  add('GET /api/admin/teams/:id/members', {
    action: 'teams.read',
    respond: ({ params, paging }) => listMembers(teamId(params.id), paging, db),
  });
  add('POST /api/admin/teams/:id/members', {
    action: 'teams.change',
    maxBytes: MANY_PEOPLE_BYTES,
    respond: ({ params, body, transact }) => {
      const change = { teamId: teamId(params.id), ...body };
      return transact((transaction) => addMembers(change, transaction, now()), teamsLock);
    },
  });
  add('DELETE /api/admin/teams/:id/members', {
    action: 'teams.change',
    maxBytes: MANY_PEOPLE_BYTES,
    respond: ({ params, body, transact }) => {
      const change = { teamId: teamId(params.id), ...body };
      return transact((transaction) => removeMembers(change, transaction), teamsLock);
    },
  });
  add('GET /api/admin/topics/:id/teams', {
    action: 'teams.read',
    respond: ({ params }) => listTopicTeams(readId(params.id, NO_SUCH_TOPIC), db),
  });
  add('POST /api/admin/topics/:id/teams', {
    action: 'teams.change',
    respond: ({ params, body, transact }) => {
      const change = { topicId: readId(params.id, NO_SUCH_TOPIC), ...body };
      return transact((transaction) => addTeams(change, transaction, now()), teamsLock);
    },
  });
  add('DELETE /api/admin/topics/:id/teams', {
    action: 'teams.change',
    respond: ({ params, body, transact }) => {
      const change = { topicId: readId(params.id, NO_SUCH_TOPIC), ...body };
      return transact((transaction) => removeTeams(change, transaction), teamsLock);
    },
  });
}
