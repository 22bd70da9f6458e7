/** Nothing may name a deleted person, anywhere. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import * as assert from 'uvu/assert';
import { redactPerson } from '../../../server/operations/forget';
import { deleteOldData } from '../../../server/operations/delete-old-data';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('deleted people');
const HOUR_MS = 60 * 60 * 1000;
const FULL_NAME = 'Ana Quintanilha';
const EMAIL = 'ana.quintanilha@mail.example';
const PASSWORD = 'correct horse battery';
const PUSH_HOST = 'push.quintanilha.example';
const ENDPOINT = `https://${PUSH_HOST}/send/f4Yk`;
let admin: Person;
test.before.each(async () => {
  admin = await server.createPerson('ADMIN', { username: 'boss' });
});

const forgetOld = (now = server.clock.now) =>
  deleteOldData(server.services.db, now, new AbortController().signal, server.services.config);

/** All tables, row by row, as text. */
async function readAll(): Promise<string> {
  const { db } = server.services;
  const texts: string[] = [];
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    texts.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`));
  }
  assert.ok(texts.length > 2);
  return texts.join('\n');
}

/** All files of the server's folder. */
function readFiles(folder = server.services.config.dataDir): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) =>
      entry.isDirectory()
        ? readFiles(join(folder, entry.name))
        : readFileSync(join(folder, entry.name)).toString('latin1'),
    )
    .join('\n');
}

const tracesIn = (text: string): string[] =>
  ['quintanilha', 'f4Yk'].filter((trace) => text.toLowerCase().includes(trace.toLowerCase()));

/** A person who did everything that leaves traces. */
async function createForgottenPerson(): Promise<{ ana: Person; messageId: string }> {
  const { db } = server.services;
  const ana = await server.createPerson('ADMIN', {
    username: FULL_NAME,
    email: EMAIL,
    password: PASSWORD,
  });
  const events = ['message.sent', 'message.acknowledged', 'device.failing'] as const;
  await server.call('POST /api/admin/webhooks', {
    as: admin,
    body: { url: 'https://hook.example/a', events: [...events] },
  });
  const topicId = await server.createTopic();
  const body = { userId: ana.id, topicId };
  await server.call('POST /api/admin/subscriptions', { as: admin, body });
  const keys = {
    p256dh:
      'BIPUL12DLfytvTajnryr2PRdAgXS3HGKiLqndGcJGabyhHheJYlNGCeXl1dn18gSJ1WAkAPIxr4gK0_dQds4yiI',
    auth: 'FPssNDTKnInHVndSTdbKFw',
  };
  const { body: device } = await server.call('POST /api/notifications/register-device', {
    as: ana,
    body: {
      deviceToken: JSON.stringify({ endpoint: ENDPOINT, keys }),
      deviceType: 'web',
      userAgent: 'Quintanilha’s browser',
    },
  });
  // A working push service of their own.
  await db
    .updateTable('push_services')
    .set({ proven_at: server.clock.now })
    .where('origin', '=', `https://${PUSH_HOST}`)
    .execute();
  await server.call('POST /api/notifications/tests', { as: ana, body: { deviceId: device.id } });
  const { body: sent } = await server.sendMessage(ana, {
    topicIds: [topicId],
    message: 'Stop all work.',
    answers: ['On my way'],
  });
  const receipt = { messageId: sent.messageId, kind: 'acknowledged', answer: 'On my way' } as const;
  await server.sendReceipts(ana, [{ ...receipt, comment: 'Call Quintanilha first.' }]);
  await server.signIn(FULL_NAME, PASSWORD);
  await server.signIn(FULL_NAME, 'wrong');
  await server.requestPasswordReset(EMAIL);
  await server.call('PUT /api/account/email', {
    as: ana,
    body: { email: `new.${EMAIL}`, password: PASSWORD },
  });
  await db
    .insertInto('jobs')
    .values({
      kind: 'mail-email-changed',
      subject: `${ana.id} ${EMAIL}`,
      created_at: 0,
      due_at: 9e15,
    })
    .execute();
  return { ana, messageId: sent.messageId };
}

