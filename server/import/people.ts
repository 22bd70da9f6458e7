import * as v from 'valibot';
import type { ColumnUse, Role } from '../../src/shared/contract';
import { yieldToEventLoop } from '../lib/loop';
import { HttpError } from '../http/errors';
import { foldCase } from '../../src/shared/case-fold';
import { emailAddressSchema, usernameSchema } from '../../src/shared/contract/fields';
import type { ImportColumn } from './column-names';
import { findSeparator, readHeading } from './heading';
import type { FileRecord } from './records';
import { readRecords } from './records';
import { teamNameKey } from '../teams/teams';
import { MAX_IMPORTED_MEMBERSHIPS, MAX_IMPORTED_TEAMS, splitTeams, teamNameRule } from './teams';
import type { TeamNames } from './teams';
import type { TopicNames } from './topics';
import type { Language } from '../../src/shared/languages';
import { translateSentences } from '../translation/translate';
import { splitTitles } from './topics';

/** The most people that one file may list. */
export const MAX_IMPORTED_PEOPLE = 10_000;
/** The most subscriptions that one file may add, to bound the transaction. */
export const MAX_IMPORTED_SUBSCRIPTIONS = 30_000;
const MAX_REPORTED_FAULTS = 20;
/** Milliseconds until other work runs: one line may take as long as hundreds. */
const SLICE_MS = 5;

export interface ImportProblem {
  line: number;
  message: string;
}

export interface ImportedPerson {
  line: number;
  username: string;
  usernameKey: string;
  email: string | null;
  emailKey: string | null;
  /** Null if left empty: CUSTOMER for a new person, any role for an existing person. */
  role: Role | null;
  topicIds: number[];
  /** The folded names of the person's teams. */
  teamKeys: string[];
}

export interface FilePeople {
  rows: number;
  people: ImportedPerson[];
  teams: TeamNames;
  problems: ImportProblem[];
}

export async function readPeople(
  text: string,
  names: TopicNames,
  forAll: number | undefined,
  chosenColumns: readonly ColumnUse[] | undefined,
  language: Language,
): Promise<FilePeople> {
  const { separator, skip } = findSeparator(text);
  const max = 1 + MAX_IMPORTED_PEOPLE + 1;
  const { records, openAt } = await readRecords(text, { separator, skip, max });
  const [headingRecord, ...lineRecords] = records;
  if (headingRecord === undefined) throw new HttpError(400, NO_PEOPLE);
  const columns = readHeading(headingRecord.cells, chosenColumns);
  const rows = lineRecords.length + (openAt === undefined ? 0 : 1);
  if (rows === 0) throw new HttpError(400, NO_PEOPLE);
  if (lineRecords.length > MAX_IMPORTED_PEOPLE)
    throw new HttpError(400, tooManyPeopleText(lineRecords.at(-1)?.line ?? 0));
  const reader = createReader({ columns, separator, names, forAll, language });
  let sliceStartedAt = performance.now();
  for (const record of lineRecords) {
    if (performance.now() - sliceStartedAt > SLICE_MS) {
      await yieldToEventLoop();
      sliceStartedAt = performance.now();
    }
    reader.read(record);
  }
  if (openAt !== undefined)
    reader.problems.push({ line: openAt, message: translateSentences([NEVER_CLOSED], language) });
  return { rows, people: reader.people, teams: reader.teams, problems: reader.problems };
}

const NO_PEOPLE = 'The file has no people. Add them below the first line, which names the columns.';
const NEVER_CLOSED = 'A quotation mark on this line is never closed.';
const ROLE_BY_NAME = new Map<string, Role>([
  ['admin', 'ADMIN'],
  ['technician', 'TECHNICIAN'],
  ['customer', 'CUSTOMER'],
]);

const tooManyPeopleText = (line: number): string =>
  `The file has more than ${MAX_IMPORTED_PEOPLE.toLocaleString('en')} people. Import it in parts: split it before line ${line.toLocaleString('en')}.`;

interface FileContext {
  columns: readonly ColumnUse[];
  separator: string;
  names: TopicNames;
  forAll: number | undefined;
  language: Language;
}

