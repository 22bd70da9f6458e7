import * as assert from 'uvu/assert';
import type { Body } from '../../../src/shared/contract';
import { type Person, serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('webhooks', {
  environment: { WEBHOOK_ALLOWED_HOSTS: 'sms.internal, localhost:8443' },
});
type NewWebhook = Body<'POST /api/admin/webhooks'>;
let admin: Person;
test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
});

const add = (url: string, events: NewWebhook['events'] = []) =>
  server.call('POST /api/admin/webhooks', { as: admin, body: { url, events } });
const list = async () =>
  (await server.call('GET /api/admin/webhooks', { as: admin })).body.webhooks;

test("shows a webhook's secret once, when it is added", async () => {
  const { status, body } = await add('https://ops.example/bell', ['message.sent']);
  assert.is(status, 201);
  const { id, secret, ...webhook } = body;
  assert.match(secret, /^whsec_/);
  const fresh = { lastStatus: null, lastAt: null, failingSince: null, offSince: null };
  assert.equal(webhook, { url: 'https://ops.example/bell', events: ['message.sent'], ...fresh });
  const listed = await list();
  assert.equal(listed, [{ id, ...webhook }]);
  assert.not.match(server.log.join('\n'), /whsec_|ops\.example/);
});

for (const [url, sentence] of [
  ['http://ops.example/', 'URL must begin with https://.'],
  ['ftp://ops.example/', 'URL must begin with https://.'],
  ['https://me:secret@ops.example/', 'URL must not contain a username or password.'],
  ['https://ops.example:8443/', /^URL has a port\. .*WEBHOOK_ALLOWED_HOSTS/],
  ['https://127.0.0.1/', /^URL is in a private network\. .*WEBHOOK_ALLOWED_HOSTS/],
  ['https://0x7f.1/', /^URL is in a private network/],
  ['https://[::1]/', /^URL is in a private network/],
  ['https://[::ffff:10.0.0.1]/', /^URL is in a private network/],
  ['https://169.254.169.254/latest/meta-data', /^URL is in a private network/],
  ['https://10.1.2.3/', /^URL is in a private network/],
  ['https://localhost/', /^URL is in a private network/],
  ['https://sub.sms.internal:8443/', /^URL has a port/],
  ['ops.example', /^Enter a URL such as/],
  ['https://', /^Enter a URL such as/],
  ['https://ops.example/\nHost: other', /single line/],
  [`https://ops.example/${'x'.repeat(2000)}`, /2,000 characters or fewer/],
] as const) {
  test(`rejects the address ${url.slice(0, 60)}`, async () => {
    const { status, error } = await add(url);
    assert.is(status, 400);
    const [{ message, path } = { message: '', path: '' }] = error as {
      message: string;
      path: string;
    }[];
    assert.is(path, 'url');
    if (typeof sentence === 'string') assert.is(message, sentence);
    else assert.match(message, sentence);
    assert.equal(await list(), []);
  });
}

test('allows listed hosts on private addresses and other ports', async () => {
  for (const url of [
    'https://sms.internal:8443/',
    'https://sms.internal/',
    'https://localhost:8443/',
  ])
    assert.is((await add(url)).status, 201);
});

test('accepts an address that does not resolve yet', async () => {
  server.services.webhookCaller.findAddressFault = async () => undefined;
  assert.is((await add('https://not-yet.example/')).status, 201);
});

test('accepts an address once, however it is written', async () => {
  await add('https://ops.example/bell');
  for (const url of ['https://OPS.example:443/bell', ' https://ops.example/bell#part ']) {
    const { status, error } = await add(url);
    assert.is(status, 409);
    assert.equal(error, [{ message: 'A webhook with this URL already exists.', path: 'url' }]);
  }
  assert.is((await add('https://ops.example/bell?of=another')).status, 201);
});

test('creates one webhook from simultaneous requests', async () => {
  const responses = await Promise.all([1, 2, 3].map(() => add('https://ops.example/bell')));
  assert.equal(responses.map(({ status }) => status).sort(), [201, 409, 409]);
});

