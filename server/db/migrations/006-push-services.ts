/**
 * Gives each push service a queue of its own in the outbox, and counts the claims that ended
 * without a word.
 */
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Engine } from '../open';
import { serviceOf } from '../push-services';

const BATCH = 1000;
const DAY = 24 * 3600_000;

export async function separateServices(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('push_services')
    .addColumn('id', engine === 'sqlite' ? 'integer' : 'bigint', (column) =>
      engine === 'sqlite'
        ? column.primaryKey().autoIncrement()
        : column.primaryKey().generatedByDefaultAsIdentity(),
    )
    .addColumn('origin', 'text', (column) => column.notNull().unique())
    .addColumn('proven_at', 'bigint')
    .execute();
  await sql`create index push_services_proven on push_services (id) where proven_at is not null`.execute(
    db,
  );
  await db.schema
    .alterTable('devices')
    .addColumn('service_id', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  for (const [column, type] of [
    ['service_id', 'bigint'],
    ['sort_key', 'bigint'],
    ['lost', 'integer'],
  ] as const) {
    await db.schema
      .alterTable('deliveries')
      .addColumn(column, type, (definition) => definition.notNull().defaultTo(0))
      .execute();
  }
  await nameServices(db);
  await sql`update deliveries set service_id = coalesce((select devices.service_id from devices where devices.id = deliveries.device_id), 0),
    sort_key = case when attempts = 0 then due_at else 100000000000000 + due_at end where state = 'pending'`.execute(
    db,
  );
  await db.schema.createIndex('devices_service').on('devices').column('service_id').execute();
  await sql`create index deliveries_queue on deliveries (service_id, sort_key) where state = 'pending'`.execute(
    db,
  );
  await db.schema
    .alterTable('messages')
    .addColumn('retired', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update messages set retired = 1 where not exists (select 1 from deliveries where deliveries.message_id = messages.id)`.execute(
    db,
  );
  await sql`create index messages_unretired on messages (expires_at, id) where retired = 0`.execute(
    db,
  );
}

interface Named {
  id: number;
  token: string;
}

/**
 * Devices say by their token to whom they belong; a service that accepted something in the last
 * days is proven.
 */
async function nameServices(db: Kysely<unknown>): Promise<void> {
  const ids = new Map<string, number>();
  for (let after = 0; ; ) {
    const { rows } =
      await sql<Named>`select id, token from devices where id > ${after} order by id limit ${sql.lit(BATCH)}`.execute(
        db,
      );
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.id;
    const devices = new Map<string, number[]>();
    for (const { id, token } of rows)
      devices.set(serviceOf(token), [...(devices.get(serviceOf(token)) ?? []), id]);
    for (const [origin, owned] of devices) {
      const id = ids.get(origin) ?? (await insertService(origin, db));
      ids.set(origin, id);
      await sql`update devices set service_id = ${id} where id in (${sql.join(owned.map((each) => sql.lit(each)))})`.execute(
        db,
      );
    }
  }
  const since = Date.now() - 30 * DAY;
  await sql`update push_services set proven_at = ${Date.now()} where id in (select service_id from (
    select devices.service_id, count(*) as pushes from deliveries inner join devices on devices.id = deliveries.device_id
    where deliveries.state = 'accepted' and deliveries.updated_at > ${since} group by devices.service_id order by count(*) desc limit 64) as busiest)`.execute(
    db,
  );
}

async function insertService(origin: string, db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{
    id: number;
  }>`insert into push_services (origin) values (${origin}) returning id`.execute(db);
  return rows[0]?.id ?? 0;
}
