import * as assert from 'uvu/assert';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('languages of the server');
const german = { 'Accept-Language': 'de-AT' };

test('answers errors in the caller’s language, and in English without one', async () => {
  const logIn = (languages: string) =>
    server.call('POST /api/auth/login', {
      body: { username: 'ana', password: 'wrong' },
      headers: { 'Accept-Language': languages },
    });
  assert.is((await logIn('de-AT')).error, 'Benutzername oder Passwort ist falsch.');
  assert.is((await logIn('xx')).error, 'Invalid username or password.');
  assert.is((await logIn(`${'x'.repeat(10_000)},de`)).error, 'Invalid username or password.');
  const admin = await server.makePerson('ADMIN');
  const body = { username: ' ', role: 'ADMIN' as const };
  const { error } = await server.call('POST /api/admin/users', {
    as: admin,
    body,
    headers: german,
  });
  assert.equal(error, [{ message: 'Benutzername fehlt.', path: 'username' }]);
});

test('mails in the recipient’s language, with their name as they typed it', async () => {
  const username = 'ana {1} \u202e$&';
  const ana = await server.makePerson('TECHNICIAN', { username, email: 'ana@mail.example' });
  await server.call('PUT /api/account/language', { as: ana, body: { language: 'de' } });
  await server.call('POST /api/auth/request-password-reset', {
    body: { email: 'ana@mail.example' },
    headers: { 'Accept-Language': 'fr' },
  });
  await server.sendMails();
  const [mail] = server.mails;
  assert.is(mail?.subject, 'Setzen Sie Ihr Passwort zurück');
  assert.ok(mail?.text.startsWith(`Guten Tag ${username},\n`));
  assert.match(mail?.text ?? '', /\nhttps:\/\/bell\.example\/reset-password\//);
});

test.run();