test('returns the same webhook for a repeated request', async () => {
  const addWebhook = (url = 'https://ops.example/bell', as = admin) =>
    server.call('POST /api/admin/webhooks', {
      as,
      body: { url, events: [] },
      headers: { 'Idempotency-Key': 'abc' },
    });
  const results = await Promise.all(Array.from({ length: 5 }, () => addWebhook()));
  const [firstResponse] = results;
  for (const { status, body } of results)
    assert.equal(
      [status, body.id, body.secret],
      [201, firstResponse?.body.id, firstResponse?.body.secret],
    );
  assert.is((await list()).length, 1);
  assert.is(
    (await addWebhook('https://ops.example/other')).error,
    'This Idempotency-Key was already used for another webhook.',
  );
  assert.is(
    (await addWebhook(undefined, await server.createPerson('ADMIN'))).status,
    409,
    'not theirs',
  );
  await server.call('DELETE /api/admin/webhooks/:id', {
    as: admin,
    params: { id: firstResponse?.body.id ?? 0 },
  });
  const nextResponse = await addWebhook();
  assert.is(nextResponse.status, 201);
  assert.is.not(nextResponse.body.secret, firstResponse?.body.secret);
  assert.is((await addWebhook()).body.secret, nextResponse.body.secret);
  assert.equal(
    (await list()).map(({ id }) => id),
    [nextResponse.body.id],
  );
});

test('accepts twenty webhooks', async () => {
  for (let index = 0; index < 20; index += 1)
    assert.is((await add(`https://ops.example/${index}`)).status, 201);
  const { status, error } = await add('https://ops.example/20');
  assert.is(status, 409);
  assert.match(String(error), /already 20 webhooks/);
  const [first] = await list();
  await server.call('DELETE /api/admin/webhooks/:id', {
    as: admin,
    params: { id: first?.id ?? 0 },
  });
  assert.is((await add('https://ops.example/20')).status, 201);
});

test('rejects repeated and unknown events', async () => {
  assert.is((await add('https://ops.example/', ['message.sent', 'message.sent'])).status, 400);
  assert.is((await add('https://ops.example/', ['message.read' as 'message.sent'])).status, 400);
  assert.is((await add('https://ops.example/', [])).status, 201);
});

test('deletes a webhook with its waiting calls only', async () => {
  const ids: number[] = [];
  for (const name of ['a', 'b'])
    ids.push((await add(`https://${name}.example/`, ['message.sent'])).body.id);
  await server.sendMessage(admin, { userIds: [admin.id], message: 'Hello' });
  const { status } = await server.call('DELETE /api/admin/webhooks/:id', {
    as: admin,
    params: { id: ids[0] ?? 0 },
  });
  assert.is(status, 200);
  const { db } = server.services;
  const calls = await db.selectFrom('webhook_calls').select(['id', 'webhook_id']).execute();
  assert.equal(
    calls.map((call) => call.webhook_id),
    [ids[1]],
  );
});

test('rejects deleting a webhook that a policy calls', async () => {
  const { id, url } = (await add('https://sms.example/')).body;
  const as = admin;
  const steps = [{ after: 60, action: 'webhook' as const, url }];
  const { body: policy } = await server.call('POST /api/admin/policies', {
    as,
    body: { name: 'Storm', steps },
  });
  const remove = () => server.call('DELETE /api/admin/webhooks/:id', { as, params: { id } });
  const { status, error } = await remove();
  assert.is(status, 409);
  assert.is(error, 'The policy “Storm” calls this webhook. Please change the policy first.');
  await server.call('DELETE /api/admin/policies/:id', { as, params: { id: policy.id } });
  assert.is((await remove()).status, 200);
});

test('keeps other webhooks and their calls when one is deleted', async () => {
  const { db } = server.services;
  const named = (await add('https://named.example/')).body;
  const free = (await add('https://free.example/')).body;
  const steps = [{ after: 60, action: 'webhook' as const, url: named.url }];
  await server.call('POST /api/admin/policies', { as: admin, body: { name: 'Storm', steps } });
  for (const { id } of [named, free])
    await db
      .insertInto('webhook_calls')
      .values({ id: `call of ${id}`, webhook_id: id, body: '{}', created_at: 1, due_at: 1 })
      .execute();
  const remove = (id: number) =>
    server.call('DELETE /api/admin/webhooks/:id', { as: admin, params: { id } });
  assert.equal([(await remove(999)).status, (await remove(free.id)).status], [404, 200]);
  const remainingCalls = await db.selectFrom('webhook_calls').select('webhook_id').execute();
  assert.equal(remainingCalls, [{ webhook_id: named.id }]);
  assert.equal(
    (await list()).map(({ id }) => id),
    [named.id],
  );
});

test.run();
