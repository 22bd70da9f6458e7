/** What one person changes of their own account is nobody else's. */
import * as assert from 'uvu/assert';
import { readLines, readLog } from '../../../support/server/audit';
import type { Person } from '../../../support/server/server';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('one’s own account, and nobody else’s');
const PASSWORD = 'correct horse battery';
const HOUR = 60 * 60 * 1000;
let [ana, ben]: Person[] = [];
test.before.each(async () => {
  [ana, ben] = [
    await server.makePerson('TECHNICIAN', {
      username: 'ana',
      email: 'ana@mail.example',
      password: PASSWORD,
    }),
    await server.makePerson('ADMIN', {
      username: 'ben',
      email: 'ben@mail.example',
      password: PASSWORD,
    }),
  ];
});

const ask = (as: Person, email: string, password = PASSWORD) =>
  server.call('PUT /api/account/email', { as, body: { email, password } });
const read = async (as: Person) => (await server.call('GET /api/account', { as })).answer;
const open = async (token: string) =>
  (await server.call('GET /api/auth/verify-email/:token', { params: { token } })).status;
/** Sends what waits. @returns the secret part of the link that is mailed to that address */
async function mailedTo(email: string): Promise<string> {
  await server.sendMails();
  const mail = server.mails.filter(({ to }) => to === email).at(-1);
  return mail?.link.split('/').at(-1) ?? '';
}

test('two who ask for another address at once each get their own', async () => {
  await ask(ana, 'ana@new.example');
  await ask(ben, 'ben@new.example');
  assert.equal(
    [(await read(ana)).pendingEmail, (await read(ben)).pendingEmail],
    ['ana@new.example', 'ben@new.example'],
  );
  const [anas, bens] = [await mailedTo('ana@new.example'), await mailedTo('ben@new.example')];
  assert.is(await open(bens), 200);
  assert.equal(
    [await read(ana), await read(ben)].map(({ email, pendingEmail, emailVerified }) => [
      email,
      pendingEmail,
      emailVerified,
    ]),
    [
      ['ana@mail.example', 'ana@new.example', false],
      ['ben@new.example', null, true],
    ],
  );
  assert.is(await open(anas), 200);
  assert.is((await read(ana)).email, 'ana@new.example');
});

test('what one asks for in vain or too often is no limit to another', async () => {
  for (let time = 0; time < 3; time += 1) await ask(ana, `a${time}@new.example`);
  assert.is((await ask(ana, 'a@new.example')).status, 429);
  assert.is((await ask(ben, 'ben@new.example')).status, 200);
  server.clock.now += HOUR;
  for (let time = 0; time < 10; time += 1) await ask(ana, 'a@new.example', 'wrong');
  assert.is((await ask(ana, 'a@new.example')).status, 429);
  assert.is((await ask(ben, 'ben@other.example')).status, 200);
});

test('who has no device has lost none by signing out everywhere', async () => {
  const { answer } = await server.call('POST /api/account/sign-out-everywhere', { as: ana });
  assert.type(answer.token, 'string');
  const rows = await server.services.db
    .selectFrom('users')
    .select(['username', 'device_lost_why'])
    .orderBy('id')
    .execute();
  assert.equal(rows, [
    { username: 'ana', device_lost_why: null },
    { username: 'ben', device_lost_why: null },
  ]);
  assert.is((await read(ben)).username, 'ben', 'and nobody else has to sign in again');
});

test('who changes a password says so in the audit log, as do wrong ones, with the network', async () => {
  const change = (current: string) =>
    server.call('PUT /api/account/password', {
      as: ana,
      body: { current, password: 'brown meadow lantern' },
      from: '198.51.100.7',
    });
  await change('wrong');
  await change(PASSWORD);
  assert.equal(await readLines(server, ben), [
    'ana account.password ana',
    'unknown login.failed ana: Wrong current password',
  ]);
  assert.equal(
    (await readLog(server, ben)).map(({ network }) => network),
    ['198.51.100.0/24', '198.51.100.0/24'],
  );
  const [line = ''] = server.log.filter((one) => one.includes('password not confirmed'));
  assert.equal([JSON.parse(line).user, JSON.parse(line).network], [ana.id, '198.51.100.7']);
});

test('an address that counts from now on is an entry of who opened its link, with the network, and no address', async () => {
  await ask(ana, 'ana@new.example');
  const token = await mailedTo('ana@new.example');
  await server.call('GET /api/auth/verify-email/:token', {
    params: { token },
    from: '198.51.100.7',
  });
  const [entry] = await readLog(server, ben);
  assert.equal(
    [entry?.actor, entry?.action, entry?.target, entry?.detail, entry?.network],
    ['ana', 'account.email', 'ana', '', '198.51.100.0/24'],
  );
});

test('the former address of somebody who was deleted meanwhile is told nothing', async () => {
  await ask(ana, 'ana@new.example');
  await open(await mailedTo('ana@new.example'));
  await server.services.db.deleteFrom('users').where('id', '=', ana.id).execute();
  const before = server.mails.length;
  await server.sendMails();
  assert.is(server.mails.length, before);
});

test('an address that is in use is said to be by the name of who asked, whose account stays', async () => {
  await ask(ana, 'BEN@mail.example');
  await server.sendMails();
  const [mail] = server.mails;
  assert.equal([mail?.to, mail?.subject], ['BEN@mail.example', 'This email address is in use']);
  assert.match(mail?.text ?? '', 'the account ana of Fieldbell');
  assert.match(mail?.link ?? '', /\/account$/);
  assert.equal((await read(ana)).email, 'ana@mail.example');
});

test('each mail greets its person by name, and its link leads to where it says', async () => {
  await ask(ana, 'ana@new.example');
  const token = await mailedTo('ana@new.example');
  const asked = server.mails.at(-1);
  assert.match(asked?.text ?? '', /^Hello ana,/);
  assert.is(asked?.link, `https://bell.example/verify-email/${token}`);
  await open(token);
  await server.sendMails();
  const told = server.mails.at(-1);
  assert.match(told?.text ?? '', /^Hello ana,/);
  assert.equal([told?.to, told?.link], ['ana@mail.example', 'https://bell.example/login']);
});

test('whom the limit of wrong passwords holds up is in the log, with the network', async () => {
  const body = { current: 'wrong', password: 'brown meadow lantern' };
  const from = '198.51.100.7';
  for (let time = 0; time < 11; time += 1)
    await server.call('PUT /api/account/password', { as: ana, body, from });
  const lines = server.log.filter((line) => line.includes('password refused by a limit'));
  assert.equal(
    lines.map((line) => [JSON.parse(line).user, JSON.parse(line).network]),
    [[ana.id, from]],
  );
});

test('a link for another address counts until a day after it was mailed', async () => {
  await ask(ana, 'ana@new.example');
  const token = await mailedTo('ana@new.example');
  server.clock.now += 24 * HOUR - 1;
  assert.is(await open(token), 200);
});

test.run();
