import type { Database } from '../db/open';
import { foldCase } from '../../src/shared/case-fold';
import { findSimilarWord } from '../lib/similar-word';

/** Suggestions are slow, so only the first unknown titles get a suggestion. */
const MAX_SUGGESTIONS = 100;
/** The more topics there are, the fewer unknown titles get a suggestion. */
const MAX_TITLE_COMPARISONS = 20_000;
/** The longest title (`topics/routes.ts`) in UTF-16 units. */
const MAX_TITLE_LENGTH = 400;

export interface TopicNames {
  find(title: string): number | string;
  has(title: string): boolean;
  titleOf(id: number): string;
}

/** Ignores case and width, unless titles differ in nothing else. */
export async function readTopicNames(db: Database): Promise<TopicNames> {
  const rows = await db.selectFrom('topics').select(['id', 'title']).orderBy('id').execute();
  const exact = groupBy(rows, ({ title }) => title.trim());
  const byFoldedTitle = groupBy(rows, ({ title }) => foldCase(title.trim()));
  const titles = new Map(rows.map(({ id, title }) => [id, title]));
  const hints = new Map<string, string | undefined>();
  const hintFor = (key: string): string | undefined => {
    if (
      !hints.has(key) &&
      hints.size < Math.min(MAX_SUGGESTIONS, MAX_TITLE_COMPARISONS / byFoldedTitle.size)
    ) {
      const [similar] = byFoldedTitle.get(findSimilarWord(key, byFoldedTitle.keys()) ?? '') ?? [];
      hints.set(key, similar?.title.trim());
    }
    return hints.get(key);
  };
  return {
    titleOf: (id) => titles.get(id) ?? '',
    has: (title) => title.length <= MAX_TITLE_LENGTH && byFoldedTitle.has(foldCase(title)),
    find(title) {
      const key = foldCase(title.slice(0, MAX_TITLE_LENGTH));
      const matches =
        exact.get(title) ?? (title.length <= MAX_TITLE_LENGTH ? byFoldedTitle.get(key) : undefined);
      const [topic, secondMatch] = matches ?? [];
      if (topic !== undefined && secondMatch === undefined) return topic.id;
      if (topic !== undefined)
        return `“${title}” matches ${matches?.length} topics. Rename one of them, or use its exact capitalization.`;
      const similarTitle = hintFor(key);
      const hint = similarTitle === undefined ? '' : ` Did you mean “${similarTitle}”?`;
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

/** Semicolons or line ends separate titles; a title that contains one is recognized as a whole. */
export function splitTitles(cell: string, separator: string, names: TopicNames): string[] {
  const splitUnlessTitle = (text: string, by: RegExp): string[] => {
    if (names.has(text)) return [text];
    return text
      .split(by)
      .map((part) => part.trim())
      .filter((part) => part !== '');
  };
  const titles = splitUnlessTitle(cell.trim(), /[;\r\n]/);
  return separator === ',' ? titles : titles.flatMap((title) => splitUnlessTitle(title, /,/));
}
