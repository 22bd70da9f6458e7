/** Teams: named groups of people. */
import * as v from 'valibot';
import { roleSchema, teamReferenceSchema, userStatusSchema } from './accounts';
import {
  countSchema,
  messageResponseWith,
  idSchema,
  idField,
  nullableTimestampSchema,
  pageFields,
  pagingFields,
  withExamples,
  sampleText,
} from './common';
import type { CallTable } from './common';
import { hasAtMost, listOf, cleanText, requiredLine, rowIdField } from './fields';
import { changedSchema, manyPeopleSchema } from './subscriptions';
import { topicReferenceSchema } from './topics';

export const teamSchema = v.object({
  ...teamReferenceSchema.entries,
  description: sampleText('Poles and lines, north district'),
  members: withExamples(countSchema, 14),
  topics: v.array(topicReferenceSchema),
});
export const topicTeamsSchema = v.object({
  teams: v.array(v.object({ ...teamReferenceSchema.entries, members: teamSchema.entries.members })),
});
export const teamPageSchema = v.object({ teams: v.array(teamSchema), ...pageFields });
export const memberSchema = v.object({
  id: withExamples(idSchema, 2),
  username: sampleText('m.okafor'),
  role: withExamples(roleSchema, 'TECHNICIAN'),
  status: withExamples(userStatusSchema, 'ACTIVE'),
  suspendedAt: v.exactOptional(nullableTimestampSchema),
  lastSeenAt: v.exactOptional(nullableTimestampSchema),
});
export const memberPageSchema = v.object({ members: v.array(memberSchema), ...pageFields });

export type Team = v.InferOutput<typeof teamSchema>;
export type TeamPage = v.InferOutput<typeof teamPageSchema>;
export type TopicTeams = v.InferOutput<typeof topicTeamsSchema>;
export type Member = v.InferOutput<typeof memberSchema>;
export type MemberPage = v.InferOutput<typeof memberPageSchema>;

export const MAX_TEAM_NAME = 60;
const MAX_TEAM_DESCRIPTION_LENGTH = 500;
const MAX_TEAMS_AT_ONCE = 1000;
/** Names are unique, so that the examples differ. */
const teamFields = (name: string) =>
  v.object({
    name: withExamples(
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
      withExamples(
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
export const manyTeamsSchema = v.object({
  teamIds: withExamples(
    listOf(
      rowIdField('Team'),
      MAX_TEAMS_AT_ONCE,
      `At most ${MAX_TEAMS_AT_ONCE.toLocaleString('en')} teams can be changed at once.`,
    ),
    [1],
  ),
});

const teamParams = { id: idField('team') };
const topicParams = { id: idField('topic') };
const TEAM_NAME_TAKEN = 'Another team already has this name. Upper and lower case do not matter.';
const INVALID_OR_UNKNOWN_TEAM = 'The body is invalid, or a team does not exist.';
const INVALID_OR_UNKNOWN_USER = 'The body is invalid, or a user does not exist.';

export const teamCalls = {
  'GET /api/admin/teams': {
    does: 'List teams',
    query: pagingFields('Text to search for in names and descriptions.'),
    response: teamPageSchema,
  },
  'POST /api/admin/teams': {
    does: 'Add a team',
    body: teamFields('West crew'),
    isRepeatable: true,
    response: teamSchema,
    errors: { 409: TEAM_NAME_TAKEN },
  },
  'GET /api/admin/teams/:id': { does: 'Get a team', params: teamParams, response: teamSchema },
  'PUT /api/admin/teams/:id': {
    does: 'Change a team’s name and description',
    params: teamParams,
    body: teamFields('North crew'),
    response: teamSchema,
    errors: { 409: TEAM_NAME_TAKEN },
  },
  'DELETE /api/admin/teams/:id': {
    does: 'Delete a team',
    more: 'The members lose the subscriptions that they had only through this team. Their accounts and the messages to the team stay.',
    params: { id: idField('team', 2) },
    response: messageResponseWith('The team was deleted.'),
    errors: { 409: 'The server is still sending a message to this team. Try again in a minute.' },
  },
  'GET /api/admin/teams/:id/members': {
    does: 'List a team’s members',
    params: teamParams,
    query: pagingFields('Text to search for in usernames.'),
    response: memberPageSchema,
  },
  'POST /api/admin/teams/:id/members': {
    does: 'Add many users to a team',
    more: 'Up to 10,000 people in one request. The body can have up to 195 KiB. If any id is invalid, the request changes nothing. The new members are also subscribed to the team’s topics.',
    params: teamParams,
    body: manyPeopleSchema,
    response: changedSchema,
    errors: { 400: INVALID_OR_UNKNOWN_USER },
  },
  'DELETE /api/admin/teams/:id/members': {
    does: 'Remove many users from a team',
    more: 'The body can have up to 195 KiB. These users lose the subscriptions that they had only through this team.',
    params: teamParams,
    body: manyPeopleSchema,
    response: changedSchema,
    errors: { 400: INVALID_OR_UNKNOWN_USER },
  },
  'GET /api/admin/topics/:id/teams': {
    does: 'List the teams that are subscribed to a topic',
    params: topicParams,
    response: topicTeamsSchema,
  },
  'POST /api/admin/topics/:id/teams': {
    does: 'Subscribe teams to a topic',
    more: 'All members of the teams are subscribed for as long as they are members.',
    params: topicParams,
    body: manyTeamsSchema,
    response: changedSchema,
    errors: { 400: INVALID_OR_UNKNOWN_TEAM },
  },
  'DELETE /api/admin/topics/:id/teams': {
    does: 'Unsubscribe teams from a topic',
    more: 'Members who are also subscribed individually or through another team stay subscribed.',
    params: topicParams,
    body: manyTeamsSchema,
    response: changedSchema,
    errors: { 400: INVALID_OR_UNKNOWN_TEAM },
  },
} satisfies CallTable;
