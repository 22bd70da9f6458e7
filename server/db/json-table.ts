/** Rows of our own as a table of the database. */
import { type RawBuilder, sql } from 'kysely';

/**
 * Rows as a table of `key` (their id, as text) and `value`. One parameter, whatever their number:
 * reading the text of a statement with hundreds of them took as long as the work. Both engines have
 * json_each for objects and mean the same.
 */
export function tableOf(
  rows: readonly (readonly [id: number, value: unknown])[],
): RawBuilder<unknown> {
  return sql`json_each(${JSON.stringify(Object.fromEntries(rows))})`;
}

/** As above: values by their places, which are the keys. */
export const tableOfList = (values: readonly unknown[]): RawBuilder<unknown> =>
  tableOf(values.map((value, place) => [place, value]));

/** Ids, in no order, for `in`. */
export const someIds = (ids: Iterable<number>): RawBuilder<number> =>
  sql`(select cast(key as bigint) as id from ${tableOf([...ids].map((id) => [id, 0]))})`;

/** Ids as a table of `id` and `position`, in their order. */
export const tableOfIds = (ids: readonly number[]): RawBuilder<{ id: number; position: number }> =>
  sql`(select cast(key as bigint) as id, cast(cast(value as text) as integer) as position from ${tableOf(ids.map((id, position) => [id, position]))})`;
