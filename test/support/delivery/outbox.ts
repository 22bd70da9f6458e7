/** A database with one topic and its subscribers. */
import { randomUUID } from 'node:crypto';
import { sql, type Insertable } from 'kysely';
import { openDatabase, type Database, type Engine } from '../../../server/db/open';
import { MESSAGE_ORDER_SPACING } from '../../../server/db/outbox/queue-order';
import { findOrAddService, getPushServiceName } from '../../../server/db/push-services';
import type { DeliveryRow, Tables } from '../../../server/db/schema';
import { sha256 } from '../../../server/lib/sha256';
import { createDatabase } from '../database/database';

interface Added {
  userId: number;
  deviceId: number;
}

export interface Outbox {
  db: Database;
  engine: Engine;
  /** A second connection, like a second server process's. */
  openSecondConnection(): Database;
  topicId: number;
  addDevice(token: string): Promise<Added>;
  addDevices(tokens: string[]): Promise<void>;
  /**
   * Puts all devices into the queues of their push services, as registering does.
   * @returns the services' ids by origin
   */
  assignPushServices(): Promise<Map<string, number>>;
  addMessage(options: {
    now: number;
    text?: string;
    lifetime?: number;
    more?: Partial<Insertable<Tables['messages']>>;
  }): Promise<string>;
  listDeliveries(): Promise<DeliveryRow[]>;
  hasDevice(deviceId: number): Promise<boolean>;
  close(): Promise<void>;
}

export async function createOutbox(): Promise<Outbox> {
  const { config, drop } = await createDatabase();
  const { db, engine, close } = openDatabase(config);
  const toClose = [close];
  const topic = { title: 'Outages', description: 'What is down', created_at: 0, updated_at: 0 };
  const { id: topicId } = await db
    .insertInto('topics')
    .values(topic)
    .returning('id')
    .executeTakeFirstOrThrow();

  return {
    db,
    engine,
    topicId,
    openSecondConnection() {
      const repeatedDatabase = openDatabase(config);
      toClose.push(repeatedDatabase.close);
      return repeatedDatabase.db;
    },
    async addDevice(token) {
      const [added] = await addDevices(db, topicId, [token]);
      return added!;
    },
    async addDevices(tokens) {
      // Few statements: libsql keeps a statement's memory until the next garbage collection, which
      // a benchmark would count as ours.
      for (let from = 0; from < tokens.length; from += 1000)
        await addDevices(db, topicId, tokens.slice(from, from + 1000));
    },
    async assignPushServices() {
      const services = new Map<string, number>();
      for (const { id, token } of await db
        .selectFrom('devices')
        .select(['id', 'token'])
        .execute()) {
        const service_id = await db
          .transaction()
          .execute((transaction) => findOrAddService(getPushServiceName(token), transaction));
        services.set(getPushServiceName(token), service_id);
        await db.updateTable('devices').set({ service_id }).where('id', '=', id).execute();
      }
      return services;
    },
    async addMessage({ now, text = 'Line 4 is down', lifetime = 24 * 3600_000, more = {} }) {
      const id = randomUUID();
      const message = {
        id,
        topic_id: topicId,
        topic_title: topic.title,
        text,
        created_at: now,
        expires_at: now + lifetime,
        ...more,
      };
      await db.insertInto('messages').values(message).execute();
      await db
        .insertInto('deliveries')
        .columns([
          'message_id',
          'device_id',
          'device_type',
          'state',
          'due_at',
          'updated_at',
          'created_at',
          'service_id',
          'sort_key',
        ])
        .expression((from) =>
          from
            .selectFrom('devices')
            .select(({ ref, val }) => [
              val(id).as('message_id'),
              ref('id').as('device_id'),
              ref('type').as('device_type'),
              val('pending' as const).as('state'),
              val(now).as('due_at'),
              val(now).as('updated_at'),
              val(now).as('created_at'),
              ref('service_id').as('service_id'),
              sql<number>`cast(${now} as bigint) + ${sql.lit(MESSAGE_ORDER_SPACING)} * (row_number() over (order by devices.id) - 1)`.as(
                'sort_key',
              ),
            ])
            .orderBy('id'),
        )
        .execute();
      return id;
    },
    listDeliveries: () => db.selectFrom('deliveries').selectAll().orderBy('id').execute(),
    async hasDevice(deviceId) {
      return (
        (await db.selectFrom('devices').select('id').where('id', '=', deviceId).execute())
          .length === 1
      );
    },
    async close() {
      for (const end of toClose) await end();
      await drop();
    },
  };
}

async function addDevices(db: Database, topicId: number, tokens: string[]): Promise<Added[]> {
  const people = tokens.map(() => {
    const name = randomUUID();
    return {
      username: name,
      username_key: name,
      role: 'TECHNICIAN' as const,
      status: 'ACTIVE' as const,
      created_at: 0,
    };
  });
  return db.transaction().execute(async (transaction) => {
    const users = await transaction.insertInto('users').values(people).returning('id').execute();
    const subscriptions = users.map(({ id }) => ({
      user_id: id,
      topic_id: topicId,
      created_at: 0,
    }));
    await transaction.insertInto('subscriptions').values(subscriptions).execute();
    const devices = users.map(({ id }, index) => {
      const token = tokens[index]!;
      return {
        user_id: id,
        token,
        token_hash: sha256(token),
        type: 'web' as const,
        user_agent: '',
        created_at: 0,
        last_seen_at: 0,
      };
    });
    return transaction
      .insertInto('devices')
      .values(devices)
      .returning(['user_id as userId', 'id as deviceId'])
      .execute();
  });
}
