/** Reading `page`, `limit` and `query` of a list: never an error, always within bounds. */
import { sql } from 'kysely';
import type { Expression, RawBuilder, SqlBool } from 'kysely';
import { foldCase } from '../lib/case-fold';

export const DEFAULT_LIMIT = 10;
export const MAX_LIMIT = 100;
const LAST_PAGE = 1_000_000_000;
export const MAX_QUERY = 200;
/** PostgreSQL takes neither as text. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;

export interface Paging {
  page: number;
  limit: number;
  offset: number;
  /** A LIKE pattern over a folded column, or undefined for everything. */
  pattern: string | undefined;
}

export function readNumber(
  text: string | null,
  fallback: number,
  { least, most }: { least: number; most: number },
): number {
  const number = Math.trunc(Number(text ?? fallback));
  return Number.isNaN(number) ? fallback : Math.min(Math.max(number, least), most);
}

/** The searched text, folded; empty for everything. */
export const readQuery = (parameters: URLSearchParams): string =>
  foldCase((parameters.get('query') ?? '').slice(0, MAX_QUERY).replace(UNSTORABLE, '').trim());

/** As a part of a LIKE pattern that means just this text. */
export const literal = (text: string): string =>
  text.replace(/[\\%_]/g, (wildcard) => `\\${wildcard}`);

export function readPaging(parameters: URLSearchParams): Paging {
  const page = readNumber(parameters.get('page'), 1, { least: 1, most: LAST_PAGE });
  const limit = readNumber(parameters.get('limit'), DEFAULT_LIMIT, { least: 1, most: MAX_LIMIT });
  const query = readQuery(parameters);
  return {
    page,
    limit,
    offset: (page - 1) * limit,
    pattern: query === '' ? undefined : `%${literal(query)}%`,
  };
}

/** Whether a folded column holds the searched text. */
export function matches(column: Expression<string | null>, pattern: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} like ${pattern} escape '\\'`;
}
