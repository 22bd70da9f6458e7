import type { Member, MemberPage, Team, TeamPage } from '../../../../src/shared/contract';
import { pageFields, pageOfRows } from './people';

type PageRequest = { query: Record<string, string> };

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
  (teams: readonly Team[]): ((request: PageRequest) => TeamPage) =>
  ({ query }) => ({ teams: pageOfRows(teams, query), ...pageFields(teams, query) });

export const memberPages =
  (members: readonly Member[]): ((request: PageRequest) => MemberPage) =>
  ({ query }) => ({ members: pageOfRows(members, query), ...pageFields(members, query) });
