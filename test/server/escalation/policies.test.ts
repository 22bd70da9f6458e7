import * as assert from 'uvu/assert';
import type { PolicyStep } from '../../../src/shared/contract';
import { createEscalationHelpers, notifyAgainAfter } from '../../support/server/escalation';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('policies');
let escalation: ReturnType<typeof createEscalationHelpers>;
let admin: Person;
test.before.each(async () => {
  escalation = createEscalationHelpers(server);
  admin = await escalation.asAdmin();
});

const list = async () => (await server.call('GET /api/admin/policies', { as: admin })).body;
const addWebhook = (url: string) =>
  server.services.db.insertInto('webhooks').values({ url, events: '[]', secret: '' }).execute();

test('adds, lists, changes and deletes a policy, and clears it from its topics', async () => {
  const topic = await server.createTopic();
  await addWebhook('https://sms.example/hook');
  const steps: PolicyStep[] = [
    { after: 600, action: 'webhook', url: 'https://sms.example/hook', topicId: topic },
    { after: 60, action: 'repeat', url: 'https://unknown.example' },
    { after: 600, action: 'mail' },
    { after: 86_400, action: 'notify', topicId: topic },
  ];
  const { status, body } = await escalation.addPolicy({ name: ' Storm ', quorum: 2, steps });
  assert.is(status, 201);
  assert.equal(body, {
    id: body.id,
    name: 'Storm',
    quorum: 2,
    steps: [
      { after: 60, action: 'repeat' },
      { after: 600, action: 'webhook', url: 'https://sms.example/hook' },
      { after: 600, action: 'mail' },
      { after: 86_400, action: 'notify', topicId: topic },
    ],
    topics: 0,
  });
  await escalation.addPolicy({ name: 'alarm' });
  const topicFields = { title: 'A', description: 'B' };
  const addedResponse = await server.call('POST /api/admin/topics', {
    as: admin,
    body: { ...topicFields, policyId: body.id },
  });
  assert.is(addedResponse.body.policyId, body.id);
  assert.equal(
    (await list()).policies.map(({ name, topics }) => [name, topics]),
    [
      ['alarm', 0],
      ['Storm', 1],
    ],
  );
  const put = async (policyId?: number | null) =>
    (
      await server.call('PUT /api/admin/topics/:id', {
        as: admin,
        params: { id: addedResponse.body.id },
        body: { ...topicFields, ...(policyId !== undefined && { policyId }) },
      })
    ).body.policyId;
  assert.equal([await put(), await put(null), await put()], [body.id, null, null]);
  assert.is(await put(body.id), body.id);
  const changedResponse = await server.call('PUT /api/admin/policies/:id', {
    as: admin,
    params: { id: body.id },
    body: { name: 'STORM', steps: [notifyAgainAfter(5)] },
  });
  assert.equal(changedResponse.body, {
    id: body.id,
    name: 'STORM',
    quorum: null,
    steps: [notifyAgainAfter(5)],
    topics: 1,
  });
  const remove = () =>
    server.call('DELETE /api/admin/policies/:id', { as: admin, params: { id: body.id } });
  const setCheckInPolicy = (policyId: number | null, alarmTopicId: number | null) =>
    server.call('PUT /api/admin/check-ins/settings', {
      as: admin,
      body: { enabled: false, graceMinutes: 5, alarmTopicId, policyId },
    });
  // Without a policy of their own, alarms use that of their topic.
  for (const [policyId, alarmTopicId] of [
    [body.id, null],
    [null, addedResponse.body.id],
  ] as const) {
    await setCheckInPolicy(policyId, alarmTopicId);
    assert.equal(
      (await list()).policies.map(({ isForCheckIns }) => isForCheckIns),
      [undefined, true],
    );
    const rejectedResponse = await remove();
    assert.is(rejectedResponse.status, 409);
    assert.match(String(rejectedResponse.error), 'Check-in alarms use this policy.');
  }
  assert.is(await put(null), null, 'the topic may lose it');
  assert.equal((await remove()).body, { message: 'The policy was deleted.' });
  assert.is((await remove()).status, 404);
  assert.is(await put(), null);
});

