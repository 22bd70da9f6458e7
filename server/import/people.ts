/** A file's lines as people to be added or subscribed, and what is wrong with the others. */
import * as v from 'valibot';
import type { Role } from '../../src/shared/contract';
import { nextTurn } from '../lib/loop';
import { HttpError } from '../http/errors';
import { foldCase } from '../../src/shared/case-fold';
import { emailAddress, username } from '../../src/shared/contract/fields';
import type { Column } from './heading';
import { findSeparator, readHeading } from './heading';
import type { FileRecord } from './records';
import { readRecords } from './records';
import type { TopicNames } from './topics';
import { splitTitles } from './topics';

/** In a file. */
export const MOST_PEOPLE = 10_000;
/** In a file: what is written in one transaction must not keep others waiting. */
export const MOST_SUBSCRIPTIONS = 30_000;
/** In a line: further ones help nobody to find what is wrong with it. */
const MOST_FAULTS = 20;
/** Milliseconds between two turns of others: a line may take as long as hundreds. */
const SLICE = 5;

export interface Problem {
  line: number;
  message: string;
}

/** Somebody as a line names them. */
export interface Wanted {
  line: number;
  username: string;
  usernameKey: string;
  email: string | null;
  emailKey: string | null;
  /** Null where it is left empty: CUSTOMER for who is new, any for who exists. */
  role: Role | null;
  topicIds: number[];
}

export interface FilePeople {
  /** All records but the heading. */
  rows: number;
  people: Wanted[];
  /** By line. */
  problems: Problem[];
}

/**
 * @param forAll a topic to which all of them are to be subscribed besides
 * @throws HttpError 400 for what is no such file
 */
export async function readPeople(
  text: string,
  names: TopicNames,
  forAll: number | undefined,
): Promise<FilePeople> {
  const { separator, skip } = findSeparator(text);
  const most = 1 + MOST_PEOPLE + 1;
  const { records, openAt } = await readRecords(text, { separator, skip, most });
  const [first, ...lines] = records;
  if (first === undefined) throw new HttpError(400, EMPTY);
  const heading = readHeading(first.cells);
  if ('refusal' in heading) throw new HttpError(400, heading.refusal);
  const rows = lines.length + (openAt === undefined ? 0 : 1);
  if (rows === 0) throw new HttpError(400, EMPTY);
  if (lines.length > MOST_PEOPLE) throw new HttpError(400, tooMany(lines.at(-1)?.line ?? 0));
  const reader = createReader({ columns: heading.columns, separator, names, forAll });
  let turn = performance.now();
  for (const record of lines) {
    if (performance.now() - turn > SLICE) {
      await nextTurn();
      turn = performance.now();
    }
    reader.read(record);
  }
  if (openAt !== undefined) reader.problems.push({ line: openAt, message: NEVER_CLOSED });
  return { rows, people: reader.people, problems: reader.problems };
}

const EMPTY =
  'There are no people in it: below the first line, which names the columns, is nothing.';
const NEVER_CLOSED = 'A quote begins here and is never closed.';
const ROLES = new Map<string, Role>([
  ['admin', 'ADMIN'],
  ['technician', 'TECHNICIAN'],
  ['customer', 'CUSTOMER'],
]);

const tooMany = (line: number): string =>
  `The file has more than ${MOST_PEOPLE.toLocaleString('en')} people: from line ${line.toLocaleString('en')} on they are too many. Import it in parts.`;

interface Meaning {
  columns: readonly Column[];
  separator: string;
  names: TopicNames;
  forAll: number | undefined;
}

/** Reads line after line: each is judged by those before it, too. */
function createReader({ columns, separator, names, forAll }: Meaning) {
  const people: Wanted[] = [];
  const problems: Problem[] = [];
  /** The lines in which names and addresses are. */
  const lineOf = { username: new Map<string, number>(), email: new Map<string, number>() };
  let subscriptions = 0;

  function once(kind: 'username' | 'email', key: string, shown: string, line: number): string[] {
    const before = lineOf[kind].get(key);
    if (before !== undefined) return [`“${shown}” is in line ${before} already.`];
    lineOf[kind].set(key, line);
    return [];
  }

  function read({ line, cells }: FileRecord): void {
    const faults: string[] = [];
    const cell = (column: Column): string => cells[columns.indexOf(column)]?.trim() ?? '';
    faults.push(...judgeLength(cells, columns.length, separator));
    const name = judge(username, cell('username'), faults);
    if (name?.includes('"')) faults.push('A quote in the username is out of place.');
    const usernameKey = foldCase(name ?? '');
    if (name !== undefined) faults.push(...once('username', usernameKey, name, line));
    const email =
      cell('email') === '' ? null : (judge(emailAddress, cell('email'), faults) ?? null);
    const emailKey = email === null ? null : foldCase(email);
    if (email !== null && emailKey !== null) faults.push(...once('email', emailKey, email, line));
    const typedRole = cell('role').slice(0, 40);
    const role = typedRole === '' ? null : ROLES.get(foldCase(typedRole));
    if (role === undefined)
      faults.push(`“${typedRole}” is no role. Use technician, customer or admin.`);
    const titles = new Set(splitTitles(cell('topics'), separator, names));
    if (titles.size > MOST_SUBSCRIPTIONS) throw new HttpError(400, tooManySubscriptions(line));
    const found = [...titles].map((title) => names.find(title));
    faults.push(...listSome(found.filter((one) => typeof one === 'string')));
    const ids = found.filter((one) => typeof one === 'number');
    const topicIds = [...new Set(forAll === undefined ? ids : [...ids, forAll])];
    subscriptions += topicIds.length;
    if (subscriptions > MOST_SUBSCRIPTIONS) throw new HttpError(400, tooManySubscriptions(line));
    if (faults.length > 0) problems.push({ line, message: faults.join(' ') });
    else if (name !== undefined && role !== undefined)
      people.push({ line, username: name, usernameKey, email, emailKey, role, topicIds });
  }
  return { people, problems, read };
}

const tooManySubscriptions = (line: number): string =>
  `The file has more than ${MOST_SUBSCRIPTIONS.toLocaleString('en')} subscriptions: from line ${line.toLocaleString('en')} on they are too many. Import it in parts.`;

/** Each once, and how many more there are. */
function listSome(sentences: readonly string[]): string[] {
  const all = [...new Set(sentences)];
  const more = all.length - MOST_FAULTS;
  return more > 0 ? [...all.slice(0, MOST_FAULTS), `And ${more} topics more.`] : all;
}

/** What the field's schema makes of it; what it says against it is noted. */
function judge(
  schema: v.GenericSchema<string, string>,
  text: string,
  faults: string[],
): string | undefined {
  const result = v.safeParse(schema, text, { abortPipeEarly: true });
  if (result.success) return result.output;
  faults.push(...result.issues.map(({ message }) => message));
  return undefined;
}

/** Cells at the end may be missing, as Excel leaves them out below its sixteenth line, or be empty. */
function judgeLength(cells: readonly string[], columns: number, separator: string): string[] {
  if (cells.slice(columns).every((cell) => cell.trim() === '')) return [];
  const hint = separator === '\t' ? '' : ` A text with “${separator}” in it must be in quotes.`;
  return [`The line has ${cells.length} cells, and the first line ${columns}.${hint}`];
}
