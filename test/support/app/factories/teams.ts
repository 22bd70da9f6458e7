import type { Member, MemberPage, Team, TeamPage } from '../../../../src/shared/contract';
import { pageFields, pageOfRows } from './people';

type Asked = { query: Record<string, string> };

export const createTeam = (id: number, change: Partial<Team> = {}): Team => ({
  id,
  name: `Team ${id}`,
  description: `About team ${id}`,
  members: 3,
  topics: [],
  ...change,
});

export const createMember = (id: number, change: Partial<Member> = {}): Member => ({
  id,
  username: `user${id}`,
  role: 'TECHNICIAN',
  status: 'ACTIVE',
  ...change,
});

export const teamPages =
  (teams: readonly Team[]): ((asked: Asked) => TeamPage) =>
  ({ query }) => ({ teams: pageOfRows(teams, query), ...pageFields(teams, query) });

export const memberPages =
  (members: readonly Member[]): ((asked: Asked) => MemberPage) =>
  ({ query }) => ({ members: pageOfRows(members, query), ...pageFields(members, query) });
