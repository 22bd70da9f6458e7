import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import type { Database } from '../../../server/db/open';
import { AT_ONCE } from '../../../server/messages/sending/ledger';
import { onPostgres } from '../../support/database/database';
import { MINUTE, escalationOf } from '../../support/server/escalating';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('escalation: another topic');
let stage: ReturnType<typeof escalationOf>;
test.before.each(() => void (stage = escalationOf(server)));

/**
 * The next row of a table is refused as if what it refers to had just been deleted. What SQLite
 * would say of it cannot be played, and its transactions are alone.
 */
async function failOnce(db: Database, table: string): Promise<void> {
  if (!onPostgres) return;
  for (const statement of [
    sql`create sequence tries`,
    // A sequence remembers what a transaction that was undone took of it.
    sql`create function fail_once() returns trigger as $$ begin
      if nextval('tries') = 1 then raise exception 'gone' using errcode = '23503'; end if;
      return new; end $$ language plpgsql`,
    sql`create trigger fail_once before insert on ${sql.table(table)} for each row execute function fail_once()`,
  ])
    await statement.execute(db);
}

test('of another topic that is written behind the step the timeline says how many are told', async () => {
  const topic = await stage.makeCrowd(AT_ONCE + 1);
  const person = await stage.makeMember(1);
  const id = await stage.sendEscalating([{ after: 60, action: 'notify', topicId: topic }], {
    userIds: [person.id],
  });
  server.clock.now += MINUTE;
  await server.writing.runSome();
  assert.is((await stage.readEscalation(id)).steps[0]?.people, AT_ONCE + 1);
});

test('what another topic is told begins with the title, else with the topic, and is in the name of the key that sent the message', async () => {
  const { db } = server.services;
  const [pumps, control] = [await server.makeTopic('Pumps'), await server.makeTopic()];
  await stage.makeMember(1, pumps);
  await stage.makeMember(1, control);
  const { answer: policy } = await stage.addPolicy({
    steps: [{ after: 60, action: 'notify', topicId: control }],
  });
  await db.updateTable('topics').set({ policy_id: policy.id }).where('id', '=', pumps).execute();
  const { answer } = await server.call('POST /api/admin/topics/:id/keys', {
    as: await stage.asAdmin(),
    params: { id: pumps },
    body: { name: 'SCADA' },
  });
  const { status } = await server.request('/api/publish', {
    method: 'POST',
    headers: { Authorization: `Bearer ${answer.key}`, 'Content-Type': 'text/plain' },
    body: 'Pressure is low',
  });
  assert.is(status, 202);
  await stage.pass(1);
  const told = await server.call('GET /api/admin/messages', {
    as: await stage.asAdmin(),
    query: { query: 'has not' },
  });
  assert.equal(
    told.answer.messages.map(({ message, sender, topics }) => [message, sender, topics[0]?.id]),
    [['Pumps: Pressure is low', 'key: SCADA', control]],
  );
});

test('somebody who is deleted while another topic is told delays it by no error', async () => {
  const topic = await server.makeTopic();
  await stage.makeMember(1, topic);
  const person = await stage.makeMember(1);
  const id = await stage.sendEscalating([{ after: 60, action: 'notify', topicId: topic }], {
    userIds: [person.id],
  });
  await failOnce(server.services.db, 'inboxes');
  server.clock.now += MINUTE;
  await server.writing.runDue();
  assert.is((await stage.readEscalation(id)).steps[0]?.people, 1);
  assert.equal(
    server.log.filter((line) => line.includes('"level":"error"')),
    [],
  );
});

test.run();
