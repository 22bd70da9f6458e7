/** Passes rows to the database as a table. */
import { type RawBuilder, sql } from 'kysely';

/**
 * Rows as a table of `key` (their id, as text) and `value`, in one parameter: parsing hundreds of
 * parameters took as long as the work. `json_each` of objects works alike on both engines.
 */
export function jsonTable(
  rows: readonly (readonly [id: number, value: unknown])[],
): RawBuilder<unknown> {
  return sql`json_each(${JSON.stringify(Object.fromEntries(rows))})`;
}

/** Values as such a table, with their indexes as keys. */
export const jsonTableOfList = (values: readonly unknown[]): RawBuilder<unknown> =>
  jsonTable(values.map((value, place) => [place, value]));

/** Ids for `in`, in no order. */
export const idList = (ids: Iterable<number>): RawBuilder<number> =>
  sql`(select cast(key as bigint) as id from ${jsonTable([...ids].map((id) => [id, 0]))})`;

/** Ids as a table of `id` and `position`. */
export const idTable = (ids: readonly number[]): RawBuilder<{ id: number; position: number }> =>
  sql`(select cast(key as bigint) as id, cast(cast(value as text) as integer) as position from ${jsonTable(ids.map((id, position) => [id, position]))})`;