test('rejects an invalid policy with a sentence', async () => {
  const errorOfChange = async (change: object): Promise<unknown> => {
    const { status, error } = await escalation.addPolicy(change);
    assert.is(status, 400, JSON.stringify(change));
    return Array.isArray(error) ? error.map(({ message }) => message).join(' ') : error;
  };
  const webhook = { after: 60, action: 'webhook' } as const;
  const notify = { after: 60, action: 'notify' } as const;
  for (const [change, sentence] of [
    [{ name: ' ' }, 'Name is required.'],
    [{ name: 'a\nb' }, 'Name must be a single line.'],
    [{ name: 'x'.repeat(101) }, 'Name is too long. Use 100 characters or fewer.'],
    [{ quorum: 0 }, 'The number of needed answers must be at least 1.'],
    [{ quorum: 1.5 }, 'The number of needed answers must be a whole number.'],
    [{ steps: [] }, 'A policy needs at least one step.'],
    [{ steps: Array(9).fill({ after: 60, action: 'mail' }) }, 'A policy can have at most 8 steps.'],
    [
      { steps: [{ after: 59, action: 'mail' }] },
      'Each step must start between 1 minute and 24 hours after the message is sent.',
    ],
    [
      { steps: [{ after: 86_401, action: 'mail' }] },
      'Each step must start between 1 minute and 24 hours after the message is sent.',
    ],
    [{ steps: [{ after: 60.5, action: 'mail' }] }, '`after` must be a whole number of seconds.'],
    [{ steps: [notify] }, 'Choose the topic that the step notifies.'],
    [{ steps: [{ ...notify, topicId: 999 }] }, 'A step notifies a topic that does not exist.'],
    [{ steps: [webhook] }, 'Choose the webhook that the step calls.'],
    [
      { steps: [{ ...webhook, url: 'https://unknown.example' }] },
      'A step calls a webhook that does not exist.',
    ],
    [
      {
        steps: [
          { after: 119, action: 'repeat' },
          { after: 60, action: 'repeat' },
        ],
      },
      'A policy can notify again at most once a minute.',
    ],
    [
      {
        steps: [
          { after: 60, action: 'mail' },
          { after: 120, action: 'repeat' },
          { after: 150, action: 'repeat' },
        ],
      },
      'A policy can notify again at most once a minute.',
    ],
  ] as const)
    assert.is(await errorOfChange(change), sentence);
  assert.is(
    (await escalation.addPolicy({ steps: [{ after: 60, action: 'call' } as never] })).status,
    400,
  );
  assert.equal((await list()).policies, []);
});

test('checks each topic and webhook of all steps', async () => {
  const topics = [
    await server.createTopic(),
    await server.createTopic(),
    await server.createTopic(),
  ];
  const urls = ['https://a.example/', 'https://b.example/', 'https://c.example/'];
  for (const url of urls) await addWebhook(url);
  const notify = (topicId: number) => ({ after: 60, action: 'notify', topicId }) as const;
  const webhook = (url: string) => ({ after: 60, action: 'webhook', url }) as const;
  for (const steps of [
    [notify(topics[0]!), notify(999)],
    [webhook(urls[0]!), webhook('https://d.example/')],
  ])
    assert.is((await escalation.addPolicy({ steps })).status, 400);
  const twice = [...topics, topics[0]!].map(notify);
  assert.is((await escalation.addPolicy({ steps: [...twice, ...urls.map(webhook)] })).status, 201);
});

