/** The answers of a message that call for help. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { listHelpAnswers } from '../../escalation/count-answered';

const BATCH_SIZE = 500;

export async function addHelpAnswersColumn(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages add column help_answers text not null default ''`.execute(db);
  // Lists show only calls for help that are open.
  for (let after = ''; ; ) {
    const { rows } = await sql<{ id: string; answers: string; translations: string | null }>`
      select id, answers, translations from messages
      where id > ${after} and answers <> '[]' and all_clear_at is null and resolved_at is null
      order by id limit ${sql.lit(BATCH_SIZE)}`.execute(db);
    for (const row of rows) {
      const helpAnswers = listHelpAnswers(row);
      if (helpAnswers !== '')
        await sql`update messages set help_answers = ${helpAnswers} where id = ${row.id}`.execute(
          db,
        );
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
