/** Reading `page`, `limit` and `query` of a list: never an error, always within bounds. */
import { sql } from 'kysely';
import type { Expression, RawBuilder, SqlBool } from 'kysely';
import { foldCase } from '../lib/case-fold';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
const LAST_PAGE = 1_000_000_000;
const MAX_QUERY = 200;
/** PostgreSQL takes neither as text. */
const UNSTORABLE = /\0|\p{Surrogate}/gu;

export interface Paging {
  page: number;
  limit: number;
  offset: number;
  /** A LIKE pattern over a folded column, or undefined for everything. */
  pattern: string | undefined;
}

function readNumber(text: string | null, fallback: number, most: number): number {
  const number = Math.trunc(Number(text ?? fallback));
  return Number.isNaN(number) ? fallback : Math.min(Math.max(number, 1), most);
}

export function readPaging(parameters: URLSearchParams): Paging {
  const page = readNumber(parameters.get('page'), 1, LAST_PAGE);
  const limit = readNumber(parameters.get('limit'), DEFAULT_LIMIT, MAX_LIMIT);
  const query = foldCase(
    (parameters.get('query') ?? '').slice(0, MAX_QUERY).replace(UNSTORABLE, '').trim(),
  );
  const literal = query.replace(/[\\%_]/g, (wildcard) => `\\${wildcard}`);
  return {
    page,
    limit,
    offset: (page - 1) * limit,
    pattern: query === '' ? undefined : `%${literal}%`,
  };
}

/** Whether a folded column holds the searched text. */
export function matches(column: Expression<string | null>, pattern: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${column} like ${pattern} escape '\\'`;
}
