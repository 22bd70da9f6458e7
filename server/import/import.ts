import type { ColumnUse, Imported, Invitation } from '../../src/shared/contract';
import type { Language } from '../../src/shared/languages';
import { databaseFault } from '../db/errors';
import { yieldToEventLoop } from '../lib/loop';
import type { Transact } from '../http/access/authority';
import { HttpError, conflictError } from '../http/errors';
import type { Services } from '../services';
import type { OneTimeLink } from '../accounts/one-time-tokens';
import { createOneTimeLink } from '../accounts/one-time-tokens';
import { describeMailSetup } from '../accounts/invitations';
import { buildRegistrationLink } from '../accounts/registration/invitation';
import { NO_SUCH_TOPIC } from '../topics/topics';
import { countMemberships, countSubscriptions, planImport } from './compare';
import type { ImportPlan } from './compare';
import { readPeople } from './people';
import type { FilePeople } from './people';
import { MAX_LISTED_NEW_TEAMS } from './teams';
import { readTopicNames } from './topics';
import type { TopicNames } from './topics';
import { StaleImportPlanError, prepareImport, writeImportPlan } from './write-import';
import type { AddedPerson } from './write-import';
import { toTime } from '../lib/clock';

interface ImportRequest {
  text: string;
  isDry: boolean;
  topicId: number | undefined;
  /** What each column contains; undefined to find out by name. */
  columns: readonly ColumnUse[] | undefined;
  /** The language of the new people's invitations. */
  invitationLanguage: Language | undefined;
  /** The language of error messages. */
  language: Language;
}

/** An import holds this lock, so that a simultaneous import retries. */
const IMPORT_LOCK = 'import';
const MAX_IMPORT_TRIES = 3;
const ROWS_PER_SLICE = 100;

/**
 * Prepares before the transaction: SQLite has one writer. A change by others in between makes it
 * retry.
 * @throws HttpError 400, or 409 if others keep changing the same people
 */
export async function importPeople(
  { text, isDry, topicId, columns, invitationLanguage, language }: ImportRequest,
  transact: Transact,
  services: Services,
): Promise<Imported> {
  for (let tries = 1; ; tries += 1) {
    const names = await readTopicNames(services.db);
    await requireTopic(topicId, services);
    const file = await readPeople(text, names, topicId, columns, language);
    const plan = await planImport(file, services.db, language);
    if (isDry || isFaulty(file, plan) || isEmpty(plan))
      return { ...describeImport(file, plan), ...describeMailSetup(services.config) };
    try {
      return await writePlan({ file, plan, names, invitationLanguage }, transact, services);
    } catch (error) {
      if (!isConflictWithOthers(error)) throw error;
      if (tries === MAX_IMPORT_TRIES)
        throw conflictError(
          'Someone else changed the same people at the same time. Please try again.',
        );
    }
  }
}

function isConflictWithOthers(error: unknown): boolean {
  const fault = databaseFault(error);
  return (
    error instanceof StaleImportPlanError || fault === 'duplicate' || fault === 'missing-reference'
  );
}

async function requireTopic(id: number | undefined, { db }: Services): Promise<void> {
  if (id === undefined) return;
  const query = db.selectFrom('topics').select('id').where('id', '=', id);
  if ((await query.executeTakeFirst()) === undefined) throw new HttpError(400, NO_SUCH_TOPIC);
}

const isEmpty = ({ added, subscribed }: ImportPlan): boolean =>
  added.length + subscribed.length === 0;
const isFaulty = (file: FilePeople, plan: ImportPlan): boolean =>
  file.problems.length + plan.problems.length > 0;

async function writePlan(
  {
    file,
    plan,
    names,
    invitationLanguage,
  }: {
    file: FilePeople;
    plan: ImportPlan;
    names: TopicNames;
    invitationLanguage: Language | undefined;
  },
  transact: Transact,
  services: Services,
): Promise<Imported> {
  const preparedPeople = prepareImport(plan, await createLinks(plan.added.length, services));
  const nameLookups = {
    titleOf: names.titleOf,
    nameOf: (key: string) => file.teams.get(key) ?? key,
  };
  const now = services.now();
  await yieldToEventLoop();
  const people = await transact(
    (transaction) =>
      writeImportPlan(preparedPeople, nameLookups, transaction, {
        now,
        language: invitationLanguage,
      }),
    {
      lock: IMPORT_LOCK,
    },
  );
  if (people.length > 0) services.wakeMail();
  const links: Invitation[] = [];
  for (const [index, counts] of people.entries()) {
    // Let requests run that waited for the transaction.
    if (index % ROWS_PER_SLICE === 0) await yieldToEventLoop();
    links.push(sendInvitations(counts, now, services));
  }
  return { ...describeImport(file, plan), links, ...describeMailSetup(services.config) };
}

/** Links are created before the transaction, because each takes two hashes. */
async function createLinks(count: number, services: Services): Promise<OneTimeLink[]> {
  const links: OneTimeLink[] = [];
  for (let createdCount = 0; createdCount < count; createdCount += 1) {
    if (createdCount % ROWS_PER_SLICE === 0) await yieldToEventLoop();
    links.push(createOneTimeLink('registration', services));
  }
  return links;
}

const describeImport = ({ rows, problems }: FilePeople, plan: ImportPlan): Imported => ({
  rows,
  created: plan.added.length,
  subscribed: countSubscriptions(plan),
  ...describeTeams(plan),
  unchanged: plan.unchanged,
  errors: [...problems, ...plan.problems].sort((a, b) => a.line - b.line),
  links: [],
});

const describeTeams = (plan: ImportPlan): Pick<Imported, 'joined' | 'newTeams'> => {
  const joinedCount = countMemberships(plan);
  const newTeams = plan.newTeams.slice(0, MAX_LISTED_NEW_TEAMS).map(({ name }) => name);
  return {
    ...(joinedCount > 0 && { joined: joinedCount }),
    ...(newTeams.length > 0 && { newTeams }),
  };
};

const sendInvitations = (
  { id, username, email, link }: AddedPerson,
  now: number,
  { config }: Services,
): Invitation => ({
  id,
  username,
  email,
  registrationLink: buildRegistrationLink(link.token, config),
  expiresAt: toTime(link.expiresAt),
  mail: email === null ? 'none' : 'waiting',
  openedAt: null,
  importedAt: toTime(now),
});
