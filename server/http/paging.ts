/** Reading `page`, `limit` and `query` of a list: never an error, always within bounds. */
import { sql } from 'kysely';
import type { Expression, RawBuilder, SelectQueryBuilder, SqlBool } from 'kysely';
import { readInThread } from '../db/open';
import type { Database } from '../db/open';
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_QUERY } from '../../src/shared/contract/common';
import { foldCase } from '../../src/shared/case-fold';

const LAST_PAGE = 1_000_000_000;
/** PostgreSQL takes neither as text. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;

export interface Paging {
  page: number;
  limit: number;
  offset: number;
  /** What is searched for, each of them; folded. None for everything. */
  words: readonly string[];
}

export function readNumber(
  text: string | null,
  fallback: number,
  { least, most }: { least: number; most: number },
): number {
  const number = Math.trunc(Number(text ?? fallback));
  return Number.isNaN(number) ? fallback : Math.min(Math.max(number, least), most);
}

/** The searched words, folded; none for everything. */
export const readWords = (parameters: URLSearchParams): string[] =>
  foldCase((parameters.get('query') ?? '').slice(0, MAX_QUERY).replace(UNSTORABLE, ''))
    .split(/\s+/)
    .filter(Boolean);

/** As a part of a LIKE pattern that means just this text. */
const literal = (text: string): string => text.replace(/[\\%_]/g, (wildcard) => `\\${wildcard}`);

export function readPaging(parameters: URLSearchParams): Paging {
  const page = readNumber(parameters.get('page'), 1, { least: 1, most: LAST_PAGE });
  const limit = readNumber(parameters.get('limit'), DEFAULT_LIMIT, { least: 1, most: MAX_LIMIT });
  return { page, limit, offset: (page - 1) * limit, words: readWords(parameters) };
}

/** Whether each of the words is in one of the columns, which are folded; in whatever order. */
export function containsWords(
  words: readonly string[],
  ...columns: Expression<string | null>[]
): RawBuilder<SqlBool> {
  const each = words.map((word) => {
    const pattern = `%${literal(word)}%`;
    const anywhere = columns.map((column) => sql`${column} like ${pattern} escape '\\'`);
    return sql`(${sql.join(anywhere, sql` or `)})`;
  });
  return words.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`(${sql.join(each, sql` and `)})`;
}

/**
 * What a list says of its pages, of which these rows are one. Where they tell how many there are in
 * all, as in most searches, nothing is counted: that would read the whole table once more.
 */
export async function pagerOf<All, From extends keyof All>(
  rows: readonly unknown[],
  { page, limit, offset }: Paging,
  matching: SelectQueryBuilder<All, From, object>,
  db: Database,
): Promise<{ total: number; page: number; limit: number }> {
  if (rows.length < limit && (rows.length > 0 || offset === 0))
    return { total: offset + rows.length, page, limit };
  const counting = matching.select(sql`count(*)`.as('total')).$castTo<{ total: number }>();
  const [counted] = await readInThread(counting.compile(), db);
  return { total: counted?.total ?? 0, page, limit };
}
