import * as assert from 'uvu/assert';
import { recordOutcomes } from '../../../server/db/outbox/outcomes';
import { MAIL_ACCEPTED, MAIL_FAILED, writeSetting } from '../../../server/db/settings';
import { createAudienceHelpers } from '../../support/server/audience';
import { onPostgres } from '../../support/database/database';
import { createReachHelpers } from '../../support/server/device-reach';
import type { Person } from '../../support/server/server';
import { createServer, serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('overview');
const { addDevice, addPerson, readReach: reach } = createReachHelpers(server);
const { claimAll, send } = createAudienceHelpers(server);
let admin: Person;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN', { email: 'boss@mail.example' });
});

const readOverview = async (as = admin) => {
  const { status, body } = await server.call('GET /api/admin/overview', { as });
  assert.is(status, 200);
  return body;
};

test('shows an empty installation', async () => {
  const { health, ...rest } = await readOverview();
  assert.equal(rest, {
    people: { total: 1, reachable: 0, pending: 0 },
    topics: { total: 0, withoutSubscribers: 0 },
    messages: [],
    ownDevices: 0,
  });
  const { version, ...state } = health;
  assert.type(version, 'string');
  assert.equal(state, {
    delivery: 'ok',
    waiting: 0,
    mail: 'not_set_up',
    pushServices: [],
    mailSentAt: null,
    webhooks: { failing: 0, off: 0, total: 0, waiting: 0, succeededAt: null },
    heldBack: [],
    ownEmail: true,
    // On PostgreSQL, other tools make backups.
    ...(!onPostgres && { lastBackupAt: null }),
  });
});

test('counts people with a reachable or late device as reachable, as on the board', async () => {
  const { reachable, late, untested, silent, failing } = reach();
  await addPerson('a', failing, reachable);
  await addPerson('b', late, silent);
  await addPerson('c', untested);
  await addPerson('d', silent);
  await addPerson('e', failing);
  await addPerson('f');
  const body = { username: 'g', role: 'CUSTOMER' } as const;
  await server.call('POST /api/admin/users', { as: admin, body });
  assert.equal((await readOverview()).people, { total: 8, reachable: 2, pending: 1 });
  const { summary } = (await server.call('GET /api/admin/reach', { as: admin })).body;
  assert.is(summary.reachable + summary.late, 2);
});

test('shows the newest eight messages as in their list', async () => {
  const person = await addPerson('a');
  await addDevice(person);
  const texts = Array.from({ length: 9 }, (_, nth) => `Message ${nth + 1}`);
  for (const message of texts) {
    server.clock.now += 1000;
    await server.sendMessage(admin, { userIds: [person], message });
  }
  const { messages, health } = await readOverview();
  assert.equal(
    messages.map(({ message }) => message),
    texts.slice(1).reverse(),
  );
  const { body } = await server.call('GET /api/admin/messages', {
    as: admin,
    query: { limit: 8 },
  });
  assert.equal(messages, body.messages);
  assert.is(health.waiting, 9);
});

test('shows each administrator their own devices and email', async () => {
  const otherPerson = await server.createPerson('ADMIN');
  await addDevice(otherPerson.id);
  await addDevice(otherPerson.id);
  const [ownOverview, otherOverview] = [await readOverview(), await readOverview(otherPerson)];
  assert.equal([ownOverview.ownDevices, ownOverview.health.ownEmail], [0, true]);
  assert.equal([otherOverview.ownDevices, otherOverview.health.ownEmail], [2, false]);
});

test('counts pushes that wait for a retry', async () => {
  const { db } = server.services;
  const due = { dueAt: server.clock.now + 300_000, state: 'pending' } as const;
  const outcomes = [
    { ...due, attempted: true, reason: 'http-503' },
    { ...due, attempted: false, reason: 'held' },
    { ...due, attempted: false, reason: 'clock' },
    { ...due, attempted: false, reason: 'database' },
    { state: 'accepted', attempted: true, reason: null },
  ] as const;
  const person = await server.createPerson('TECHNICIAN');
  for (const _ of outcomes) await addDevice(person.id);
  await send({ userIds: [person.id] });
  const settlements = (await claimAll()).flatMap((claim, index) => {
    const outcome = outcomes[index];
    return outcome === undefined ? [] : { claim, ...outcome };
  });
  assert.is((await readOverview()).health.waiting, 5, 'while they are claimed');
  await recordOutcomes(db, settlements, server.clock.now);
  assert.is((await readOverview()).health.waiting, 4);
  server.clock.now = due.dueAt;
  assert.is((await readOverview()).health.waiting, 4, 'once they are due');
});

test('reports late pushes as health does', async () => {
  const due = server.clock.now - 6 * 60_000;
  const { db } = server.services;
  const person = await addPerson('a');
  await addDevice(person);
  await server.sendMessage(admin, { userIds: [person], message: 'Hello' });
  await db.updateTable('deliveries').set({ due_at: due }).execute();
  assert.is((await readOverview()).health.delivery, 'late');
  assert.is((await server.call('GET /api/health')).body.delivery, 'late');
});

test('reports the state of mail when it is set up', async () => {
  const otherServer = await createServer({ environment: { SMTP_URL: 'smtp://mail.example' } });
  const as = await otherServer.createPerson('ADMIN');
  const mail = async () => {
    const { health } = (await otherServer.call('GET /api/admin/overview', { as })).body;
    return [health.mail, health.mailSentAt];
  };
  const { db, now } = otherServer.services;
  assert.equal(await mail(), ['ok', null]);
  await writeSetting(MAIL_ACCEPTED, String(now() - 1), db);
  const mailedAt = new Date(now() - 1).toISOString();
  assert.equal(await mail(), ['ok', mailedAt]);
  await writeSetting(MAIL_FAILED, String(now()), db);
  assert.equal(await mail(), ['failing', mailedAt]);
  await otherServer.close();
});

test.run();
