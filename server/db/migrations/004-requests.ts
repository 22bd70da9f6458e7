/** Lets a request that makes something be repeated: what it made knows the request again. */
import type { Kysely } from 'kysely';

export async function rememberRequests(db: Kysely<unknown>): Promise<void> {
  for (const table of ['topics', 'users']) {
    await db.schema.alterTable(table).addColumn('request_key', 'text').execute();
    await db.schema
      .createIndex(`${table}_request`)
      .unique()
      .on(table)
      .column('request_key')
      .execute();
  }
}
