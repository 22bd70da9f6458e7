import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import {
  AUDIT_EXPORT_BATCH,
  readUserEntries,
  searchEntries,
} from '../../../server/audit-log/entries';
import { readAuditLog, writeAuditEntries } from '../../support/server/audit';
import type { Person } from '../../support/server/server';
import { createServer, serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('reading the audit log');

let ana: Person;
test.before.each(async () => {
  ana = await server.createPerson('ADMIN', { username: 'Ana Lindqvist' });
});

const download = async (query = ''): Promise<{ response: Response; lines: string[] }> => {
  const response = await server.request(`/api/admin/audit.csv?query=${encodeURIComponent(query)}`, {
    headers: { Authorization: `Bearer ${ana.token}` },
  });
  return { response, lines: (await response.text()).split('\r\n').slice(0, -1) };
};

test('lists entries by page, newest first, and an empty page after the last', async () => {
  await writeAuditEntries(
    server,
    Array.from({ length: 30 }, (_, index) => ({ action: 'topic.add' as const, on: `T${index}` })),
  );
  const read = async (page: number) =>
    (await server.call('GET /api/admin/audit', { as: ana, query: { page, limit: 25 } })).body;
  const first = await read(1);
  assert.equal([first.total, first.page, first.limit, first.keptDays], [30, 1, 25, 365]);
  assert.equal([first.entries.length, first.entries[0]?.target], [25, 'T29']);
  assert.equal(
    (await read(2)).entries.map(({ target }) => target),
    ['T4', 'T3', 'T2', 'T1', 'T0'],
  );
  assert.equal((await read(3)).entries, []);
});

test('finds every word in any order, column and case, and takes wildcards literally', async () => {
  const ben = await server.createPerson('TECHNICIAN', { username: 'Benno Weiß' });
  await writeAuditEntries(server, [
    { action: 'user.role', person: ben.id, detail: 'Technician to Admin' },
    { action: 'topic.add', on: 'Störung 100% _x' },
  ]);
  await writeAuditEntries(
    server,
    { action: 'topic.delete', on: 'Flood' },
    { by: { person: ana.id }, network: '203.0.113.0/24', at: Date.UTC(2026, 10, 20, 12) },
  );
  const findActions = async (query: string) =>
    (await readAuditLog(server, ana, query)).map(({ action }) => action);
  assert.equal(await findActions('admin BENNO changed'), ['user.role']);
  assert.equal(await findActions('weiß user.role'), ['user.role']);
  assert.equal(await findActions('STÖRUNG 100%'), ['topic.add']);
  assert.equal(await findActions('_x'), ['topic.add']);
  assert.equal(await findActions('%'), ['topic.add']);
  assert.equal(await findActions('lindqvist ana'), ['topic.delete']);
  assert.equal(await findActions('203.0.113 deleted'), ['topic.delete']);
  assert.equal(await findActions('2026-11-20'), ['topic.delete']);
  assert.equal(await findActions('key: test'), ['topic.add', 'user.role']);
  assert.equal(await findActions('admin missing'), []);
  assert.equal(await findActions("'; drop table users; --\\"), []);
});

test('also finds the actions that an app names in another language', async () => {
  await writeAuditEntries(server, [
    { action: 'user.delete', on: 'ben' },
    { action: 'topic.add', on: 'Gelöscht' },
    { action: 'topic.delete', on: 'Flood' },
  ]);
  const query = { query: 'gelöscht', actions: 'user.delete,unknown', limit: 100 } as const;
  const read = async (area: { area?: 'topics' }) =>
    (
      await server.call('GET /api/admin/audit', { as: ana, query: { ...query, ...area } })
    ).body.entries.map(({ target }) => target);
  assert.equal(await read({}), ['Gelöscht', 'ben']);
  assert.equal(await read({ area: 'topics' }), ['Gelöscht']);
});

test('exports all entries, the export first, without spreadsheet formulas', async () => {
  await writeAuditEntries(server, {
    action: 'topic.add',
    on: '=HYPERLINK("x")',
    detail: '+1, "a"\n@b',
  });
  const { response, lines } = await download();
  assert.is(response.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
  assert.match(response.headers.get('content-disposition') ?? '', 'filename="audit-log.csv"');
  const at = new Date(server.clock.now).toISOString();
  assert.is(
    lines.join('\n'),
    [
      'at,actor,action,target,detail,network',
      `${at},Ana Lindqvist,export,Audit log,,192.0.2.0/24`,
      `${at},key: test,topic.add,"'=HYPERLINK(""x"")","'+1, ""a""\n@b",`,
    ].join('\n'),
  );
});

test('searches all entries in pieces, yields in between, and pages consistently', async () => {
  const newEntries = Array.from({ length: 2 * AUDIT_EXPORT_BATCH + 1 }, (_, index) => ({
    action: 'topic.add' as const,
    on: index % 500 === 0 ? `Rare ${index}` : 'T',
  }));
  await writeAuditEntries(server, newEntries);
  let [turns, isDone] = [0, false];
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const pages = await Promise.all(
    [1, 2, 3].map((page) =>
      server.call('GET /api/admin/audit', { as: ana, query: { query: 'rare', page, limit: 2 } }),
    ),
  );
  isDone = true;
  assert.ok(turns > 2, `${turns}`);
  assert.equal(
    pages.map(({ body }) => [body.total, body.entries.map(({ target }) => target)]),
    [
      [5, ['Rare 2000', 'Rare 1500']],
      [5, ['Rare 1000', 'Rare 500']],
      [5, ['Rare 0']],
    ],
  );
  assert.is(pages[0]?.body.searched, undefined);
});

test('limits a search to the newest entries, and says so', async () => {
  const newEntries = Array.from({ length: 30 }, (_, index) => ({
    action: 'topic.add' as const,
    on: `T${index}`,
  }));
  await writeAuditEntries(server, newEntries);
  const paging = { page: 1, limit: 10, offset: 0, words: ['t'] };
  const filter = { words: ['t1'], since: 0 };
  const foundEntries = await searchEntries(paging, filter, server.services.db, 15);
  assert.equal(
    [foundEntries.total, foundEntries.entries[0]?.target, foundEntries.searched],
    [5, 'T19', 15],
  );
  assert.is((await searchEntries(paging, filter, server.services.db, 30)).searched, undefined);
});

test('lists only an area or the last days, and rejects unknown ones', async () => {
  const author = { by: { person: ana.id } };
  const old = server.clock.now - 8 * 24 * 60 * 60 * 1000;
  await writeAuditEntries(server, { action: 'topic.add', on: 'Old' }, { ...author, at: old });
  await writeAuditEntries(
    server,
    { action: 'topic.add', on: 'New' },
    { ...author, at: server.clock.now },
  );
  await writeAuditEntries(server, { action: 'totp.on' }, { ...author, at: server.clock.now });
  const list = async (query: Record<string, string | number>) =>
    await server.call('GET /api/admin/audit', { as: ana, query });
  const targets = async (query: Record<string, string | number>) =>
    (await list(query)).body.entries.map(({ target }) => target);
  assert.equal(await targets({ area: 'topics' }), ['New', 'Old']);
  assert.equal(await targets({ area: 'topics', days: 7 }), ['New']);
  assert.equal(await targets({ query: 'old', days: 30 }), ['Old']);
  assert.equal((await list({ area: 'accounts', limit: 1 })).body.total, 1);
  assert.is((await list({ area: 'cars' })).status, 400);
  assert.is((await list({ days: 8 })).status, 400);
});

test("shows a message's text as long as the message is kept", async () => {
  const topic = await server.createTopic('Outages');
  await server.subscribe(ana, ana.id, topic);
  const { body } = await server.sendMessage(ana, { topicIds: [topic], message: 'Power is off' });
  const read = async () =>
    (await server.call('GET /api/admin/audit', { as: ana, query: { query: 'sent' } })).body
      .entries[0]?.message;
  assert.equal(await read(), { id: body.messageId, title: 'Outages', text: 'Power is off' });
  const { db } = server.services;
  const { rows } = await sql`select * from audit_entries`.execute(db);
  assert.not.match(JSON.stringify(rows), 'Power is off');
  await db.deleteFrom('messages').execute();
  assert.is(await read(), undefined);
});

test('shows the text of the time of each entry, not a later correction', async () => {
  const { body } = await server.sendMessage(ana, { userIds: [ana.id], message: 'Use gate 12.' });
  const params = { id: body.messageId };
  for (const message of ['Use gate 21.', 'Use gate 22.']) {
    server.clock.now += 60_000;
    const corrected = { message, title: message.slice(4, 11), ask: false };
    const path = 'POST /api/admin/messages/:id/correct';
    assert.is((await server.call(path, { as: ana, params, body: corrected })).status, 200);
  }
  server.clock.now += 60_000;
  await server.call('POST /api/admin/messages/:id/all-clear', { as: ana, params, body: {} });
  const { entries } = (
    await server.call('GET /api/admin/audit', { as: ana, query: { area: 'messages' } })
  ).body;
  assert.equal(
    entries.map(({ action, message }) => [action, message?.title, message?.text]),
    [
      ['message.clear', 'gate 22', 'Use gate 22.'],
      ['message.correct', 'gate 22', 'Use gate 22.'],
      ['message.correct', 'gate 21', 'Use gate 21.'],
      ['message.send', '', 'Use gate 12.'],
    ],
  );
});

test('shows the text that was scheduled, although it was corrected before it was sent', async () => {
  const sendAt = new Date(server.clock.now + 600_000).toISOString();
  const sentResponse = await server.sendMessage(ana, {
    userIds: [ana.id],
    message: 'Gate 12.',
    sendAt,
  });
  const params = { id: sentResponse.body.messageId };
  const correct = async (message: string) => {
    server.clock.now += 60_000;
    const body = { message, ask: false };
    const path = 'POST /api/admin/messages/:id/correct';
    assert.is((await server.call(path, { as: ana, params, body })).status, 200);
  };
  await correct('Gate 21.');
  await correct('Gate 22.');
  server.clock.now += 600_000;
  await server.jobs.runDue();
  await correct('Gate 23.');
  const { entries } = (
    await server.call('GET /api/admin/audit', { as: ana, query: { area: 'messages' } })
  ).body;
  assert.equal(
    entries.map(({ action, message }) => [action, message?.text]),
    [
      ['message.correct', 'Gate 23.'],
      ['message.correct', 'Gate 22.'],
      ['message.correct', 'Gate 21.'],
      ['message.send', 'Gate 12.'],
    ],
  );
});

test('breaks off an export when its reader loses the right to it', async () => {
  await writeAuditEntries(
    server,
    Array.from({ length: AUDIT_EXPORT_BATCH }, () => ({ action: 'topic.add' as const })),
  );
  const response = await server.request('/api/admin/audit.csv', {
    headers: { Authorization: `Bearer ${ana.token}` },
  });
  const reader = response.body?.getReader();
  await reader?.read();
  await server.services.db.updateTable('users').set({ role: 'CUSTOMER' }).execute();
  const failed = await reader?.read().then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(failed);
  assert.ok(server.log.some((line) => /download interrupted.*audit-log/.test(line)));
});

test('says how long entries are kept', async () => {
  const otherServer = await createServer({ environment: { AUDIT_DAYS: '400' } });
  const { body } = await otherServer.call('GET /api/admin/audit', {
    as: await otherServer.createPerson('ADMIN'),
  });
  assert.is(body.keptDays, 400);
  await otherServer.close();
});

test("reads a person's own entries in pieces, without the others'", async () => {
  const ben = await server.createPerson('TECHNICIAN', { username: 'Ben' });
  const newEntries = Array.from({ length: AUDIT_EXPORT_BATCH + 1 }, (_, index) => ({
    action: 'topic.add' as const,
    person: index % 2 ? ben.id : ana.id,
    on: `T${index}`,
  }));
  await writeAuditEntries(server, newEntries, { by: { person: ben.id } });
  await writeAuditEntries(
    server,
    { action: 'topic.delete', person: ana.id },
    { by: { person: ana.id } },
  );
  let pieces = 0;
  const details = new Set<string>();
  let rows = 0;
  for await (const piece of readUserEntries(ben.id, server.services.db)) {
    pieces += 1;
    rows += piece.length;
    for (const { target, action, at } of piece) details.add(`${target} ${action} ${at}`);
  }
  assert.equal([pieces, rows], [2, AUDIT_EXPORT_BATCH + 1]);
  assert.not(
    [...details].some((one) => one.includes('topic.delete')),
    'nothing of others',
  );
});

test("shows a person's own entries without the network of other authors", async () => {
  const ben = await server.createPerson('TECHNICIAN', { username: 'Ben' });
  const from = { network: '203.0.113.0/24' };
  await writeAuditEntries(
    server,
    { action: 'user.add', person: ben.id },
    { by: { person: ana.id }, ...from },
  );
  await writeAuditEntries(
    server,
    { action: 'login', person: ben.id },
    { by: { person: ben.id }, ...from },
  );
  await writeAuditEntries(
    server,
    { action: 'topic.add', on: 'T' },
    { by: { person: ana.id }, ...from },
  );
  const own = [];
  for await (const piece of readUserEntries(ben.id, server.services.db)) own.push(...piece);
  assert.equal(
    own.map(({ action, target, network }) => [action, target, network]),
    [
      ['login', 'Ben', '203.0.113.0/24'],
      ['user.add', 'Ben', null],
    ],
  );
});

test.run();
