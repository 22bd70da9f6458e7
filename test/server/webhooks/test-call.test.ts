import * as assert from 'uvu/assert';
import { receiverReplyWithStatus } from '../../support/webhooks/receiver';
import { webhookSuite } from '../../support/webhooks/webhook-suite';

const { test, setup } = webhookSuite('webhook tests');
const callTest = (id: number) =>
  setup.server.call('POST /api/admin/webhooks/:id/test', { as: setup.admin, params: { id } });

test('calls at once, signed, and returns the status', async () => {
  const id = await setup.addWebhook('/bell', []);
  const { status: code, body } = await callTest(id);
  assert.is(code, 200);
  assert.equal([body.id, body.lastStatus, body.failingSince], [id, 204, null]);
  const [receivedCall] = setup.receiver.calls;
  assert.is(receivedCall?.isGenuine, true);
  assert.is(setup.server.wakeCounts.webhooks, 1, 'what waited while it was off is called at once');
  assert.equal(receivedCall?.body, {
    type: 'test',
    timestamp: new Date(setup.server.clock.now).toISOString(),
    data: {},
  });
  assert.is(await setup.countWaiting(), 0);
});

test('calls only the tested webhook', async () => {
  const [first, second] = [await setup.addWebhook('/a'), await setup.addWebhook('/b')];
  const { body } = await callTest(second);
  assert.equal([body.id, body.lastStatus], [second, 204]);
  assert.equal(
    setup.receiver.calls.map(({ path, isGenuine }) => [path, isGenuine]),
    [['/b', true]],
  );
  assert.is((await setup.readWebhook(first)).last_status, null);
});

test('shows and logs a failed test', async () => {
  const id = await setup.addWebhook('/bell');
  setup.receiver.replies.set('/bell', receiverReplyWithStatus(404));
  const { body } = await callTest(id);
  assert.is(body.lastStatus, 404);
  assert.is(body.failingSince, new Date(setup.server.clock.now).toISOString());
  assert.is(body.offSince, null);
  const countLines = () =>
    setup.server.log.filter((line) => /"webhook (fails|works)/.test(line)).length;
  assert.is(countLines(), 1, 'the log says so, too');
  setup.receiver.replies.clear();
  await callTest(id);
  assert.is(countLines(), 2);
});

test('returns status 0 when nothing listens', async () => {
  const id = await setup.addWebhook('/bell');
  await setup.receiver.close();
  assert.is((await callTest(id)).body.lastStatus, 0);
});

test('allows ten tests a minute across all webhooks', async () => {
  const ids = [await setup.addWebhook('/a'), await setup.addWebhook('/b')];
  for (let time = 0; time < 10; time += 1)
    assert.is((await callTest(ids[time % 2] ?? 0)).status, 200);
  const rejectedResponse = await callTest(ids[0] ?? 0);
  assert.is(rejectedResponse.status, 429);
  assert.ok(Number(rejectedResponse.headers.get('retry-after')) <= 60);
  assert.is(setup.receiver.calls.length, 10);
  setup.server.clock.now += 60_000;
  assert.is((await callTest(ids[0] ?? 0)).status, 200);
});

test('returns 404 for an unknown webhook, without counting it', async () => {
  for (let time = 0; time < 10; time += 1) assert.is((await callTest(999)).status, 404);
  assert.is((await callTest(await setup.addWebhook('/bell'))).status, 200);
});

test.run();
