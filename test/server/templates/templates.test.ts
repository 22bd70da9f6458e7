import * as assert from 'uvu/assert';
import type { NewTemplate } from '../../../src/shared/contract';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('templates');
let admin: Person;
test.before.each(async () => void (admin = await server.createPerson('ADMIN')));

const add = (body: NewTemplate) => server.call('POST /api/admin/templates', { as: admin, body });
const change = (id: number | string, body: NewTemplate) =>
  server.call('PUT /api/admin/templates/:id', { as: admin, params: { id }, body });
const remove = (id: number | string) =>
  server.call('DELETE /api/admin/templates/:id', { as: admin, params: { id } });
const list = async () =>
  (await server.call('GET /api/admin/templates', { as: admin })).body.templates;

const full = {
  name: 'Outage',
  title: 'North',
  message: 'Power is off',
  priority: 'urgent',
  answers: ['Got it', 'On my way'],
  link: '/subscriptions',
} as const;
const template = { ...full, answers: [...full.answers] };

test('keeps a template as saved, with defaults for the rest', async () => {
  const { status, body } = await add(template);
  assert.equal([status, body], [201, { id: body.id, ...template }]);
  const { body: plain } = await add({ name: ' Plain ', message: ' Hi \n', title: ' ', link: '' });
  assert.equal(plain, {
    id: plain.id,
    name: 'Plain',
    message: 'Hi',
    title: null,
    link: null,
    priority: 'normal',
    answers: [],
  });
  assert.equal(await list(), [body, plain]);
});

test('replaces a template completely, and deletes only that one', async () => {
  const { body } = await add(template);
  const { body: other } = await add({ name: 'Other', message: 'Hi' });
  const changedResponse = await change(body.id, { name: 'OUTAGE', message: 'Back again' });
  const expected = {
    id: body.id,
    name: 'OUTAGE',
    message: 'Back again',
    title: null,
    link: null,
    priority: 'normal',
    answers: [],
  };
  assert.equal([changedResponse.status, changedResponse.body], [200, expected]);
  assert.equal(await list(), [other, expected]);
  assert.equal(
    [(await remove(body.id)).body, await list()],
    [{ message: 'The template was deleted.' }, [other]],
  );
});

test('sorts templates by name in any case, with numbers by value', async () => {
  for (const name of ['week 10', 'Week 2', 'abc', 'Zoo', 'Ärger'])
    await add({ name, message: 'Hi' });
  assert.equal(
    (await list()).map(({ name }) => name),
    ['abc', 'Ärger', 'Week 2', 'week 10', 'Zoo'],
  );
});

test('rejects a duplicate name in any case, except its own', async () => {
  const [firstResponse, otherResponse] = [
    await add(template),
    await add({ ...template, name: 'Störung' }),
  ];
  const nameConflict = [{ message: 'Another template already has this name.', path: 'name' }];
  for (const { status, error } of [
    await add({ ...template, name: ' STÖRUNG' }),
    await change(firstResponse.body.id, { ...template, name: 'störung' }),
  ])
    assert.equal([status, error], [409, nameConflict]);
  assert.is((await change(otherResponse.body.id, { ...template, name: 'STÖRUNG' })).status, 200);
});

test('saves a name once for simultaneous requests', async () => {
  const statuses = await Promise.all([1, 2, 3].map(async () => (await add(template)).status));
  assert.equal(statuses.sort(), [201, 409, 409]);
  assert.is((await list()).length, 1);
});

test('accepts 200 templates', async () => {
  const values = Array.from({ length: 199 }, (_, nth) => ({ name: `Template ${nth}`, text: 'Hi' }));
  await server.services.db.insertInto('templates').values(values).execute();
  assert.is((await add({ name: 'The last', message: 'Hi' })).status, 201);
  const rejectedResponse = await add({ name: 'One more', message: 'Hi' });
  assert.equal(
    [rejectedResponse.status, rejectedResponse.error],
    [409, 'There are already 200 templates. Please delete one first.'],
  );
  const [first] = await list();
  assert.is((await change(first?.id ?? 0, { name: 'Another name', message: 'Hi' })).status, 200);
});

test('rejects a template like an invalid message, and an invalid name', async () => {
  const { body } = await add({ name: 'x'.repeat(100), message: 'Hi' });
  const faults: [Partial<NewTemplate>, path: string][] = [
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ message: ' ' }, 'message'],
    [{ message: 'x'.repeat(1001) }, 'message'],
    [{ title: 'x'.repeat(101) }, 'title'],
    [{ link: 'javascript:alert(1)' }, 'link'],
    [{ link: '//elsewhere.example' }, 'link'],
    [{ priority: 'loud' as 'urgent' }, 'priority'],
    [{ answers: ['a', 'b', 'c', 'd'] }, 'answers'],
    [{ answers: ['same', 'same'] }, 'answers'],
  ];
  for (const [fault, path] of faults) {
    for (const result of [
      await add({ ...template, ...fault }),
      await change(body.id, { ...template, ...fault }),
    ]) {
      const [first] = result.error as { path: string }[];
      assert.equal([result.status, first?.path], [400, path], JSON.stringify(fault));
    }
  }
  assert.equal(await list(), [body]);
});

test('rejects changing or deleting an unknown template', async () => {
  for (const id of [999, 'x', '1e3', '9'.repeat(20)]) {
    const results = [await change(id, template), await remove(id)];
    for (const { status, error } of results)
      assert.equal([status, error], [404, 'This template does not exist.']);
  }
});

test.run();
