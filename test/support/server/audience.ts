/** People who get a message, and their rows in the ledger and the outbox. */
import { sql } from 'kysely';
import type { Body } from '../../../src/shared/contract';
import type { ClaimedPush } from '../../../server/db/outbox/claimed-push';
import { claimDue } from '../../../server/db/outbox/claim-pushes';
import { recordOutcomes } from '../../../server/db/outbox/outcomes';
import type { DeliveryRow, RecipientRow } from '../../../server/db/schema';
import type { Person, CallResult, TestServer } from './server';

const SEND_CALL = 'POST /api/admin/messages';

/** @param server the server of the running test */
export function createAudienceHelpers(server: TestServer) {
  let admin: Person | undefined;
  const asAdmin = async (): Promise<Person> => (admin ??= await server.createPerson('ADMIN'));
  return {
    async send(body: Partial<Body<typeof SEND_CALL>>): Promise<CallResult<typeof SEND_CALL>> {
      return server.call(SEND_CALL, {
        as: await asAdmin(),
        body: { message: 'Power is off', ...body },
      });
    },
    async cancel(id: string) {
      return server.call('POST /api/admin/messages/:id/cancel', {
        as: await asAdmin(),
        params: { id },
      });
    },
    async notifyAgain(id: string, body: Body<'POST /api/admin/messages/:id/repeat'> = {}) {
      return server.call('POST /api/admin/messages/:id/repeat', {
        body,
        as: await asAdmin(),
        params: { id },
      });
    },
    /** Adds a person with `devices` devices who subscribes to the topics. */
    async createMember(devices: number, ...topicIds: number[]): Promise<Person> {
      const person = await server.createPerson('TECHNICIAN');
      for (const topic_id of topicIds)
        await server.services.db
          .insertInto('subscriptions')
          .values({ user_id: person.id, topic_id, created_at: 0 })
          .execute();
      for (let nth = 0; nth < devices; nth += 1) await addDevice(server, person, nth);
      return person;
    },
    addDevice: (person: Person) => addDevice(server, person, 99),
    /** @returns a new topic with that many people, each with a device */
    async createCrowd(people: number): Promise<number> {
      const topic = await server.createTopic();
      const { db } = server.services;
      const series = sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(people)}) select i from n) as n`;
      await sql`insert into users (username, username_key, role, status, created_at)
        select 'crowd ' || i, 'crowd ' || i, 'CUSTOMER', 'ACTIVE', 0 from ${series}`.execute(db);
      await sql`insert into subscriptions (user_id, topic_id, created_at)
        select id, cast(${topic} as bigint), 0 from users where username like 'crowd %'`.execute(
        db,
      );
      await sql`insert into devices (user_id, token, token_hash, type, user_agent, created_at, last_seen_at)
        select id, 'token ' || id, 'hash ' || id, 'web', '', 0, 0 from users where username like 'crowd %'`.execute(
        db,
      );
      return topic;
    },
    muteTopic: (person: Person, topic_id: number) =>
      server.services.db
        .insertInto('account_preferences')
        .values({ user_id: person.id, topic_id, enabled: 0 })
        .execute(),
    readLedger: (messageId: string): Promise<RecipientRow[]> =>
      server.services.db
        .selectFrom('recipients')
        .selectAll()
        .where('message_id', '=', messageId)
        .orderBy('user_id')
        .execute(),
    readDeliveries: (messageId: string): Promise<DeliveryRow[]> =>
      server.services.db
        .selectFrom('deliveries')
        .selectAll()
        .where('message_id', '=', messageId)
        .orderBy('id')
        .execute(),
    claimAll: () => claimAll(server),
    async acceptAll(): Promise<void> {
      const settlements = (await claimAll(server)).map((claim) => ({
        claim,
        state: 'accepted' as const,
        reason: null,
        attempted: true,
      }));
      await recordOutcomes(server.services.db, settlements, server.clock.now);
    },
  };
}

async function addDevice(server: TestServer, person: Person, nth: number): Promise<void> {
  const token = `${person.id}-${nth}`;
  const times = { created_at: 0, last_seen_at: 0 };
  await server.services.db
    .insertInto('devices')
    .values({ user_id: person.id, token, token_hash: token, type: 'web', user_agent: '', ...times })
    .execute();
}

/** Claims everything due of devices without a push service. */
const claimAll = (server: TestServer): Promise<ClaimedPush[]> =>
  claimDue(server.services.db, server.engine, {
    now: server.clock.now,
    leaseMs: 30_000,
    from: [{ service: 0, limit: 1000 }],
  });
