import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import {
  MINUTE_MS,
  createEscalationHelpers,
  notifyAgainAfter,
} from '../../support/server/escalation';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('escalation in parts', {
  environment: { SMTP_URL: 'smtp://mail.example' },
});
let escalation: ReturnType<typeof createEscalationHelpers>;
test.before.each(() => void (escalation = createEscalationHelpers(server)));

test('runs a step for thousands in parts, once per person, until enough have answered', async () => {
  const topic = await escalation.createCrowd(2500);
  const person = await escalation.createMember(1, topic);
  const steps = [notifyAgainAfter(1), notifyAgainAfter(2)];
  const id = await escalation.sendEscalating(steps, { topicIds: [topic] }, 1);
  const { db } = server.services;
  const settle = async (): Promise<void> => {
    await sql`update deliveries set state = 'accepted'`.execute(db);
    await sql`update recipients set waiting = 0, state = 'accepted'`.execute(db);
  };
  await settle();
  server.clock.now += MINUTE_MS;
  await server.jobs.runDue();
  const [first] = await escalation.readRounds(id);
  assert.equal([first?.length, new Set(first).size], [2501, 2501]);
  assert.equal(
    (await escalation.readSteps(id)).map(({ people, done_at }) => [people, done_at !== null]),
    [
      [2501, true],
      [null, false],
    ],
  );
  await settle();
  server.clock.now += MINUTE_MS;
  await server.jobs.runSome();
  assert.is(
    (await escalation.readEscalation(id)).steps[1]?.people,
    null,
    'not told before it is done',
  );
  await escalation.answer(person, id);
  await server.jobs.runDue();
  assert.is((await escalation.readRounds(id))[1]?.length, 1000);
  assert.equal(
    [
      (await escalation.readEscalation(id)).stopped,
      (await escalation.readEscalation(id)).steps[1]?.doneAt,
    ],
    ['quorum', null],
  );
});

test.run();
