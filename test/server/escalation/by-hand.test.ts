import * as assert from 'uvu/assert';
import { NOTIFY_AGAIN_JOB } from '../../../server/db/jobs/kinds';
import { addJob } from '../../../server/db/jobs/jobs';
import {
  MINUTE_MS,
  createEscalationHelpers,
  notifyAgainAfter,
} from '../../support/server/escalation';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('escalation during manual repeats');
let escalation: ReturnType<typeof createEscalationHelpers>;
test.before.each(() => void (escalation = createEscalationHelpers(server)));

for (const others of [0, 1])
  test(`continues a manual repeat after a step that runs ${others === 0 ? 'alone' : 'together with another message'}`, async () => {
    const people = [
      await escalation.createMember(1),
      await escalation.createMember(1),
      await escalation.createMember(1),
    ];
    const userIds = people.map((person) => person.id);
    const id = await escalation.sendEscalating([notifyAgainAfter(1)], { userIds });
    for (let nth = 0; nth < others; nth += 1)
      await escalation.sendEscalating([notifyAgainAfter(1)], { userIds });
    await escalation.acceptAll();
    const { db, now } = server.services;
    // The round reached the second person before its process died.
    const written_to = userIds[1];
    await db.updateTable('messages').set({ rounds: 1, written_to }).where('id', '=', id).execute();
    await addJob({ kind: NOTIFY_AGAIN_JOB, subject: id }, db, now(), now() + 2 * MINUTE_MS);
    await escalation.advance(1);
    assert.equal((await escalation.readRounds(id))[1], userIds);
    await escalation.advance(1);
    assert.equal((await escalation.readRounds(id))[1], [...userIds, userIds[2]]);
  });

test.run();
