import * as assert from 'uvu/assert';
import type { Person } from '../../../support/server/server';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('changes of your account');
const PASSWORD = 'correct horse battery';
const HOUR_MS = 60 * 60 * 1000;
let [ana, ben]: Person[] = [];
test.before.each(async () => {
  [ana, ben] = [
    await server.createPerson('TECHNICIAN', {
      username: 'ana',
      email: 'ana@mail.example',
      password: PASSWORD,
    }),
    await server.createPerson('ADMIN', {
      username: 'ben',
      email: 'ben@mail.example',
      password: PASSWORD,
    }),
  ];
});

const requestEmailChange = (as: Person, email: string, password = PASSWORD) =>
  server.call('PUT /api/account/email', { as, body: { email, password } });
const readAccount = async (as: Person) => (await server.call('GET /api/account', { as })).body;
const openLink = async (token: string) =>
  (await server.call('GET /api/auth/verify-email/:token', { params: { token } })).status;
/**
 * Sends waiting mails.
 * @returns the token mailed to that email
 */
async function mailedTo(email: string): Promise<string> {
  await server.sendMails();
  const mail = server.mails.filter(({ to }) => to === email).at(-1);
  return mail?.link.split('/').at(-1) ?? '';
}

test("limits each person's requests separately", async () => {
  for (let time = 0; time < 3; time += 1) await requestEmailChange(ana, `a${time}@new.example`);
  assert.is((await requestEmailChange(ana, 'a@new.example')).status, 429);
  assert.is((await requestEmailChange(ben, 'ben@new.example')).status, 200);
  server.clock.now += HOUR_MS;
  for (let time = 0; time < 10; time += 1) await requestEmailChange(ana, 'a@new.example', 'wrong');
  assert.is((await requestEmailChange(ana, 'a@new.example')).status, 429);
  assert.is((await requestEmailChange(ben, 'ben@other.example')).status, 200);
});

test('names the asking account in a mail about an email in use', async () => {
  await requestEmailChange(ana, 'BEN@mail.example');
  await server.sendMails();
  const [mail] = server.mails;
  assert.equal(
    [mail?.to, mail?.subject],
    ['BEN@mail.example', 'This email address is already in use'],
  );
  assert.match(mail?.text ?? '', 'The Fieldbell user ana');
  assert.match(mail?.link ?? '', /\/account$/);
  assert.equal((await readAccount(ana)).email, 'ana@mail.example');
});

test('greets each person by name and links where the mail says', async () => {
  await requestEmailChange(ana, 'ana@new.example');
  const token = await mailedTo('ana@new.example');
  const requestMail = server.mails.at(-1);
  assert.match(requestMail?.text ?? '', /^Hello ana,/);
  assert.is(requestMail?.link, `https://bell.example/verify-email/${token}`);
  await openLink(token);
  await server.sendMails();
  const mail = server.mails.at(-1);
  assert.match(mail?.text ?? '', /^Hello ana,/);
  assert.equal([mail?.to, mail?.link], ['ana@mail.example', 'https://bell.example/login']);
});

test.run();
