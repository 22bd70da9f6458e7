/** Reads `page`, `limit` and `query` of a list: always within bounds, never an error. Options are. */
import { sql } from 'kysely';
import type { Expression, RawBuilder, SelectQueryBuilder, SqlBool } from 'kysely';
import { queryInReadThread } from '../db/open';
import type { Database } from '../db/open';
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_QUERY } from '../../src/shared/contract/common';
import { foldCase } from '../../src/shared/case-fold';
import { HttpError } from './errors';

const LAST_PAGE = 1_000_000_000;
/** PostgreSQL rejects both in text. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;

/** A text of the query, up to the length of a search, without what a database rejects. */
export const readQueryText = (parameters: URLSearchParams, name: string): string =>
  (parameters.get(name) ?? '').slice(0, MAX_QUERY).replace(UNSTORABLE, '');

export interface Paging {
  page: number;
  limit: number;
  offset: number;
  /** Searched words, folded; empty matches everything. */
  words: readonly string[];
}

export function readNumber(
  text: string | null,
  fallback: number,
  { min, max }: { min: number; max: number },
): number {
  const number = Math.trunc(Number(text ?? fallback));
  return Number.isNaN(number) ? fallback : Math.min(Math.max(number, min), max);
}

/**
 * @returns undefined if it is absent or empty.
 * @throws HttpError 400 for anything else
 */
export function readOption<Option extends string | number>(
  path: string,
  options: readonly Option[],
  parameters: URLSearchParams,
): Option | undefined {
  const text = parameters.get(path);
  if (!text) return undefined;
  const option = options.find((each) => String(each) === text);
  if (option !== undefined) return option;
  const name = path.charAt(0).toUpperCase() + path.slice(1);
  throw new HttpError(400, [{ message: `${name} must be one of ${options.join(', ')}.`, path }]);
}

/** Each word costs a comparison with every row. */
const MAX_SEARCH_WORDS = 20;

/** Different words of a search, case-folded; those after the twentieth are ignored. */
export function readSearchWords(parameters: URLSearchParams, name = 'query'): string[] {
  return [...new Set(foldCase(readQueryText(parameters, name)).split(/\s+/).filter(Boolean))].slice(
    0,
    MAX_SEARCH_WORDS,
  );
}

const escapePattern = (text: string): string =>
  text.replace(/[\\%_]/g, (wildcard) => `\\${wildcard}`);

export function readPaging(parameters: URLSearchParams): Paging {
  const page = readNumber(parameters.get('page'), 1, { min: 1, max: LAST_PAGE });
  const limit = readNumber(parameters.get('limit'), DEFAULT_LIMIT, { min: 1, max: MAX_LIMIT });
  return { page, limit, offset: (page - 1) * limit, words: readSearchWords(parameters) };
}

/** Whether each word is in one of the folded columns, in any order. */
export function containsWords(
  words: readonly string[],
  ...columns: Expression<string | null>[]
): RawBuilder<SqlBool> {
  const conditions = words.map((word) => {
    const pattern = `%${escapePattern(word)}%`;
    const columnConditions = columns.map((column) => sql`${column} like ${pattern} escape '\\'`);
    return sql`(${sql.join(columnConditions, sql` or `)})`;
  });
  return words.length === 0
    ? sql<SqlBool>`true`
    : sql<SqlBool>`(${sql.join(conditions, sql` and `)})`;
}

/**
 * Orders names that begin with the first searched word first, and names without the word last. Only
 * for a search: no index has this order.
 */
export function byNameMatch(
  [firstWord = '']: readonly string[],
  name: Expression<string>,
): RawBuilder<number> {
  const pattern = escapePattern(firstWord);
  return sql<number>`case when ${name} like ${`${pattern}%`} escape '\\' then 0
    when ${name} like ${`%${pattern}%`} escape '\\' then 1 else 2 end`;
}

/** If the rows reach the end of the list, the expensive count over the table is skipped. */
export async function readPageFields<All, From extends keyof All>(
  rows: readonly unknown[],
  { page, limit, offset }: Paging,
  query: SelectQueryBuilder<All, From, object>,
  db: Database,
): Promise<{ total: number; page: number; limit: number }> {
  if (rows.length < limit && (rows.length > 0 || offset === 0))
    return { total: offset + rows.length, page, limit };
  const countQuery = query.select(sql`count(*)`.as('total')).$castTo<{ total: number }>();
  const [countRow] = await queryInReadThread(countQuery.compile(), db);
  return { total: countRow?.total ?? 0, page, limit };
}
