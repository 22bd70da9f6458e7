import * as assert from 'uvu/assert';
import { MAX_RECIPIENTS_WRITTEN_AT_ONCE } from '../../../server/messages/sending/ledger';
import { MINUTE_MS, createEscalationHelpers } from '../../support/server/escalation';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('escalation to another topic');
let escalation: ReturnType<typeof createEscalationHelpers>;
test.before.each(() => void (escalation = createEscalationHelpers(server)));

test('counts all people of a large topic that is still being notified', async () => {
  const topic = await escalation.createCrowd(MAX_RECIPIENTS_WRITTEN_AT_ONCE + 1);
  const person = await escalation.createMember(1);
  const id = await escalation.sendEscalating([{ after: 60, action: 'notify', topicId: topic }], {
    userIds: [person.id],
  });
  server.clock.now += MINUTE_MS;
  await server.jobs.runSome();
  assert.is(
    (await escalation.readEscalation(id)).steps[0]?.people,
    MAX_RECIPIENTS_WRITTEN_AT_ONCE + 1,
  );
});

test('names title or topic and the sending key to the other topic', async () => {
  const { db } = server.services;
  const [pumps, control] = [await server.createTopic('Pumps'), await server.createTopic()];
  await escalation.createMember(1, pumps);
  await escalation.createMember(1, control);
  const { body: policy } = await escalation.addPolicy({
    steps: [{ after: 60, action: 'notify', topicId: control }],
  });
  await db.updateTable('topics').set({ policy_id: policy.id }).where('id', '=', pumps).execute();
  const { body } = await server.call('POST /api/admin/topics/:id/keys', {
    as: await escalation.asAdmin(),
    params: { id: pumps },
    body: { name: 'SCADA' },
  });
  const { status } = await server.request('/api/publish', {
    method: 'POST',
    headers: { Authorization: `Bearer ${body.key}`, 'Content-Type': 'text/plain' },
    body: 'Pressure is low',
  });
  assert.is(status, 202);
  await escalation.advance(1);
  const list = await server.call('GET /api/admin/messages', {
    as: await escalation.asAdmin(),
    query: { query: 'has not' },
  });
  assert.equal(
    list.body.messages.map(({ message, sender, topics }) => [message, sender, topics[0]?.id]),
    [['Pumps: Pressure is low', 'key: SCADA', control]],
  );
});

test.run();
