/** The tables of insights. What each column means is in `tables/insights.ts`. */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';

export async function createInsights(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

/** These statements run on both engines. */
const STATEMENTS = [
  `create table insight_quarters (
    topic_id bigint not null,
    starts_at bigint not null,
    noted_at bigint not null,
    messages integer not null,
    recipients integer not null,
    displayed integer not null,
    read integer not null,
    asked integer not null,
    acknowledged integer not null,
    prompt integer not null,
    delays text not null,
    constraint insight_quarters_key primary key (topic_id, starts_at)
  )`,
  `create index insight_quarters_starts_at on insight_quarters(starts_at)`,
  `create table insight_reach (
    topic_id bigint not null,
    noted_at bigint not null,
    reachable integer not null,
    people integer not null,
    constraint insight_reach_key primary key (topic_id, noted_at)
  )`,
  `create index insight_reach_noted_at on insight_reach(noted_at)`,
  `create table insight_makes (
    noted_at bigint not null,
    make text not null,
    devices integer not null,
    late integer not null,
    silent integer not null,
    constraint insight_makes_key primary key (noted_at, make)
  )`,
  // This index finds the messages of a quarter, however early they were scheduled.
  `create index messages_sent_at on messages(coalesce(send_at, created_at)) where kind = 'message'`,
];
