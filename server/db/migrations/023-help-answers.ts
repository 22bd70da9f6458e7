/** The answers of a message that call for help, as they are written or in a translation. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { NewTranslations } from '../../../src/shared/contract';
import { asksForHelp } from '../../../src/shared/help-answers';

const BATCH_SIZE = 500;

export async function addHelpAnswersColumn(db: Kysely<unknown>): Promise<void> {
  await sql`alter table messages add column help_answers text not null default ''`.execute(db);
  // Lists show only calls for help that are open.
  for (let after = ''; ; ) {
    const { rows } = await sql<MessageAnswers & { id: string }>`
      select id, answers, translations from messages
      where id > ${after} and answers <> '[]' and all_clear_at is null and resolved_at is null
      order by id limit ${sql.lit(BATCH_SIZE)}`.execute(db);
    for (const row of rows) {
      const helpAnswers = findHelpAnswers(row);
      if (helpAnswers.length > 0)
        await sql`update messages set help_answers = ${`\n${helpAnswers.join('\n')}\n`} where id = ${row.id}`.execute(
          db,
        );
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

interface MessageAnswers {
  answers: string;
  translations: string | null;
}

function findHelpAnswers({ answers, translations }: MessageAnswers): string[] {
  const languages = Object.values(JSON.parse(translations ?? '{}') as NewTranslations);
  return (JSON.parse(answers) as string[]).filter((answer, place) =>
    [answer, ...languages.map((translation) => translation.answers?.[place] ?? '')].some(
      asksForHelp,
    ),
  );
}