/** Reads lines one by one, because each line is also checked against the earlier lines. */
function createReader({ columns, separator, names, forAll, language }: FileContext) {
  const people: ImportedPerson[] = [];
  const problems: ImportProblem[] = [];
  const firstLineByValue = {
    username: new Map<string, number>(),
    email: new Map<string, number>(),
  };
  const teams: TeamNames = new Map();
  let [subscriptions, memberships] = [0, 0];

  function findRepeatedValue(
    kind: 'username' | 'email',
    key: string,
    shownValue: string,
    line: number,
  ): string[] {
    const earlierLine = firstLineByValue[kind].get(key);
    if (earlierLine !== undefined) return [`“${shownValue}” is already on line ${earlierLine}.`];
    firstLineByValue[kind].set(key, line);
    return [];
  }

  /** @throws HttpError 400 if the file has too many */
  function readTeams(cell: string, line: number, faults: string[]): string[] {
    const keys = new Set<string>();
    for (const typedName of splitTeams(cell)) {
      const name = readCell(teamNameRule, typedName, faults);
      if (name === undefined) break;
      const key = teamNameKey(name);
      keys.add(key);
      if (!teams.has(key)) teams.set(key, name);
      if (teams.size > MAX_IMPORTED_TEAMS)
        throw new HttpError(400, describeTooMany(MAX_IMPORTED_TEAMS, 'teams', line));
    }
    memberships += keys.size;
    if (memberships > MAX_IMPORTED_MEMBERSHIPS)
      throw new HttpError(400, describeTooMany(MAX_IMPORTED_MEMBERSHIPS, 'team memberships', line));
    return [...keys];
  }

  function readPerson({ line, cells }: FileRecord): void {
    const faults: string[] = [];
    const cell = (column: ImportColumn): string => cells[columns.indexOf(column)]?.trim() ?? '';
    faults.push(...findLengthFaults(cells, columns.length, separator));
    const name = readCell(usernameSchema, cell('username'), faults);
    if (name?.includes('"')) faults.push('The username must not contain a quotation mark.');
    const usernameKey = foldCase(name ?? '');
    if (name !== undefined) faults.push(...findRepeatedValue('username', usernameKey, name, line));
    const email =
      cell('email') === '' ? null : (readCell(emailAddressSchema, cell('email'), faults) ?? null);
    const emailKey = email === null ? null : foldCase(email);
    if (email !== null && emailKey !== null)
      faults.push(...findRepeatedValue('email', emailKey, email, line));
    const typedRole = cell('role').slice(0, 40);
    const role = typedRole === '' ? null : ROLE_BY_NAME.get(foldCase(typedRole));
    if (role === undefined)
      faults.push(`“${typedRole}” is not a role. Use technician, customer or admin.`);
    const titles = new Set(splitTitles(cell('topics'), separator, names));
    if (titles.size > MAX_IMPORTED_SUBSCRIPTIONS)
      throw new HttpError(400, tooManySubscriptionsText(line));
    const topics = [...titles].map((title) => names.find(title));
    faults.push(...listSome(topics.filter((topic) => typeof topic === 'string')));
    const ids = topics.filter((topic) => typeof topic === 'number');
    const topicIds = [...new Set(forAll === undefined ? ids : [...ids, forAll])];
    subscriptions += topicIds.length;
    if (subscriptions > MAX_IMPORTED_SUBSCRIPTIONS)
      throw new HttpError(400, tooManySubscriptionsText(line));
    const teamKeys = readTeams(cell('teams'), line, faults);
    if (faults.length > 0) problems.push({ line, message: translateSentences(faults, language) });
    else if (name !== undefined && role !== undefined)
      people.push({ line, username: name, usernameKey, email, emailKey, role, topicIds, teamKeys });
  }
  return { people, teams, problems, read: readPerson };
}

const describeTooMany = (max: number, noun: string, line: number): string =>
  `The file has more than ${max.toLocaleString('en')} ${noun}. Import it in parts: split it before line ${line.toLocaleString('en')}.`;
const tooManySubscriptionsText = (line: number): string =>
  describeTooMany(MAX_IMPORTED_SUBSCRIPTIONS, 'subscriptions', line);

/** Removes repeats, and cuts the list after a few. */
function listSome(sentences: readonly string[]): string[] {
  const faults = [...new Set(sentences)];
  const hiddenCount = faults.length - MAX_REPORTED_FAULTS;
  return hiddenCount > 0
    ? [
        ...faults.slice(0, MAX_REPORTED_FAULTS),
        `${hiddenCount} more ${hiddenCount === 1 ? 'topic' : 'topics'} could not be identified.`,
      ]
    : faults;
}

function readCell(
  schema: v.GenericSchema<string, string>,
  text: string,
  faults: string[],
): string | undefined {
  const result = v.safeParse(schema, text, { abortPipeEarly: true });
  if (result.success) return result.output;
  faults.push(...result.issues.map(({ message }) => message));
  return undefined;
}

/** Excel may leave out empty cells at the end, or add some. */
function findLengthFaults(cells: readonly string[], columns: number, separator: string): string[] {
  if (cells.slice(columns).every((cell) => cell.trim() === '')) return [];
  const hint = separator === '\t' ? '' : ` Put text that contains “${separator}” in quotes.`;
  return [`The line has ${cells.length} cells, but the first line has ${columns}.${hint}`];
}
