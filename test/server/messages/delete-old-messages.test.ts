import { sql } from 'kysely';
import type { KyselyPlugin } from 'kysely';
import * as assert from 'uvu/assert';
import { deleteOldData } from '../../../server/operations/delete-old-data';
import { createAudienceHelpers } from '../../support/server/audience';
import { serverSuite } from '../../support/server/server';

/** Rows removed per statement. */
let removed: number[] = [];
const plugin: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    if (result.numAffectedRows) removed.push(Number(result.numAffectedRows));
    return result;
  },
};
const { test, server } = serverSuite('retention of messages', {
  plugin,
  environment: { MESSAGE_DAYS: '30' },
});
const DAY_MS = 24 * 60 * 60 * 1000;
let audience: ReturnType<typeof createAudienceHelpers>;
test.before.each(() => void (audience = createAudienceHelpers(server)));

const deleteOld = (days: number) => {
  const { db, config } = server.services;
  return deleteOldData(db, server.clock.now + days * DAY_MS, new AbortController().signal, config);
};
const count = async (table: string, where = sql`1 = 1`): Promise<number> => {
  const { rows } = await sql<{
    n: number;
  }>`select count(*) as n from ${sql.table(table)} where ${where}`.execute(server.services.db);
  return Number(rows[0]?.n);
};

test('deletes a message after the configured days, and a longer one when it expires', async () => {
  const topic = await server.createTopic();
  await audience.createMember(1, topic);
  await audience.send({ topicIds: [topic] });
  const expiresAt = new Date(server.clock.now + 40 * DAY_MS).toISOString();
  const { body: long } = await audience.send({ topicIds: [topic], expiresAt });
  await deleteOld(30);
  assert.is(await count('messages'), 2);
  await deleteOld(30.001);
  const keptMessages = await server.services.db.selectFrom('messages').select('id').execute();
  assert.equal(keptMessages, [{ id: long.messageId }]);
  await deleteOld(40.001);
  assert.equal([await count('messages'), await count('recipients')], [0, 0]);
});

test('deletes everything of a message, a thousand rows at a time', async () => {
  const { db } = server.services;
  const topic = await server.createTopic();
  const person = await audience.createMember(1, topic);
  const { body } = await audience.send({ topicIds: [topic] });
  const id = body.messageId;
  const numbers = sql`(with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500) select i from n) as n`;
  await sql`insert into recipients (message_id, user_id, seq, state) select ${id}, i + 1000, 1, 'accepted' from ${numbers}`.execute(
    db,
  );
  await sql`insert into deliveries (message_id, device_id, device_type, state, due_at, updated_at, created_at)
    select ${id}, i + 1000, 'web', 'pending', 0, 0, 0 from ${numbers}`.execute(db);
  await sql`insert into tests (id, message_id, user_id, device_id, created_at, announced_at, send_at)
    select 'test ' || i, ${id}, cast(${person.id} as bigint), i + 1000, ${server.clock.now}, 0, 0 from ${numbers}`.execute(
    db,
  );
  const alert = { topic_id: topic, starts_at: '', seen_at: server.clock.now + 29 * DAY_MS };
  await db
    .insertInto('alerts')
    .values([
      { ...alert, fingerprint: 'over', message_id: id, resolved_at: server.clock.now },
      { ...alert, fingerprint: 'goes on', message_id: id, resolved_at: null },
      { ...alert, fingerprint: 'of another', message_id: 'other', resolved_at: 1 },
    ])
    .execute();
  const job = { created_at: 0, due_at: 9e15 };
  await db
    .insertInto('jobs')
    .values([
      { ...job, kind: 'message-repeat', subject: id },
      { ...job, kind: 'escalation', subject: id },
      { ...job, kind: 'mail-message', subject: `${person.id} ${id} 0` },
      { ...job, kind: 'mail-message', subject: `${person.id} other 0` },
      { ...job, kind: 'quiet-end', subject: String(person.id) },
    ])
    .execute();
  removed = [];
  await deleteOld(31);
  for (const table of ['messages', 'message_topics', 'recipients', 'deliveries', 'tests'])
    assert.is(await count(table), 0, table);
  assert.ok(Math.max(...removed) <= 1000);
  const byItself = removed.reduce((sum, rows) => sum + rows, 0);
  assert.ok(byItself >= 3 * 2500, 'none of them is left to go with the message, all at once');
  assert.equal(
    (await db.selectFrom('alerts').select('fingerprint').orderBy('fingerprint').execute()).map(
      ({ fingerprint }) => fingerprint,
    ),
    ['goes on', 'of another'],
  );
  assert.equal(
    (await db.selectFrom('jobs').select('kind').orderBy('kind').execute()).map(({ kind }) => kind),
    ['mail-message', 'quiet-end'],
  );
});

test.run();
