import * as assert from 'uvu/assert';
import { claimCalls, recordCallOutcome } from '../../../server/webhooks/calls';
import { MAX_WAITING_CALLS, addWebhookCalls } from '../../../server/db/webhook-calls';
import { inTransaction } from '../../../server/db/transaction';
import type { WebhookEvent } from '../../../src/shared/contract';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('webhook queue');
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const addWebhook = async (events: WebhookEvent[], off_since: number | null = null) =>
  (
    await server.services.db
      .insertInto('webhooks')
      .values({
        url: `https://hooks.example/${crypto.randomUUID()}`,
        events: JSON.stringify(events),
        secret: SECRET,
        off_since,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id;
const queueEvents = (type: WebhookEvent, ...data: object[]) =>
  inTransaction(server.services.db, (transaction) =>
    addWebhookCalls(type, () => data, transaction, server.clock.now),
  );
const listCalls = () =>
  server.services.db
    .selectFrom('webhook_calls')
    .select(['webhook_id', 'body'])
    .orderBy('webhook_id')
    .execute();

test('queues an event for each enabled webhook that listens to it', async () => {
  const first = await addWebhook(['message.sent', 'device.failing']);
  const second = await addWebhook(['message.sent']);
  await addWebhook(['message.acknowledged', 'message.escalated']);
  await addWebhook([]);
  await addWebhook(['message.sent'], 1);
  await queueEvents('message.sent', { n: 1 });
  const calls = await listCalls();
  assert.equal(
    calls.map(({ webhook_id }) => webhook_id),
    [first, second],
  );
  const timestamp = new Date(server.clock.now).toISOString();
  for (const { body } of calls)
    assert.equal(JSON.parse(body), { type: 'message.sent', timestamp, data: { n: 1 } });
});

test('reads no data for an event without listeners', async () => {
  await addWebhook(['message.sent']);
  let reads = 0;
  const read = () => [{ n: (reads += 1) }];
  await inTransaction(server.services.db, async (transaction) => {
    await addWebhookCalls('device.failing', read, transaction, server.clock.now);
    assert.is(reads, 0);
    await addWebhookCalls('message.sent', read, transaction, server.clock.now);
  });
  assert.is(reads, 1);
});

test('ignores a late failure after the lease expired, but not a late success', async () => {
  const { db } = server.services;
  const id = await addWebhook(['message.sent']);
  await queueEvents('message.sent', { n: 1 });
  const claim = (now: number) => claimCalls(id, 1, db, now);
  const waiting = () =>
    db.selectFrom('webhook_calls').select(['attempts', 'claimed_until']).execute();
  const start = server.clock.now;
  const [expired] = await claim(start);
  const [retried] = await claim(start + 30_000);
  assert.equal([expired?.id, expired?.attempts, retried?.attempts], [retried?.id, 1, 2]);
  await recordCallOutcome(expired!, { kind: 'unreachable', reason: 'timeout' }, db, start + 30_000);
  assert.equal(await waiting(), [{ attempts: 2, claimed_until: start + 60_000 }]);
  assert.equal(await claim(start + 59_999), []);
  const successfulCall = {
    kind: 'responded',
    status: 204,
    retryAfter: undefined,
    body: '',
  } as const;
  await recordCallOutcome(expired!, successfulCall, db, start + 30_000);
  assert.equal(await waiting(), []);
});

test('leases due calls of its webhook, longest due first', async () => {
  const { db } = server.services;
  const [id, other] = [await addWebhook(['message.sent']), await addWebhook(['message.sent'])];
  const now = server.clock.now;
  const add = (name: string, due_at: number, claimed_until: number | null = null, of = id) =>
    db
      .insertInto('webhook_calls')
      .values({ id: name, webhook_id: of, body: '{}', created_at: 1, due_at, claimed_until })
      .execute();
  await add('just due', now);
  await add('longest due', now - 2);
  await add('held', now - 3, now + 1);
  await add('held by a dead process', now - 1, now);
  await add('not yet due', now + 1);
  await add('of another', now - 4, null, other);
  const claim = async (limit: number) =>
    (await claimCalls(id, limit, db, now)).map((call) => call.id);
  assert.equal(await claim(1), ['longest due']);
  assert.equal((await claim(9)).sort(), ['held by a dead process', 'just due']);
});

test('drops a call when its transaction rolls back', async () => {
  await addWebhook(['message.sent']);
  await inTransaction(server.services.db, async (transaction) => {
    await addWebhookCalls('message.sent', () => [{}], transaction, server.clock.now);
    throw new Error('rolled back');
  }).catch(() => undefined);
  assert.equal(await listCalls(), []);
});

test("drops calls beyond a webhook's limit, and keeps those of others", async () => {
  const full = await addWebhook(['message.sent']);
  await queueEvents(
    'message.sent',
    ...Array.from({ length: MAX_WAITING_CALLS }, (_, n) => ({ n })),
  );
  const free = await addWebhook(['message.sent']);
  await queueEvents('message.sent', { n: 'last' });
  const calls = await listCalls();
  assert.is(calls.filter(({ webhook_id }) => webhook_id === full).length, MAX_WAITING_CALLS);
  assert.is(calls.filter(({ webhook_id }) => webhook_id === free).length, 1);
});

test.run();
