import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** No claim is for longer: one that seems to be was made by a clock that was wrong. */
const MAX_CLAIM = 120_000;

/**
 * Whether a row of the outbox, or a job, is no process': it was never claimed, its claim has run
 * out, or a clock that was far ahead made it.
 */
export const isFree = (now: number): RawBuilder<SqlBool> =>
  sql`(claimed_until is null or claimed_until <= ${now} or claimed_until > ${now + MAX_CLAIM})`;
