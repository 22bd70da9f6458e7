import * as assert from 'uvu/assert';
import { MAX_WAITING_CALLS } from '../../../server/db/webhook-calls';
import { MINUTE_MS, createEscalationHelpers } from '../../support/server/escalation';
import type { Person } from '../../support/server/server';
import { receiverReplyWithStatus } from '../../support/webhooks/receiver';
import { webhookSuite } from '../../support/webhooks/webhook-suite';

const { test, setup } = webhookSuite('webhook calls of escalations');
const HOUR_MS = 60 * MINUTE_MS;
const MESSAGE_LIFETIME_MS = 2 * HOUR_MS;
let escalation: ReturnType<typeof createEscalationHelpers>;
let people: Person[];
let webhook: number;
test.before.each(async () => {
  escalation = createEscalationHelpers(setup.server);
  people = [await escalation.createMember(1), await escalation.createMember(1)];
  webhook = await setup.addWebhook('/sms', []);
});

/** A message whose webhook step has just run. */
async function sendEscalated(): Promise<string> {
  const url = setup.receiver.urlOf('/sms');
  const id = await escalation.sendEscalating([{ after: 60, action: 'webhook', url }], {
    userIds: people.map((person) => person.id),
    expiresAt: new Date(setup.server.clock.now + MESSAGE_LIFETIME_MS).toISOString(),
  });
  await escalation.advance(1);
  await setup.server.webhookRunner.runDue();
  return id;
}

const endings: Record<string, (id: string) => Promise<unknown>> = {
  'everyone has answered': async (id) => {
    for (const person of people) await escalation.answer(person, id);
  },
  'it was canceled': (id) => escalation.cancel(id),
  'it has ended, but for the five seconds by which clocks differ': async () => {
    setup.server.clock.now += MESSAGE_LIFETIME_MS - MINUTE_MS - 5000;
  },
  'it is kept no longer': (id) =>
    setup.server.services.db.deleteFrom('messages').where('id', '=', id).execute(),
};
for (const [caseName, end] of Object.entries(endings)) {
  test(`drops a step's call once ${caseName}`, async () => {
    setup.receiver.replies.set('/sms', receiverReplyWithStatus(503));
    const id = await sendEscalated();
    assert.equal([setup.receiver.calls.length, await setup.countWaiting()], [1, 1]);
    await setup.queueEvents();
    await end(id);
    setup.receiver.replies.clear();
    await setup.advance(HOUR_MS);
    assert.equal([setup.receiver.calls.length, await setup.countWaiting()], [1, 0]);
    assert.is((await setup.readWebhook(webhook)).last_status, 503);
  });
}

test("repeats a step's call while someone has not answered", async () => {
  setup.receiver.replies.set('/sms', receiverReplyWithStatus(503));
  const id = await sendEscalated();
  await escalation.answer(people[0]!, id);
  setup.receiver.replies.clear();
  await setup.advance(MINUTE_MS);
  assert.equal([setup.receiver.calls.length, await setup.countWaiting()], [2, 0]);
});

test("keeps other messages' calls when one message ends", async () => {
  const over = await sendEscalated();
  for (const person of people) await escalation.answer(person, over);
  const open = await sendEscalated();
  assert.equal(
    setup.receiver.calls.map(({ body }) => body.data.message.id),
    [over, open],
  );
});

test('reserves room for steps beside a full queue of events, up to a limit', async () => {
  setup.receiver.replies.set('/sms', receiverReplyWithStatus(503));
  await setup.queueCalls(webhook, MAX_WAITING_CALLS);
  const { db } = setup.server.services;
  // None is due.
  const put = () => db.updateTable('webhook_calls').set({ due_at: 9e12 }).execute();
  await put();
  const id = await sendEscalated();
  assert.is(await setup.countWaiting(), MAX_WAITING_CALLS + 1);
  assert.is((await escalation.readSteps(id))[0]?.people, 2);
  await setup.queueCalls(webhook, MAX_WAITING_CALLS - 1);
  await put();
  const late = await sendEscalated();
  assert.is(await setup.countWaiting(), 2 * MAX_WAITING_CALLS);
  assert.is((await escalation.readSteps(late))[0]?.people, 0);
});

test.run();
