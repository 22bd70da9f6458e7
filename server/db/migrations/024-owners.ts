/**
 * What grows with people names its person, so that it can lie with all else of theirs where tables are
 * distributed among several machines: what is known of a device, and its switches, named the device
 * alone. A trigger fills it in, also for a process of an earlier version.
 */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Engine } from '../open';

const TABLES = ['device_reach', 'device_preferences'];

export async function nameOwners(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const table of TABLES) {
    await db.schema.alterTable(table).addColumn('user_id', 'bigint').execute();
    await sql`update ${sql.table(table)} set user_id =
      (select user_id from devices where devices.id = ${sql.table(table)}.device_id)`.execute(db);
  }
  if (engine === 'postgres')
    await sql`create function name_owner() returns trigger language plpgsql as $$
      begin
        select user_id into new.user_id from devices where id = new.device_id;
        return new;
      end $$`.execute(db);
  for (const table of TABLES)
    await sql
      .raw(
        engine === 'postgres'
          ? `create trigger ${table}_owner before insert on ${table} for each row execute function name_owner()`
          : `create trigger ${table}_owner after insert on ${table} when new.user_id is null begin
              update ${table} set user_id = (select user_id from devices where id = new.device_id)
              where rowid = new.rowid; end`,
      )
      .execute(db);
}
