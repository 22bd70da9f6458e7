import type { Language } from '../../src/shared/languages';
import { translateSentences } from '../translation/translate';
import { sql } from 'kysely';
import type { Role } from '../../src/shared/contract';
import type { Database } from '../db/open';
import { idList, jsonTableOfList } from '../db/json-table';
import type { FilePeople, ImportProblem, ImportedPerson } from './people';
import { planTeams } from './teams';

interface ExistingUser {
  id: number;
  username_key: string;
  email_key: string | null;
  role: Role;
}

interface ExistingPerson {
  id: number;
  topicIds: number[];
  teamKeys: string[];
}

export interface ImportPlan {
  added: ImportedPerson[];
  /** Existing people, and the topics and teams that they lack. */
  subscribed: ExistingPerson[];
  newTeams: { key: string; name: string }[];
  unchanged: number;
  problems: ImportProblem[];
}

export const countSubscriptions = ({ added, subscribed }: ImportPlan): number =>
  [...added, ...subscribed].reduce((sum, { topicIds }) => sum + topicIds.length, 0);

export const countMemberships = ({ added, subscribed }: ImportPlan): number =>
  [...added, ...subscribed].reduce((sum, { teamKeys }) => sum + teamKeys.length, 0);

export async function planImport(
  { people, teams }: Pick<FilePeople, 'people' | 'teams'>,
  db: Database,
  language: Language,
): Promise<ImportPlan> {
  const byName = new Map(
    (await findKnown('username_key', people, db)).map((person) => [person.username_key, person]),
  );
  const byEmail = new Map(
    (await findKnown('email_key', people, db)).map((person) => [person.email_key, person]),
  );
  const plan: ImportPlan = { added: [], subscribed: [], newTeams: [], unchanged: 0, problems: [] };
  const existingPeople: ExistingPerson[] = [];
  for (const importedPerson of people) {
    const existingUser = byName.get(importedPerson.usernameKey);
    const emailOwner =
      importedPerson.emailKey === null ? undefined : byEmail.get(importedPerson.emailKey);
    const faults = [
      ...(existingUser ? differingFields(importedPerson, existingUser) : []),
      ...(emailOwner && emailOwner.id !== existingUser?.id
        ? [`Another user has the email address “${importedPerson.email}”.`]
        : []),
    ];
    if (faults.length > 0)
      plan.problems.push({
        line: importedPerson.line,
        message: translateSentences(faults, language),
      });
    else if (existingUser === undefined) plan.added.push(importedPerson);
    else
      existingPeople.push({
        id: existingUser.id,
        topicIds: importedPerson.topicIds,
        teamKeys: importedPerson.teamKeys,
      });
  }
  const ids = existingPeople.map(({ id }) => id);
  const formerSubscriptions = await readSubscriptions(ids, db);
  const ofTeams = await planTeams(teams, ids, db);
  plan.newTeams = ofTeams.added;
  for (const { id, ...importedFields } of existingPeople) {
    const topicIds = importedFields.topicIds.filter(
      (topicId) => !formerSubscriptions.has(`${id} ${topicId}`),
    );
    const teamKeys = importedFields.teamKeys.filter(
      (key) => !ofTeams.existingMemberships.has(`${id} ${key}`),
    );
    if (topicIds.length + teamKeys.length === 0) plan.unchanged += 1;
    else plan.subscribed.push({ id, topicIds, teamKeys });
  }
  return plan;
}

const ROLE_LABELS: Record<Role, string> = {
  ADMIN: 'an admin',
  TECHNICIAN: 'a technician',
  CUSTOMER: 'a customer',
};

/** An import changes no existing person: what the file says about them must be true. */
function differingFields(
  { username, role, emailKey }: ImportedPerson,
  existingPerson: ExistingUser,
): string[] {
  const faults: string[] = [];
  if (role !== null && role !== existingPerson.role)
    faults.push(
      `“${username}” already exists as ${ROLE_LABELS[existingPerson.role]}. Change the role in Users.`,
    );
  if (emailKey !== null && emailKey !== existingPerson.email_key)
    faults.push(
      `“${username}” already exists with ${existingPerson.email_key === null ? 'no' : 'a different'} email address. Leave the email empty on this line.`,
    );
  return faults;
}

async function findKnown(
  column: 'username_key' | 'email_key',
  people: readonly ImportedPerson[],
  db: Database,
): Promise<ExistingUser[]> {
  const keys = people.map((person) =>
    column === 'username_key' ? person.usernameKey : person.emailKey,
  );
  const keyRows = keys.filter((key) => key !== null).map((key) => [key]);
  if (keyRows.length === 0) return [];
  // Joins by the column, so that the database uses its index for any number of names.
  const { rows } = await sql<ExistingUser>`select users.id, username_key, email_key, role
    from (select value->>0 as wanted from ${jsonTableOfList(keyRows)}) as given
    inner join users on users.${sql.ref(column)} = given.wanted`.execute(db);
  return rows;
}

/** Reads subscriptions by name: what a team gives ends with the team. */
async function readSubscriptions(userIds: number[], db: Database): Promise<Set<string>> {
  if (userIds.length === 0) return new Set();
  const { rows } = await sql<{ user_id: number; topic_id: number }>`select user_id, topic_id
    from ${idList(userIds)} as given
    inner join subscriptions on subscriptions.user_id = given.id and by_name = 1`.execute(db);
  return new Set(rows.map(({ user_id, topic_id }) => `${user_id} ${topic_id}`));
}
