/** Corrections and the all-clear of a message. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function addRevisionColumns(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** These statements run on both engines. */
const STATEMENTS = [
  `alter table messages add column revision integer not null default 1`,
  `alter table messages add column revised_at bigint`,
  `alter table messages add column asked_revision integer not null default 1`,
  `alter table messages add column revision_round integer not null default 0`,
  `alter table messages add column revised_to bigint not null default -1`,
  `alter table messages add column former text`,
  `alter table messages add column all_clear_at bigint`,
  `alter table messages add column all_clear text`,
  `alter table recipients add column revision integer not null default 1`,
  `alter table recipients add column former text`,
];
