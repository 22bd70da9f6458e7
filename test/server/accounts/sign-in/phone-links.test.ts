import * as assert from 'uvu/assert';
import type { Person } from '../../../support/server/server';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('links for new phones');
const PASSWORD = 'correct horse battery';
const LINK_REJECTED = 'This sign-in link has expired or has already been used.';
const MINUTE_MS = 60_000;
let admin: Person;
let ana: Person;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN', { username: 'boss' });
  const email = 'ana@mail.example';
  ana = await server.createPerson('TECHNICIAN', { username: 'ana', email, password: PASSWORD });
});

const tokenIn = (link: string): string => link.split('/new-phone#')[1] ?? '';
async function create(as: { token: string } = ana): Promise<string> {
  const { body } = await server.call('POST /api/account/phone-link', { as });
  return tokenIn(body.link);
}
const createFor = (id: number) =>
  server.call('POST /api/admin/users/:id/phone-link', { as: admin, params: { id } });
const useLink = (token: string) => server.call('POST /api/auth/phone-link', { body: { token } });
const readOwner = (token: string) =>
  server.call('POST /api/auth/phone-link/owner', { body: { token } });

test('signs a new phone in once, and emails its person', async () => {
  const former = await create();
  const token = await create();
  assert.equal((await readOwner(token)).body, { username: 'ana' });
  const [firstResponse, secondResponse] = await Promise.all([useLink(token), useLink(token)]);
  const [{ body }, otherResponse] =
    firstResponse.status === 200
      ? [firstResponse, secondResponse]
      : [secondResponse, firstResponse];
  assert.equal([otherResponse.status, otherResponse.error], [400, LINK_REJECTED]);
  assert.is((await useLink(former)).error, LINK_REJECTED, 'replaced by the second');
  assert.is((await server.call('GET /api/account', { as: body })).body.username, 'ana');
  assert.is((await server.call('GET /api/account', { as: ana })).status, 200, 'the old phone');
  await server.sendMails();
  assert.equal(
    server.mails.map(({ to, subject }) => [to, subject]),
    [['ana@mail.example', 'A new phone was signed in']],
  );
});

test('emails the addresses before and after a change of the email', async () => {
  const { body: reply } = await createFor(ana.id);
  const body = { username: 'ana', email: 'boss@mail.example' };
  await server.call('PUT /api/admin/users/:id', { as: admin, params: { id: ana.id }, body });
  await useLink(tokenIn(reply.link));
  await server.sendMails();
  const notices = server.mails.filter(({ subject }) => subject === 'A new phone was signed in');
  assert.equal(notices.map(({ to }) => to).sort(), ['ana@mail.example', 'boss@mail.example']);
});

test('creates sign-in links only for registered technicians and customers', async () => {
  const { body } = await createFor(ana.id);
  assert.is((await useLink(tokenIn(body.link))).body.user.username, 'ana');
  assert.is((await server.call('POST /api/account/phone-link', { as: admin })).status, 409);
  assert.is((await createFor(admin.id)).status, 409);
  const addedResponse = await server.addUser(admin, 'ben', 'TECHNICIAN');
  assert.is((await createFor(addedResponse.body.user.id)).status, 409);
  await server.call('POST /api/admin/users/:id/suspend', { as: admin, params: { id: ana.id } });
  assert.is((await createFor(ana.id)).status, 409);
});

test('lets an administrator create one only if a mail server can notify the person', async () => {
  server.services.config.smtpUrl = 'smtp://mail.example';
  const params = { id: ana.id };
  const verify = () =>
    server.services.db
      .updateTable('users')
      .set({ email_verified_at: server.clock.now })
      .where('id', '=', ana.id)
      .execute();
  assert.match(String((await createFor(ana.id)).error), 'no verified email address');
  await verify();
  assert.is((await createFor(ana.id)).status, 200);
  const body = { username: 'ana', email: 'boss@mail.example' };
  await server.call('PUT /api/admin/users/:id', { as: admin, params, body });
  await verify();
  assert.match(String((await createFor(ana.id)).error), 'in the last 24 hours');
  assert.is((await server.call('POST /api/account/phone-link', { as: ana })).status, 200);
  server.clock.now += 24 * 60 * MINUTE_MS;
  const as = await server.createPerson('ADMIN');
  assert.is(
    (await server.call('POST /api/admin/users/:id/phone-link', { as, params })).status,
    200,
  );
});

const administratorLoses: Record<string, (other: Person) => Promise<unknown>> = {
  role: (other) => server.changeRole(other, admin.id, 'TECHNICIAN'),
  access: async (as) => {
    const params = { id: admin.id };
    await server.call('POST /api/admin/users/:id/suspend', { as, params });
  },
  account: async (as) => {
    await server.call('DELETE /api/admin/users/:id', { as, params: { id: admin.id } });
  },
  sessions: () => server.call('POST /api/account/sign-out-everywhere', { as: admin }),
  'signed-in device': async (as) => {
    const { body } = await server.registerDevice(admin, 'desk');
    await server.call('DELETE /api/admin/devices/:id', { as, params: { id: body.id } });
  },
};
for (const [caseName, loseRights] of Object.entries(administratorLoses))
  test(`ends an administrator's link when they lose their ${caseName}`, async () => {
    const otherPerson = await server.createPerson('ADMIN');
    const { body } = await createFor(ana.id);
    const token = tokenIn(body.link);
    assert.is((await readOwner(token)).status, 200);
    await loseRights(otherPerson);
    assert.equal(
      [(await readOwner(token)).error, (await useLink(token)).error],
      [LINK_REJECTED, LINK_REJECTED],
    );
  });

const invalidations: Record<string, (old: { token: string }) => Promise<unknown>> = {
  'ten minutes': async () => {
    server.clock.now += 10 * MINUTE_MS;
  },
  'a suspension and reinstatement': async () => {
    const params = { id: ana.id };
    await server.call('POST /api/admin/users/:id/suspend', { as: admin, params });
    await server.call('POST /api/admin/users/:id/reinstate', { as: admin, params });
  },
  'a new role': () => server.changeRole(admin, ana.id, 'CUSTOMER'),
  'a new password': (old) =>
    server.call('PUT /api/account/password', {
      as: old,
      body: { current: PASSWORD, password: 'another good password' },
    }),
  'the sign-out of the old phone from afar': async (old) => {
    const { body } = await server.registerDevice(old, 'phone');
    const params = { id: body.id };
    await server.call('DELETE /api/admin/devices/:id', { as: admin, params });
  },
};
for (const [caseName, invalidate] of Object.entries(invalidations))
  test(`invalidates a sign-in link after ${caseName}`, async () => {
    const { body: old } = await server.signIn('ana', PASSWORD);
    const token = await create(old);
    await invalidate(old);
    assert.equal(
      [(await readOwner(token)).error, (await useLink(token)).error],
      [LINK_REJECTED, LINK_REJECTED],
    );
  });

test('limits the links that one creator makes for a person', async () => {
  for (let createdCount = 0; createdCount < 10; createdCount++)
    assert.is((await createFor(ana.id)).status, 200);
  const { status, error } = await createFor(ana.id);
  assert.equal([status, error], [429, 'You have created too many sign-in links.']);
  assert.is((await server.call('POST /api/account/phone-link', { as: ana })).status, 200);
});

test('limits invalid links by network, and not the valid one', async () => {
  const token = await create();
  for (let triedCount = 0; triedCount < 60; triedCount++)
    assert.is((await useLink('x')).status, 400);
  assert.is((await useLink('x')).status, 429);
  assert.is((await useLink(token)).status, 200);
});

test.run();
