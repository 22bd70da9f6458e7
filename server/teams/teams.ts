import type { Transaction } from 'kysely';
import type { Team, TeamPage } from '../../src/shared/contract';
import { foldCase } from '../../src/shared/case-fold';
import { removeInvisible } from '../../src/shared/contract/fields';
import { recordAudit } from '../audit/record-audit';
import { MESSAGE_JOB } from '../db/jobs/kinds';
import { idList } from '../db/json-table';
import { lockForUpdate, lockForShare } from '../db/lock';
import type { Database } from '../db/open';
import type { Tables, TeamRow } from '../db/schema';
import { conflictError, notFoundError } from '../http/errors';
import { claimOrReadResponse, storeResponse } from '../http/idempotency';
import type { IdempotentRequest } from '../http/idempotency';
import { byNameMatch, containsWords, readPageFields } from '../http/paging';
import type { Paging } from '../http/paging';
import { countedNoun } from '../lib/counted-noun';
import { unknownIdsError } from '../subscriptions/bulk-subscriptions';
import { removeUnsupportedSubscriptions } from '../memberships/subscribe-members';
import { NO_SUCH_TEAM } from '../memberships/teams-of-people';

interface TeamFields {
  name: string;
  /** If this field is absent, the team keeps its description. */
  description?: string;
}

/**
 * Lists teams by name, in a search those whose name matches first. Each searched word may be in the
 * name or the description.
 */
export async function listTeams(paging: Paging, db: Database): Promise<TeamPage> {
  const { limit, offset, words } = paging;
  const teamsQuery = db
    .selectFrom('teams')
    .where(({ ref }) => containsWords(words, ref('search_key')));
  const rows = await teamsQuery
    .selectAll()
    .$if(words.length > 0, (search) =>
      search.orderBy(({ ref }) => byNameMatch(words, ref('name_key'))),
    )
    .orderBy('name_key')
    .limit(limit)
    .offset(offset)
    .execute();
  return {
    teams: await describeTeams(rows, db),
    ...(await readPageFields(rows, paging, teamsQuery, db)),
  };
}

/** @throws HttpError 404 */
export async function requireTeam(id: number, db: Database): Promise<TeamRow> {
  const row = await db.selectFrom('teams').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFoundError(NO_SUCH_TEAM);
  return row;
}

/** @throws HttpError 404 */
export const readTeam = async (id: number, db: Database): Promise<Team> =>
  describeOne(await requireTeam(id, db), db);

/**
 * A repeat returns the same team, as it was then.
 * @throws HttpError 409
 */