test('removes every trace of a deleted person from the database and the log', async () => {
  const { ana, messageId } = await createForgottenPerson();
  const read = async () =>
    (await server.call('GET /api/admin/messages/:id', { as: admin, params: { id: messageId } }))
      .body;
  const earlierMessage = await read();
  assert.equal([earlierMessage.people.acknowledged, earlierMessage.tally], [1, { 'On my way': 1 }]);
  assert.equal(tracesIn(await readAll()).length, 2);
  await server.deleteUser(admin, ana.id);
  await forgetOld();
  // A push service may be shared, so it is kept for a day.
  await forgetOld(server.clock.now + 23 * HOUR_MS);
  assert.equal(tracesIn(await readAll()), []);
  const laterMessage = await read();
  assert.equal(
    [laterMessage.people, laterMessage.tally],
    [earlierMessage.people, earlierMessage.tally],
  );
  assert.is(laterMessage.sender, null);
  const calls = await server.services.db.selectFrom('webhook_calls').select('body').execute();
  assert.ok(calls.length >= 2, 'webhooks are called all the same');
  assert.ok(calls.some(({ body }) => body.includes(`deleted user ${ana.id}`)));
  const { rows } = await sql`select * from jobs where kind = 'forget-person'`.execute(
    server.services.db,
  );
  assert.equal(rows, []);
  assert.not.ok(
    server.log.some((line) => tracesIn(line).length > 0),
    'nor does the log',
  );
});

test("removes every trace of a deleted person from the server's files", async () => {
  if (server.engine !== 'sqlite') return; // PostgreSQL keeps its files itself
  const { ana } = await createForgottenPerson();
  assert.ok(tracesIn(readFiles()).length > 0);
  await server.deleteUser(admin, ana.id);
  await forgetOld(server.clock.now + 23 * HOUR_MS);
  assert.equal(tracesIn(readFiles()), []);
});

test('deletes mail files without an account, and all after a month', async () => {
  const folder = join(server.services.config.dataDir, 'mail');
  mkdirSync(folder, { recursive: true });
  const write = (name: string, to: string, body = 'Hello') =>
    writeFileSync(
      join(folder, name),
      `From: bell@bell.example\nTo: ${to}\nSubject: x\n\n${body}\n`,
    );
  const ben = await server.createPerson('TECHNICIAN', { email: 'ben@mail.example' });
  const oldPerson = await server.createPerson('TECHNICIAN', { email: 'former@mail.example' });
  const { db } = server.services;
  await db
    .insertInto('email_changes')
    .values({ user_id: ben.id, email: 'next@mail.example', ends_at: Number.MAX_SAFE_INTEGER })
    .execute();
  write('1.eml', EMAIL);
  write('2.eml', 'Ben@mail.example', `To: ${EMAIL}`);
  write('3.eml', 'next@mail.example');
  write('4.eml', '<ben@\n mail.example>');
  write('5.eml', 'former@mail.example');
  writeFileSync(join(folder, 'notes.txt'), `To: ${EMAIL}`);
  const ana = await server.createPerson('TECHNICIAN', { username: FULL_NAME, email: EMAIL });
  await server.deleteUser(admin, ana.id);
  const email = 'new@mail.example';
  await db
    .updateTable('users')
    .set({ email, email_key: email })
    .where('id', '=', oldPerson.id)
    .execute();
  await forgetOld(Date.now());
  assert.equal(readdirSync(folder).sort(), ['2.eml', '3.eml', '4.eml', 'notes.txt']);
  await forgetOld(Date.now() + 31 * 24 * HOUR_MS);
  assert.equal(readdirSync(folder), ['notes.txt']);
});

test('removes only the person from a webhook body', () => {
  const ana = { id: 7, username: 'ana', email: null };
  const bodyOf = (who: object, sender: string | null) =>
    JSON.stringify({ type: 'x', data: { message: { sender, text: 'ana' }, waitingFor: [who] } });
  const anasBody = bodyOf({ id: 7, username: 'ana' }, 'ana');
  const otherPersonsBody = bodyOf({ id: 8, username: 'ana b' }, 'key: ana');
  assert.is(redactPerson(anasBody, ana), bodyOf({ id: 7, username: 'deleted user 7' }, null));
  assert.is(redactPerson(otherPersonsBody, ana), otherPersonsBody);
});

test.run();