test("matches a step's webhook address however it is written", async () => {
  const url = 'https://SMS.example';
  await server.call('POST /api/admin/webhooks', { as: admin, body: { url, events: [] } });
  for (const written of [url, 'https://sms.example/', 'https://sms.example:443/#bell']) {
    const steps: PolicyStep[] = [{ after: 60, action: 'webhook', url: written }];
    const { status, body } = await escalation.addPolicy({ steps });
    assert.equal([status, body.steps?.[0]?.url], [201, 'https://sms.example/'], written);
  }
  for (const other of ['http://sms.example/', 'https://sms.example/other', 'sms.example'])
    assert.is(
      (await escalation.addPolicy({ steps: [{ after: 60, action: 'webhook', url: other }] }))
        .status,
      400,
      other,
    );
});

test('leaves other policies and their topics alone', async () => {
  const [first, changed, gone] = [
    await escalation.addPolicy({ name: 'A', quorum: 3 }),
    await escalation.addPolicy({ name: 'B' }),
    await escalation.addPolicy({ name: 'C' }),
  ].map((addedResponse) => addedResponse.body);
  for (const { id: policy_id } of [first!, first!, gone!]) {
    const topic = await server.createTopic();
    const { db } = server.services;
    await db.updateTable('topics').set({ policy_id }).where('id', '=', topic).execute();
  }
  const body = { name: 'Z', steps: [notifyAgainAfter(9)] };
  const put = (id: number) =>
    server.call('PUT /api/admin/policies/:id', { as: admin, params: { id }, body });
  assert.is((await put(999)).status, 404);
  await put(changed!.id);
  await server.call('DELETE /api/admin/policies/:id', { as: admin, params: { id: gone!.id } });
  const [usedPolicy, unusedPolicy] = (await list()).policies;
  assert.equal([usedPolicy?.topicIds?.length, unusedPolicy?.topicIds], [2, []]);
  assert.equal(
    [usedPolicy, unusedPolicy].map((policy) => ({ ...policy, topicIds: undefined })),
    [
      { ...first, topics: 2 },
      { ...changed, ...body },
    ].map((policy) => ({ ...policy, topicIds: undefined })),
  );
});

test('creates one policy from simultaneous requests for the same name', async () => {
  const responses = await Promise.all([1, 2, 3].map(() => escalation.addPolicy({ name: 'Storm' })));
  assert.equal(responses.map(({ status }) => status).sort(), [201, 409, 409]);
});

test('rejects a duplicate name and more than a hundred policies', async () => {
  await escalation.addPolicy({ name: 'Storm' });
  const { status, error } = await escalation.addPolicy({ name: 'STORM' });
  assert.equal(
    [status, error],
    [409, [{ message: 'Another policy already has this name.', path: 'name' }]],
  );
  const { body: other } = await escalation.addPolicy({ name: 'Night' });
  const changedResponse = await server.call('PUT /api/admin/policies/:id', {
    as: admin,
    params: { id: other.id },
    body: { name: 'storm', steps: [notifyAgainAfter(3)] },
  });
  assert.equal([changedResponse.status, changedResponse.error], [status, error]);
  const values = Array.from({ length: 97 }, (_, nth) => ({ name: `${nth}`, steps: '[]' }));
  await server.services.db.insertInto('policies').values(values).execute();
  const { policies } = await list();
  assert.equal([policies[2]?.name, policies[10]?.name], ['2', '10'], 'numbers in their order');
  assert.is((await escalation.addPolicy({})).status, 201, 'the hundredth');
  const full = await escalation.addPolicy({});
  assert.equal(
    [full.status, full.error],
    [409, 'There are already 100 policies. Please delete one first.'],
  );
});