export async function addTeam(
  { name, description = '' }: TeamFields,
  request: IdempotentRequest | undefined,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Team> {
  const storedResponse = await claimOrReadResponse(request, transaction, now);
  if (storedResponse !== undefined) return JSON.parse(storedResponse) as Team;
  await requireFree(name, undefined, transaction);
  const row = await transaction
    .insertInto('teams')
    .values({ ...toValues(name, description), created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
  const team = await describeOne(row, transaction);
  await recordAudit({ action: 'team.add', on: row.name }, transaction);
  await storeResponse(request, JSON.stringify(team), transaction);
  return team;
}

/** @throws HttpError 404, 409 */
export async function changeTeam(
  id: number,
  { name, description }: TeamFields,
  transaction: Transaction<Tables>,
): Promise<Team> {
  const formerTeam = await requireTeam(id, transaction);
  await requireFree(name, id, transaction);
  const row = await transaction
    .updateTable('teams')
    .set(toValues(name, description ?? formerTeam.description))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const detail = formerTeam.name === name ? {} : { detail: `Formerly ${formerTeam.name}` };
  await recordAudit({ action: 'team.change', on: row.name, ...detail }, transaction);
  return describeOne(row, transaction);
}

/** Equal for names that look the same. */
export const teamNameKey = (name: string): string => foldCase(removeInvisible(name));

const toValues = (name: string, description: string) => ({
  name,
  name_key: teamNameKey(name),
  description,
  search_key: foldCase(`${name}\n${description}`),
});

/** The caller holds `TEAMS_LOCK`, so the name stays free. */
async function requireFree(
  name: string,
  ownId: number | undefined,
  transaction: Transaction<Tables>,
): Promise<void> {
  const otherTeam = await transaction
    .selectFrom('teams')
    .select(['id', 'name'])
    .where('name_key', '=', teamNameKey(name))
    .executeTakeFirst();
  if (otherTeam !== undefined && otherTeam.id !== ownId)
    throw conflictError(
      `There is already a team “${otherTeam.name}”. Please choose another name.`,
      'name',
    );
}

/**
 * Ends subscriptions that only this team gave. Scheduled messages then skip the team.
 * @throws HttpError 404, 409
 */
export async function deleteTeam(id: number, transaction: Transaction<Tables>): Promise<void> {
  const teamQuery = transaction.selectFrom('teams').selectAll().where('id', '=', id);
  const team = await lockForUpdate(teamQuery, transaction).executeTakeFirst();
  if (team === undefined) throw notFoundError(NO_SUCH_TEAM);
  await requireUnsent(id, transaction);
  const members = (await countMembers([id], transaction)).get(id) ?? 0;
  const topics = await transaction
    .deleteFrom('team_topics')
    .where('team_id', '=', id)
    .returning('topic_id')
    .execute();
  const topicIds = topics.map(({ topic_id }) => topic_id);
  await removeUnsupportedSubscriptions({ topicIds, teamIds: [id] }, transaction);
  await transaction.deleteFrom('teams').where('id', '=', id).execute();
  const detail = countedNoun(members, 'member');
  await recordAudit({ action: 'team.delete', on: team.name, detail }, transaction);
}

/**
 * Locks teams against deletion.
 * @returns the names.
 * @throws HttpError 400 with unknown ids
 */
export async function lockTeams(
  ids: readonly number[],
  transaction: Transaction<Tables>,
): Promise<Map<number, string>> {
  const teamIds = [...new Set(ids)];
  if (teamIds.length === 0) return new Map();
  const teams = transaction
    .selectFrom('teams')
    .select(['id', 'name'])
    .where('id', 'in', idList(teamIds));
  const rows = await lockForShare(teams.orderBy('id'), transaction).execute();
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  if (names.size < teamIds.length) throw unknownIdsError('team', teamIds, names);
  return names;
}

/** Delays deletions until this transaction ends, so that they see what it has begun. */
export async function delayTeamDeletions(
  ids: readonly number[] | undefined,
  transaction: Transaction<Tables>,
): Promise<void> {
  if (ids === undefined) return;
  const teams = transaction.selectFrom('teams').select('id').where('id', 'in', idList(ids));
  await lockForShare(teams.orderBy('id'), transaction).execute();
}

/**
 * A half-written message would miss the rest of the team.
 * @throws HttpError 409
 */
async function requireUnsent(id: number, transaction: Transaction<Tables>): Promise<void> {
  const rows = await transaction
    .selectFrom('jobs')
    .innerJoin('messages', 'messages.id', 'jobs.subject')
    .where('jobs.kind', '=', MESSAGE_JOB)
    .where('messages.state', '=', 'writing')
    .select('messages.audience')
    .execute();
  const isBeingSent = rows.some(({ audience }) =>
    (JSON.parse(audience) as { teamIds?: number[] }).teamIds?.includes(id),
  );
  if (isBeingSent)
    throw conflictError('A message to this team is being sent. Please try again in a minute.');
}

async function describeOne(row: TeamRow, db: Database): Promise<Team> {
  const [team] = await describeTeams([row], db);
  if (team === undefined) throw notFoundError(NO_SUCH_TEAM);
  return team;
}

async function describeTeams(rows: readonly TeamRow[], db: Database): Promise<Team[]> {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const counts = await countMembers(ids, db);
  const topics = await db
    .selectFrom('team_topics')
    .innerJoin('topics', 'topics.id', 'team_topics.topic_id')
    .where('team_topics.team_id', 'in', ids)
    .select(['team_topics.team_id', 'topics.id', 'topics.title'])
    .orderBy('topics.search_key')
    .execute();
  const teams = new Map(
    rows.map(({ id, name, description }): [number, Team] => [
      id,
      { id, name, description, members: counts.get(id) ?? 0, topics: [] },
    ]),
  );
  for (const { team_id, id, title } of topics) teams.get(team_id)?.topics.push({ id, title });
  return [...teams.values()];
}

export async function countMembers(
  ids: readonly number[],
  db: Database,
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('team_members')
    .where('team_id', 'in', ids)
    .groupBy('team_id')
    .select(({ fn }) => ['team_id', fn.countAll<number>().as('members')])
    .execute();
  return new Map(rows.map(({ team_id, members }) => [team_id, Number(members)]));
}
