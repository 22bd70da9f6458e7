/** Teams: named groups of people. */
import * as v from 'valibot';
import { role, teamReference, userStatus } from './accounts';
import { count, doneWith, id, idField, maybeTime, page, paging, sample, text } from './common';
import type { CallTable } from './common';
import { hasAtMost, listOf, cleanText, requiredLine, rowId } from './fields';
import { changed, manyPeople } from './subscriptions';
import { topicReference } from './topics';

export const team = v.object({
  ...teamReference.entries,
  description: text('Poles and lines, north district'),
  members: sample(count, 14),
  topics: v.array(topicReference),
});
export const topicTeams = v.object({
  teams: v.array(v.object({ ...teamReference.entries, members: team.entries.members })),
});
export const teamPage = v.object({ teams: v.array(team), ...page });
export const member = v.object({
  id: sample(id, 2),
  username: text('m.okafor'),
  role: sample(role, 'TECHNICIAN'),
  status: sample(userStatus, 'ACTIVE'),
  suspendedAt: v.exactOptional(maybeTime),
  lastSeenAt: v.exactOptional(maybeTime),
});
export const memberPage = v.object({ members: v.array(member), ...page });

export type Team = v.InferOutput<typeof team>;
export type TeamPage = v.InferOutput<typeof teamPage>;
export type TopicTeams = v.InferOutput<typeof topicTeams>;
export type Member = v.InferOutput<typeof member>;
export type MemberPage = v.InferOutput<typeof memberPage>;

export const MAX_TEAM_NAME = 60;
const MAX_TEAM_DESCRIPTION_LENGTH = 500;
const MAX_TEAMS_AT_ONCE = 1000;
/** Names are unique, so that the examples differ. */
const fields = (name: string) =>
  v.object({
    name: sample(
      v.pipe(
        requiredLine('Name', MAX_TEAM_NAME),
        v.check(
          (line) => !line.includes(';'),
          'Name must not contain a semicolon, because imports separate teams with it.',
        ),
      ),
      name,
    ),
    description: v.exactOptional(
      sample(
        v.pipe(
          cleanText('Description'),
          v.trim(),
          v.check(
            hasAtMost(MAX_TEAM_DESCRIPTION_LENGTH),
            `Description is too long. Use ${MAX_TEAM_DESCRIPTION_LENGTH} characters or fewer.`,
          ),
        ),
        'Poles and lines, north district',
      ),
    ),
  });
export const manyTeams = v.object({
  teamIds: sample(
    listOf(
      rowId('Team'),
      MAX_TEAMS_AT_ONCE,
      `At most ${MAX_TEAMS_AT_ONCE.toLocaleString('en')} teams can be changed at once.`,
    ),
    [1],
  ),
});

const ofTeam = { id: idField('team') };
const ofTopic = { id: idField('topic') };
const TEAM_NAME_TAKEN = 'Another team already has this name. Upper and lower case do not matter.';
const INVALID_OR_UNKNOWN_TEAM = 'The body is invalid, or a team does not exist.';
const INVALID_OR_UNKNOWN_USER = 'The body is invalid, or a user does not exist.';

export const teamCalls = {
  'GET /api/admin/teams': {
    does: 'List teams',
    query: paging('Text to search for in names and descriptions.'),
    response: teamPage,
  },
  'POST /api/admin/teams': {
    does: 'Add a team',
    body: fields('West crew'),
    isRepeatable: true,
    response: team,
    errors: { 409: TEAM_NAME_TAKEN },
  },
  'GET /api/admin/teams/:id': { does: 'Get a team', params: ofTeam, response: team },
  'PUT /api/admin/teams/:id': {
    does: 'Change a team’s name and description',
    params: ofTeam,
    body: fields('North crew'),
    response: team,
    errors: { 409: TEAM_NAME_TAKEN },
  },
  'DELETE /api/admin/teams/:id': {
    does: 'Delete a team',
    more: 'The members lose the subscriptions that they had only through this team. Their accounts and the messages to the team stay.',
    params: { id: idField('team', 2) },
    response: doneWith('The team was deleted.'),
    errors: { 409: 'The server is still sending a message to this team. Try again in a minute.' },
  },
  'GET /api/admin/teams/:id/members': {
    does: 'List a team’s members',
    params: ofTeam,
    query: paging('Text to search for in usernames.'),
    response: memberPage,
  },
  'POST /api/admin/teams/:id/members': {
    does: 'Add many users to a team',
    more: 'Up to 10,000 people in one request. The body can have up to 195 KiB. If any id is invalid, the request changes nothing. The new members are also subscribed to the team’s topics.',
    params: ofTeam,
    body: manyPeople,
    response: changed,
    errors: { 400: INVALID_OR_UNKNOWN_USER },
  },
  'DELETE /api/admin/teams/:id/members': {
    does: 'Remove many users from a team',
    more: 'The body can have up to 195 KiB. These users lose the subscriptions that they had only through this team.',
    params: ofTeam,
    body: manyPeople,
    response: changed,
    errors: { 400: INVALID_OR_UNKNOWN_USER },
  },
  'GET /api/admin/topics/:id/teams': {
    does: 'List the teams that are subscribed to a topic',
    params: ofTopic,
    response: topicTeams,
  },
  'POST /api/admin/topics/:id/teams': {
    does: 'Subscribe teams to a topic',
    more: 'All members of the teams are subscribed for as long as they are members.',
    params: ofTopic,
    body: manyTeams,
    response: changed,
    errors: { 400: INVALID_OR_UNKNOWN_TEAM },
  },
  'DELETE /api/admin/topics/:id/teams': {
    does: 'Unsubscribe teams from a topic',
    more: 'Members who are also subscribed individually or through another team stay subscribed.',
    params: ofTopic,
    body: manyTeams,
    response: changed,
    errors: { 400: INVALID_OR_UNKNOWN_TEAM },
  },
} satisfies CallTable;
