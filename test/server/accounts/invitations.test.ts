import * as assert from 'uvu/assert';
import { MailError } from '../../../server/lib/mail';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('invitations');
const DAY_MS = 24 * 3_600_000;
let admin: Person;
test.before.each(async () => {
  admin = await server.createPerson('ADMIN', { username: 'ada' });
});

async function importFile(...lines: string[]) {
  await importIn('', ...lines);
}
async function importIn(language: string, ...lines: string[]) {
  const response = await server.request(`/api/admin/import?language=${language}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${admin.token}`, 'Content-Type': 'text/csv' },
    body: ['username,email', ...lines].join('\n'),
  });
  assert.is(response.status, 200);
}
const list = async (query: Record<string, string | number> = {}) =>
  (await server.call('GET /api/admin/invitations', { as: admin, query })).body;
const tokenOf = (link: string | undefined): string => link?.split('/register/')[1] ?? '';
const readMailStates = async () =>
  (await list()).invitations.map(({ username, mail }) => `${username} ${mail}`);
const openInvitation = (token: string) =>
  server.call('GET /api/auth/registration/:token', { params: { token } });
const completeRegistration = (token: string, email: string) =>
  server.completeRegistration(token, 'four-words-in-a-row', email);

test('lists people who have not registered, with a link that works', async () => {
  await server.createPerson('CUSTOMER', { username: 'active' });
  await server.addUser(admin, 'one by one', 'CUSTOMER');
  await importFile('b,b@mail.example', 'c,');
  const { invitations, ...rest } = await list();
  assert.equal(
    invitations.map(({ username, email, mail, importedAt }) => [
      username,
      email,
      mail,
      importedAt !== null,
    ]),
    [
      ['one by one', null, 'none', false],
      ['b', 'b@mail.example', 'waiting', true],
      ['c', null, 'none', true],
    ],
  );
  assert.equal(rest, {
    total: 3,
    page: 1,
    limit: 10,
    pending: 3,
    withoutEmail: 2,
    newest: {
      importedAt: new Date(server.clock.now).toISOString(),
      people: 2,
      registered: 0,
      mails: { waiting: 1, sent: 0, failed: 0 },
    },
    mail: 'not_set_up',
  });
  assert.is(
    (await completeRegistration(tokenOf(invitations[1]?.registrationLink), 'b@mail.example'))
      .status,
    200,
  );
  const invitationsAfter = await list();
  assert.equal(
    invitationsAfter.invitations.map(({ username }) => username),
    ['one by one', 'c'],
  );
  assert.equal(
    [
      invitationsAfter.pending,
      invitationsAfter.newest?.people,
      invitationsAfter.newest?.registered,
    ],
    [2, 2, 1],
  );
});

test('filters the list by people, by missing email and by a search', async () => {
  await importFile('anna,anna@mail.example', 'bert,', 'carl,');
  const invitations = (await list()).invitations;
  const names = async (query: Record<string, string | number>) =>
    (await list(query)).invitations.map(({ username }) => username);
  assert.equal(await names({ ids: `${invitations[2]?.id},${invitations[0]?.id},999999` }), [
    'anna',
    'carl',
  ]);
  assert.equal(await names({ ids: 'x,-1' }), []);
  assert.equal(await names({ mail: 'none' }), ['bert', 'carl']);
  assert.equal(await names({ query: 'MAIL.example' }), ['anna']);
  assert.equal(await names({ limit: 1, page: 3 }), ['carl']);
});

test("counts the newest import, and lists each person's progress", async () => {
  await importFile('old,old@mail.example', 'older,');
  await server.sendMails();
  server.clock.now += 60_000;
  await importFile('b,b@mail.example', 'c,c@mail.example', 'd,');
  const at = new Date(server.clock.now).toISOString();
  const invitationsBefore = await list();
  assert.equal(invitationsBefore.newest, {
    importedAt: at,
    people: 3,
    registered: 0,
    mails: { waiting: 2, sent: 0, failed: 0 },
  });
  assert.equal(
    [invitationsBefore.total, invitationsBefore.pending, invitationsBefore.withoutEmail],
    [5, 5, 2],
  );
  const [, , b, c] = invitationsBefore.invitations;
  await server.deleteUser(admin, c?.id ?? 0);
  await completeRegistration(tokenOf(b?.registrationLink), 'b@mail.example');
  assert.equal((await list()).newest, {
    importedAt: at,
    people: 2,
    registered: 1,
    mails: { waiting: 0, sent: 0, failed: 0 },
  });
});

test('replaces an expired link and says until when the new one is valid', async () => {
  await importFile('a,');
  const [earlierUser] = (await list()).invitations;
  server.clock.now += 8 * DAY_MS;
  admin = await server.createPerson('ADMIN');
  const [laterUser] = (await list()).invitations;
  assert.is.not(laterUser?.registrationLink, earlierUser?.registrationLink);
  assert.is(laterUser?.expiresAt, new Date(server.clock.now + 7 * DAY_MS).toISOString());
  assert.is((await openInvitation(tokenOf(earlierUser?.registrationLink))).status, 400);
  assert.is((await openInvitation(tokenOf(laterUser?.registrationLink))).status, 200);
});

