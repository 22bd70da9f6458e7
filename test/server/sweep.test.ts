import * as assert from 'uvu/assert';
import type { DeliveryState } from '../../server/db/schema';
import { createLog } from '../../server/log';
import { startSweeping, sweep } from '../../server/sweep';
import { eventually } from '../support/eventually';
import type { Person } from '../support/server';
import { serverSuite } from '../support/server';

const { test, server } = serverSuite('what is swept away');
const DAY = 24 * 60 * 60 * 1000;
let admin: Person;

test.before.each(async () => {
  admin = await server.makePerson('ADMIN');
});

const sweepAt = (now: number) => sweep(server.services.db, now, new AbortController().signal);
const count = async (table: 'deliveries' | 'one_time_tokens' | 'rate_limits'): Promise<number> => {
  const { rows } = await server.services.db.selectFrom(table).select(({ fn }) => fn.countAll<number>().as('rows')).executeTakeFirstOrThrow();
  return rows;
};

/** A message whose deliveries came out so. */
async function send(states: DeliveryState[], key = 'abc'): Promise<{ message: string; messageId: string }> {
  const { db } = server.services;
  const topicId = await server.makeTopic();
  const { answer } = await server.call('POST /api/admin/notifications/send-topic/:topicId', {
    as: admin,
    params: { topicId },
    body: { message: 'Hi' },
    headers: { 'Idempotency-Key': key },
  });
  const row = { message_id: answer.messageId, device_id: 1, device_type: 'web', due_at: 0, updated_at: 0 } as const;
  for (let from = 0; from < states.length; from += 500) {
    await db.insertInto('deliveries').values(states.slice(from, from + 500).map((state) => ({ ...row, state }))).execute();
  }
  return answer;
}
const progress = async (id: string) => (await server.call('GET /api/admin/messages/:id', { as: admin, params: { id } })).answer;

test('a week after a message has expired its outbox rows go, and how far it got can still be asked', async () => {
  const { messageId } = await send(['accepted', 'accepted', 'failed', 'gone', 'skipped', 'pending']);
  const before = await progress(messageId);
  assert.equal([before.total, before.accepted, before.failed, before.gone, before.pending], [5, 2, 1, 1, 1]);
  await sweepAt(server.clock.now + 8 * DAY);
  assert.is(await count('deliveries'), 6, 'not before');
  await sweepAt(server.clock.now + 8 * DAY + 1);
  assert.is(await count('deliveries'), 1, 'what was not dealt with stays');
  assert.equal(await progress(messageId), before);
  await sweepAt(server.clock.now + 9 * DAY);
  assert.equal(await progress(messageId), before, 'counted once');
});

test('however many rows there are, all that are old go, and none of a newer message', async () => {
  const { messageId } = await send(Array.from({ length: 2100 }, (_, index) => (index % 2 ? 'accepted' : 'failed')));
  server.clock.now += 5 * DAY;
  admin = await server.makePerson('ADMIN'); // sessions do not last that long
  await send(['accepted'], 'def');
  await sweepAt(server.clock.now + 4 * DAY);
  assert.is(await count('deliveries'), 1);
  const { accepted, failed } = await progress(messageId);
  assert.equal([accepted, failed], [1050, 1050]);
});

test('a request that comes again long after is answered as it was, and sends nothing', async () => {
  const person = await server.makePerson('TECHNICIAN');
  const topicId = await server.makeTopic();
  await server.call('POST /api/admin/subscriptions', { as: admin, body: { userId: person.id, topicId } });
  await server.call('POST /api/notifications/register-device', { as: person, body: { deviceToken: 'x', deviceType: 'web', userAgent: '' } });
  const ask = async () =>
    (await server.call('POST /api/admin/notifications/send-topic/:topicId', { as: admin, params: { topicId }, body: { message: 'Hi' }, headers: { 'Idempotency-Key': 'abc' } })).answer;
  const first = await ask();
  assert.is(first.message, 'Notification sent to 1 device of 1 subscriber.');
  await server.services.db.updateTable('deliveries').set({ state: 'accepted' }).execute();
  await sweepAt(server.clock.now + 9 * DAY);
  assert.is(await count('deliveries'), 0);
  assert.equal(await ask(), first);
  assert.is(await count('deliveries'), 0);
});

test('links that nobody used and counters of past windows go', async () => {
  await server.call('POST /api/admin/users', { as: admin, body: { username: 'ana', role: 'CUSTOMER' } });
  await server.call('POST /api/auth/login', { body: { username: 'nobody', password: 'nothing' } });
  await sweepAt(server.clock.now);
  assert.ok((await count('one_time_tokens')) === 1 && (await count('rate_limits')) > 0, 'not before');
  await sweepAt(server.clock.now + 8 * DAY);
  assert.equal([await count('one_time_tokens'), await count('rate_limits')], [0, 0]);
});

test('a stop ends the sweeping at once, and trouble with the database is logged', async () => {
  const lines: string[] = [];
  await server.services.db.schema.dropTable('rate_limits').execute();
  const stop = startSweeping(server.services.db, createLog((line) => lines.push(line)));
  await eventually(() => lines.length > 0, 'the trouble to be logged');
  await stop();
  assert.match(lines[0] ?? '', '"event":"sweeping failed"');
});

test.run();