test('answers a repeated request with the same policy, as long as it exists', async () => {
  const addPolicy = (name = 'Storm') =>
    server.call('POST /api/admin/policies', {
      as: admin,
      body: { name, steps: [notifyAgainAfter(3)] },
      headers: { 'Idempotency-Key': 'abc' },
    });
  const results = await Promise.all(Array.from({ length: 5 }, () => addPolicy()));
  const id = results[0]?.body.id ?? 0;
  for (const { status, body } of results) assert.equal([status, body.id], [201, id]);
  assert.is((await list()).policies.length, 1);
  const otherResponse = await addPolicy('Gale');
  assert.equal(
    [otherResponse.status, otherResponse.error],
    [409, 'This Idempotency-Key was already used for another policy.'],
  );
  await server.call('DELETE /api/admin/policies/:id', { as: admin, params: { id } });
  const nextResponse = await addPolicy();
  assert.is(nextResponse.status, 201);
  assert.equal((await list()).policies, [{ ...nextResponse.body, topicIds: [] }]);
});

test('rejects deleting a topic that a policy notifies', async () => {
  const topic = await server.createTopic();
  const { body } = await escalation.addPolicy({
    name: 'Storm',
    steps: [{ after: 60, action: 'notify', topicId: topic }],
  });
  const remove = () =>
    server.call('DELETE /api/admin/topics/:id', { as: admin, params: { id: topic } });
  const rejectedResponse = await remove();
  assert.equal(
    [rejectedResponse.status, rejectedResponse.error],
    [409, 'The policy “Storm” notifies this topic. Please change the policy first.'],
  );
  await server.call('DELETE /api/admin/policies/:id', { as: admin, params: { id: body.id } });
  assert.is((await remove()).status, 200);
});

test('rejects an unknown policy for topics and messages', async () => {
  const person = await escalation.createMember(1);
  const topic = await server.createTopic();
  const policyId = 999;
  const expected = [400, [{ message: 'This policy does not exist.', path: 'policyId' }]];
  const text = { title: 'A', description: 'B', policyId };
  const responses = [
    await server.call('POST /api/admin/topics', { as: admin, body: text }),
    await server.call('PUT /api/admin/topics/:id', {
      as: admin,
      params: { id: topic },
      body: text,
    }),
    await escalation.send({ userIds: [person.id], policyId }),
    await escalation.send({
      userIds: [person.id],
      policyId,
      sendAt: new Date(server.clock.now + 60_000).toISOString(),
    }),
    await server.sendToTopic(admin, topic, { message: 'Hello', policyId }),
  ];
  for (const { status, error } of responses) assert.equal([status, error], expected);
  const { sent } = await server.services.db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('sent'))
    .executeTakeFirstOrThrow();
  assert.is(sent, 0);
});

test("lists what steps can't use here: mail, webhooks and topics", async () => {
  const [named, full] = [await server.createTopic(), await server.createTopic()];
  await escalation.createMember(1, full);
  const { db } = server.services;
  const url = (name: string) => `https://sms.example/${name}`;
  await db
    .insertInto('webhooks')
    .values(
      [
        { url: url('works') },
        { url: url('fails'), failing_since: 1 },
        { url: url('off'), failing_since: 1, off_since: 2 },
        { url: url('removed') },
      ].map((webhook) => ({ events: '[]', secret: '', ...webhook })),
    )
    .execute();
  await escalation.addPolicy({
    steps: [
      { after: 60, action: 'webhook', url: url('removed') },
      { after: 120, action: 'notify', topicId: named },
    ],
  });
  await db.deleteFrom('webhooks').where('url', '=', url('removed')).execute();
  await db.deleteFrom('topics').where('id', '=', named).execute();
  const empty = await server.createTopic();
  const problems = [
    { action: 'webhook', url: url('fails'), problem: 'webhook-failing' },
    { action: 'webhook', url: url('off'), problem: 'webhook-off' },
    { action: 'webhook', url: url('removed'), problem: 'webhook-removed' },
    { action: 'notify', topicId: named, problem: 'topic-deleted' },
    { action: 'notify', topicId: empty, problem: 'topic-empty' },
  ];
  const mail = { action: 'mail', problem: 'mail-not-set-up' };
  assert.equal((await list()).problems, [mail, ...problems]);
  server.services.config.smtpUrl = 'smtp://mail.example';
  assert.equal((await list()).problems, problems);
});

test.run();