test('records when a link was first opened', async () => {
  await server.addUser(admin, 'one by one', 'CUSTOMER');
  await importFile('b,');
  const first = new Date(server.clock.now).toISOString();
  for (const { registrationLink } of (await list()).invitations)
    await openInvitation(tokenOf(registrationLink));
  server.clock.now += 60_000;
  for (const { registrationLink } of (await list()).invitations)
    await openInvitation(tokenOf(registrationLink));
  assert.equal(
    (await list()).invitations.map(({ openedAt, mail }) => [openedAt, mail]),
    [
      [first, 'none'],
      [first, 'none'],
    ],
  );
  await openInvitation('invented');
});

test('mails each person with an email the link that administrators see', async () => {
  await importFile('b,b@mail.example', 'c,', 'd,d@mail.example');
  await server.sendMails();
  const links = new Map(
    (await list()).invitations.map(({ email, registrationLink }) => [email, registrationLink]),
  );
  assert.equal(server.mails.map(({ to }) => to).sort(), ['b@mail.example', 'd@mail.example']);
  for (const { to, text, link } of server.mails) {
    assert.is(link, links.get(to));
    assert.ok(text.includes(link));
    assert.match(text, new RegExp(`^Hello ${to[0]},`));
  }
  assert.equal(await readMailStates(), ['b sent', 'c none', 'd sent']);
  assert.equal((await list()).newest?.mails, { waiting: 0, sent: 2, failed: 0 });
});

test('writes emails and printed invitations in the language that was chosen', async () => {
  await importIn('pl', 'b,b@mail.example');
  await importIn('', 'c,c@mail.example');
  await server.sendMails();
  assert.equal(server.mails.map(({ subject }) => subject).sort(), [
    'Your invitation to Fieldbell',
    'Zaproszenie do Fieldbell',
  ]);
  const printed = (await list()).invitations.map(({ language, instructions = '' }) => [
    language,
    instructions.slice(0, 12),
  ]);
  assert.equal(printed, [
    ['pl', 'Zeskanuj kod'],
    [undefined, ''],
  ]);
  const response = await server.request('/api/admin/import?language=xx', {
    method: 'POST',
    headers: { Authorization: `Bearer ${admin.token}`, 'Content-Type': 'text/csv' },
    body: 'username\nd\n',
  });
  assert.is(response.status, 400);
});

test('sends no mail to people who registered or were deleted meanwhile', async () => {
  await importFile('b,b@mail.example', 'd,d@mail.example');
  const [b, d] = (await list()).invitations;
  await completeRegistration(tokenOf(b?.registrationLink), 'b@mail.example');
  await server.deleteUser(admin, d?.id ?? 0);
  await server.sendMails();
  assert.equal(
    server.mails.filter(({ subject }) => subject.includes('invitation')),
    [],
  );
  assert.equal((await list()).newest?.mails, { waiting: 0, sent: 0, failed: 0 });
});

test('marks a mail as failed after a rejection or a day, and as waiting until then', async () => {
  await importFile('b,b@mail.example', 'c,c@mail.example', 'd,d@mail.example');
  server.services.mail = async ({ to }) => {
    if (to.startsWith('b')) throw new MailError('EENVELOPE 550', 'rejected', true);
    throw new MailError('ESOCKET', 'retry', true);
  };
  await server.sendMails();
  assert.equal(await readMailStates(), ['b failed', 'c waiting', 'd waiting']);
  server.clock.now += DAY_MS + 1;
  admin = await server.createPerson('ADMIN');
  server.services.wakeMail();
  await server.sendMails();
  assert.equal(await readMailStates(), ['b failed', 'c failed', 'd failed']);
});

test('sends account and message mails before invitations, and keeps slots free for them', async () => {
  const lines = Array.from({ length: 8 }, (_, index) => `p${index},p${index}@mail.example`);
  await importFile(...lines);
  const going: { subject: string; end(): void }[] = [];
  server.services.mail = ({ subject }) =>
    new Promise((resolve) => going.push({ subject, end: resolve }));
  const kinds = () => going.map(({ subject }) => subject.includes('invitation'));
  const sent = server.sendMails();
  const until = async (count: number) => {
    while (going.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  await until(3);
  await server.createPerson('CUSTOMER', { email: 'ana@mail.example' });
  await server.requestPasswordReset('ana@mail.example');
  const later = server.sendMails();
  await until(4);
  assert.equal(kinds(), [true, true, true, false], 'the fourth is the reset');
  for (let endedCount = 0; endedCount < 9; endedCount += 1) {
    await until(endedCount + 1);
    going[endedCount]?.end();
  }
  await Promise.all([sent, later]);
  assert.is(going.length, 9);
});

test.run();
