/**
 * Keeps an audit log, to which rows are only added: no row is ever changed, and none goes before the
 * time that the setting `audit-kept-since` names (`server/audit/sweep.ts` moves it).
 *
 * A process of an earlier version that still runs beside this one writes no entries.
 */
import { sql } from 'kysely';
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Engine } from '../open';

const required = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.notNull();

export async function keepAudit(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const entries = db.schema.createTable('audit_entries');
  await (engine === 'sqlite'
    ? entries.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : entries.addColumn('id', 'bigint', (column) =>
        column.primaryKey().generatedByDefaultAsIdentity(),
      )
  )
    .addColumn('at', 'bigint', required)
    .addColumn('action', 'text', required)
    .addColumn('actor_id', 'bigint')
    .addColumn('actor', 'text', required)
    .addColumn('network', 'text')
    .addColumn('target_id', 'bigint')
    .addColumn('target', 'text', required)
    .addColumn('detail', 'text', required)
    .addColumn('search_key', 'text', required)
    .execute();
  for (const column of ['at', 'actor_id', 'target_id'])
    await db.schema
      .createIndex(`audit_entries_${column}`)
      .on('audit_entries')
      .column(column)
      .execute();
  const statements = engine === 'sqlite' ? ON_SQLITE : ON_POSTGRES;
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const CHANGED = 'Entries of the audit log are never changed.';
const REMOVED = 'Entries of the audit log are kept until their time is over.';
const KEPT_SINCE = `coalesce((select cast(value as bigint) from settings where name = 'audit-kept-since'), 0)`;

const ON_SQLITE = [
  `create trigger audit_entries_unchanged before update on audit_entries
    begin select raise(abort, '${CHANGED}'); end`,
  `create trigger audit_entries_kept before delete on audit_entries when old.at >= ${KEPT_SINCE}
    begin select raise(abort, '${REMOVED}'); end`,
];

const ON_POSTGRES = [
  `create function refuse_audit_change() returns trigger language plpgsql as $$
    begin raise exception '%', tg_argv[0]; end $$`,
  `create function refuse_audit_removal() returns trigger language plpgsql as $$
    begin
      if old.at >= ${KEPT_SINCE} then raise exception '%', tg_argv[0]; end if;
      return old;
    end $$`,
  `create trigger audit_entries_unchanged before update on audit_entries
    for each row execute function refuse_audit_change('${CHANGED}')`,
  `create trigger audit_entries_kept before delete on audit_entries
    for each row execute function refuse_audit_removal('${REMOVED}')`,
  `create trigger audit_entries_whole before truncate on audit_entries
    for each statement execute function refuse_audit_change('${REMOVED}')`,
];
