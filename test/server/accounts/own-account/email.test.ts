import * as assert from 'uvu/assert';
import type { Person } from '../../../support/server/server';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('your email');
const [PASSWORD, OLD, NEW] = ['correct horse battery', 'ana@mail.example', 'Ana@New.example'];
const HOUR_MS = 60 * 60 * 1000;
let ana: Person;
test.before.each(async () => {
  ana = await server.createPerson('TECHNICIAN', {
    username: 'ana',
    email: OLD,
    password: PASSWORD,
  });
});

const requestEmailChange = (email = NEW, as: { token: string } = ana, password = PASSWORD) =>
  server.call('PUT /api/account/email', { as, body: { email, password } });
const openLink = async (token: string) =>
  (await server.call('GET /api/auth/verify-email/:token', { params: { token } })).status;
const readAccount = async (as: { token: string } = ana) =>
  (await server.call('GET /api/account', { as })).body;
/**
 * Sends waiting mails.
 * @returns the token of the newest link
 */
async function readMailedToken(): Promise<string> {
  await server.sendMails();
  return server.mails.at(-1)?.link.split('/').at(-1) ?? '';
}
const listMails = () => server.mails.map(({ to, subject }) => [to, subject]);

test('changes the email when its link is opened, notifies the former one, and uses the link up', async () => {
  const { status, body } = await requestEmailChange();
  assert.equal([status, body.email, body.pendingEmail], [200, OLD, NEW]);
  const token = await readMailedToken();
  assert.equal(listMails(), [[NEW, 'Confirm your new email address']]);
  assert.equal([(await readAccount()).email, (await readAccount()).pendingEmail], [OLD, NEW]);
  assert.is(await openLink(token), 200);
  const { email, emailVerified, pendingEmail } = await readAccount();
  assert.equal([email, emailVerified, pendingEmail], [NEW, true, null]);
  await server.sendMails();
  assert.equal(listMails().slice(1), [[OLD, 'Your email address was changed']]);
  assert.not.match(server.mails.at(-1)?.text ?? '', NEW);
  assert.is(await openLink(token), 400);
  const credentials = { username: 'ana@new.EXAMPLE', password: PASSWORD };
  assert.is((await server.call('POST /api/auth/login', { body: credentials })).status, 200);
  assert.equal(await server.services.db.selectFrom('jobs').selectAll().execute(), []);
  assert.not.ok(
    server.log.some((line) => line.includes('@')),
    'no address is in the log',
  );
});

test('gives an account its first email, and notifies no one else', async () => {
  const boss = await server.createPerson('ADMIN', { username: 'boss', password: PASSWORD });
  await requestEmailChange(NEW, boss);
  assert.is(await openLink(await readMailedToken()), 200);
  await server.sendMails();
  assert.is((await readAccount(boss)).email, NEW);
  assert.is(server.mails.length, 1);
});

test('lets a person without a password change the email within ten minutes of a sign-in', async () => {
  const eve = await server.createPerson('TECHNICIAN', {
    username: 'eve',
    email: 'eve@old.example',
  });
  const ownResponse = await server.call('GET /api/account', { as: eve });
  assert.is(ownResponse.body.hasPassword, false);
  const without = () =>
    server.call('PUT /api/account/email', { as: eve, body: { email: 'eve@new.example' } });
  assert.is((await without()).status, 200);
  server.clock.now += 600_000;
  const lateResponse = await without();
  assert.is(lateResponse.status, 403);
  assert.match(String(lateResponse.error), /more than ten minutes ago/);
  assert.is(await openLink(await readMailedToken()), 200);
  assert.is((await readAccount(eve)).email, 'eve@new.example');
});

test('requires the password of a person who has one', async () => {
  const { status, error } = await server.call('PUT /api/account/email', {
    as: ana,
    body: { email: NEW },
  });
  assert.equal(
    [status, error],
    [400, [{ message: 'Please enter your password.', path: 'password' }]],
  );
  assert.is((await readAccount()).pendingEmail, null);
});

test('reveals a taken email only to its mailbox', async () => {
  await server.createPerson('CUSTOMER', { username: 'ben', email: NEW });
  const [takenResponse, free] = [
    await requestEmailChange(NEW.toLowerCase()),
    await requestEmailChange('free@mail.example'),
  ];
  const shape = ({ status, body }: typeof takenResponse) => [
    status,
    { ...body, pendingEmail: 'whatever was asked' },
  ];
  assert.equal(shape(takenResponse), shape(free));
  await requestEmailChange(NEW);
  await server.sendMails();
  assert.equal(listMails().at(-1), [NEW, 'This email address is already in use']);
  assert.not.match(server.mails.at(-1)?.text ?? '', 'verify-email');
  assert.not.match(server.mails.at(-1)?.text ?? '', 'ben');
});

test('keeps an email with the person who took it first', async () => {
  await requestEmailChange();
  const token = await readMailedToken();
  await server.createPerson('CUSTOMER', { username: 'ben', email: NEW });
  assert.is(await openLink(token), 409);
  assert.is((await readAccount()).email, OLD);
});

test('expires a link after a day, with the next link, and with a new password', async () => {
  await requestEmailChange();
  const late = await readMailedToken();
  server.clock.now += 24 * HOUR_MS;
  assert.is(await openLink(late), 400);

  await requestEmailChange('first@new.example');
  const first = await readMailedToken();
  await requestEmailChange('second@new.example');
  assert.is(await openLink(first), 400, 'it would count for the second');
  const second = await readMailedToken();
  const body = { current: PASSWORD, password: 'brown meadow lantern' };
  const { body: reply } = await server.call('PUT /api/account/password', { as: ana, body });
  assert.is(await openLink(second), 400);
  assert.equal(
    [(await readAccount(reply)).email, (await readAccount(reply)).pendingEmail],
    [OLD, null],
  );
});

test('invalidates reset links mailed to the former email', async () => {
  await server.requestPasswordReset(OLD);
  const reset = await readMailedToken();
  await requestEmailChange();
  assert.is(await openLink(await readMailedToken()), 200);
  const body = { token: reset, password: 'brown meadow lantern' };
  assert.is((await server.call('POST /api/auth/reset-password', { body })).status, 400);
});

test('rejects a wrong password and an invalid email, and allows three requests an hour', async () => {
  assert.is((await requestEmailChange(NEW, ana, 'wrong')).status, 403);
  assert.is((await requestEmailChange('no address')).status, 400);
  const statuses: number[] = [];
  for (let time = 0; time < 4; time += 1)
    statuses.push((await requestEmailChange(`a${time}@new.example`)).status);
  assert.equal(statuses, [200, 200, 200, 429]);
  await server.sendMails();
  assert.is(server.mails.length, 1, 'the last that was taken');
  server.clock.now += HOUR_MS;
  assert.is((await requestEmailChange()).status, 200);
});

test('verifies an unchanged email by its link, and sends no further mail', async () => {
  await requestEmailChange(OLD.toUpperCase());
  assert.is(await openLink(await readMailedToken()), 200);
  await server.sendMails();
  assert.equal(
    [(await readAccount()).email, (await readAccount()).emailVerified],
    [OLD.toUpperCase(), true],
  );
  assert.is(server.mails.length, 1);
});

test.run();
