/** Topics by what people call them. */
import type { Database } from '../db/open';
import { foldCase } from '../../src/shared/case-fold';
import { findLikely } from './likely';

/** Looking for what was meant takes a moment for each unknown word: for the first so many. */
const MOST_HINTS = 100;
/** Comparing it with so many titles takes longest: of more topics fewer unknown words get a hint. */
const MOST_COMPARED = 20_000;
/** As many letters as a title has at most (`topics/routes.ts`), each of two units at most. */
const MOST_UNITS = 400;

export interface TopicNames {
  /** @returns its id, or a sentence that says why there is none */
  find(title: string): number | string;
  has(title: string): boolean;
  /** Of a topic that there is. */
  titleOf(id: number): string;
}

/** All topics there are. Case and width do not matter, unless titles differ in nothing else. */
export async function readTopicNames(db: Database): Promise<TopicNames> {
  const rows = await db.selectFrom('topics').select(['id', 'title']).orderBy('id').execute();
  const exact = groupBy(rows, ({ title }) => title.trim());
  const folded = groupBy(rows, ({ title }) => foldCase(title.trim()));
  const titles = new Map(rows.map(({ id, title }) => [id, title]));
  const hints = new Map<string, string | undefined>();
  const hintFor = (key: string): string | undefined => {
    if (!hints.has(key) && hints.size < Math.min(MOST_HINTS, MOST_COMPARED / folded.size)) {
      const [found] = folded.get(findLikely(key, folded.keys()) ?? '') ?? [];
      hints.set(key, found?.title.trim());
    }
    return hints.get(key);
  };
  return {
    titleOf: (id) => titles.get(id) ?? '',
    has: (title) => title.length <= MOST_UNITS && folded.has(foldCase(title)),
    find(title) {
      const key = foldCase(title.slice(0, MOST_UNITS));
      const found = exact.get(title) ?? (title.length <= MOST_UNITS ? folded.get(key) : undefined);
      const [topic, another] = found ?? [];
      if (topic !== undefined && another === undefined) return topic.id;
      if (topic !== undefined) return `There are ${found?.length} topics called “${title}”.`;
      const likely = hintFor(key);
      const hint = likely === undefined ? '' : ` Did you mean “${likely}”?`;
      return `The topic “${title.slice(0, 100)}” does not exist.${hint}`;
    },
  };
}

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

/**
 * The titles in a cell. Semicolons are between them, or line ends; where columns are separated by
 * something else than commas, commas, too. A title that has one of these itself is known as a whole.
 */
export function splitTitles(cell: string, separator: string, names: TopicNames): string[] {
  const split = (text: string, by: RegExp): string[] => {
    if (names.has(text)) return [text];
    return text
      .split(by)
      .map((part) => part.trim())
      .filter((part) => part !== '');
  };
  const titles = split(cell.trim(), /[;\r\n]/);
  return separator === ',' ? titles : titles.flatMap((title) => split(title, /,/));
}
