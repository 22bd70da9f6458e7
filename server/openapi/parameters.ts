/** What lists are asked with. Their limits are those of `http/paging.ts`. */
import { DEFAULT_LIMIT, MAX_LIMIT, MAX_QUERY } from '../../src/shared/contract/common';
import type { Parameter } from './call';

export const limit = (fallback = DEFAULT_LIMIT): Parameter => ({
  description: 'How many rows a page has. More than the most means the most.',
  schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: fallback },
  example: fallback,
});
export const search = (where: string): Parameter => ({
  description: `Text to look for ${where}. Absent or empty means all.`,
  schema: { type: 'string', maxLength: MAX_QUERY },
});
/** @param where what is looked through */
export const paging = (where: string) => ({
  page: {
    description: 'Which page, from 1.',
    schema: { type: 'integer', minimum: 1, default: 1 },
    example: 1,
  } satisfies Parameter,
  limit: limit(),
  query: search(where),
});
