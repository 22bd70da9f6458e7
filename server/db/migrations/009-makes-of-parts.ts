/** The phones of one topic or team by make. What each column means is in `tables/insights.ts`. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function createMakesOfParts(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** These statements run on both engines. */
const STATEMENTS = [
  `create table insight_part_makes (
    topic_id bigint not null,
    make text not null,
    noted_at bigint not null,
    devices integer not null,
    late integer not null,
    silent integer not null,
    constraint insight_part_makes_key primary key (topic_id, make)
  )`,
  `create index insight_part_makes_noted_at on insight_part_makes(noted_at)`,
];
