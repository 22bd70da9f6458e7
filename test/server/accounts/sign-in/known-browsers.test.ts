import * as assert from 'uvu/assert';
import {
  knownBrowserLimit,
  unknownBrowserLimits,
} from '../../../../server/accounts/sign-in/sign-in-limits';
import { useUpLimit } from '../../../support/server/rate-limits';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('known browsers');
const PASSWORD = 'correct horse battery';
const OFFICE = '198.51.100.7';
const MINUTE_MS = 60_000;

const signIn = (username: string, password: string, clientToken?: string | null, from = OFFICE) =>
  server.call('POST /api/auth/login', {
    body: { username, password, ...(clientToken === undefined ? {} : { clientToken }) },
    from,
  });
const clientOf = async (username: string, clientToken?: string) => {
  const { status, body } = await signIn(username, PASSWORD, clientToken);
  assert.is(status, 200);
  return body.clientToken ?? '';
};
const createVictim = () =>
  server.createPerson('TECHNICIAN', {
    username: 'victim',
    password: PASSWORD,
    email: 'victim@mail.example',
  });

/** Uses up every limit that strangers share. */
async function useUpSharedLimits(from = OFFICE): Promise<void> {
  for (const limit of unknownBrowserLimits('victim', from))
    await useUpLimit(limit.max + 1, limit, server.services);
}

test('lets a person sign in from a known browser, whatever strangers try', async () => {
  await createVictim();
  const client = await clientOf('victim');
  for (let time = 0; time < 12; time += 1) await signIn('victim', 'wrong password');
  assert.is((await signIn('victim', PASSWORD)).status, 429, 'a stranger, by the right password');
  assert.is((await signIn('victim', PASSWORD, client)).status, 200);
  await useUpSharedLimits();
  for (const from of [OFFICE, '203.0.113.5', '2001:db8::1'])
    assert.is((await signIn('victim', PASSWORD, client, from)).status, 200, from);
});

test('gives a known browser ten attempts, then treats it as a stranger', async () => {
  await createVictim();
  const client = await clientOf('victim');
  await useUpSharedLimits();
  const statuses = [];
  for (let time = 0; time < 12; time += 1)
    statuses.push((await signIn('victim', 'wrong password', client)).status);
  assert.equal(statuses, [...Array(10).fill(401), 429, 429]);
  server.clock.now += 1.5 * MINUTE_MS;
  assert.is((await signIn('victim', PASSWORD, client)).status, 200);
  await useUpLimit(10, knownBrowserLimit('victim', client), server.services);
  await useUpSharedLimits();
  assert.is((await signIn('victim', PASSWORD, client)).status, 429, 'as all strangers are');
  await server.services.db.deleteFrom('rate_limits').execute();
  await useUpLimit(10, knownBrowserLimit('victim', client), server.services);
  assert.is((await signIn('victim', PASSWORD, client)).status, 200, 'no worse than a stranger');
});

test('uses up no shared limit for failed sign-ins in a known browser', async () => {
  await createVictim();
  const client = await clientOf('victim');
  for (let time = 0; time < 10; time += 1) await signIn('victim', 'wrong password', client);
  for (let time = 0; time < 10; time += 1)
    assert.is((await signIn('victim', 'wrong password')).status, 401);
});

test('knows a browser only for the people who signed in there', async () => {
  await createVictim();
  await server.createPerson('CUSTOMER', { username: 'intruder', password: PASSWORD });
  const client = await clientOf('intruder');
  await useUpSharedLimits();
  for (const forged of [client, 'A'.repeat(22), '', null, 'x'.repeat(5000), "' or 1=1 --"]) {
    assert.is((await signIn('victim', PASSWORD, forged)).status, 429, String(forged).slice(0, 30));
  }
});

test('knows the last twenty browsers of an account', async () => {
  await createVictim();
  const clients: string[] = [];
  for (let index = 0; index < 21; index += 1) {
    server.clock.now += MINUTE_MS;
    clients.push(await clientOf('victim'));
    if (index === 10) await clientOf('victim', clients[0]);
  }
  await useUpSharedLimits();
  assert.is((await signIn('victim', PASSWORD, clients[1])).status, 429);
  for (const index of [0, 2, 20])
    assert.is(
      (await signIn('victim', PASSWORD, clients[index])).status,
      200,
      `the one at ${index}`,
    );
});

test('knows the browser where a registration or a reset by mail was completed', async () => {
  const admin = await server.createPerson('ADMIN');
  const { body: invited } = await server.addUser(admin, 'victim', 'CUSTOMER');
  const registration = {
    token: invited.user.registrationToken ?? '',
    password: PASSWORD,
    email: 'victim@mail.example',
  };
  const { body: registered } = await server.call('POST /api/auth/complete-registration', {
    body: registration,
  });
  await useUpSharedLimits();
  assert.is((await signIn('victim', PASSWORD, registered.clientToken)).status, 200);

  const token = await askForReset();
  const { status, body: reset } = await server.resetPassword(token, 'a new password');
  assert.is(status, 200);
  assert.is((await signIn('victim', 'a new password', reset.clientToken)).status, 200);
  assert.is(
    (await signIn('victim', 'a new password', registered.clientToken)).status,
    429,
    'that of before is not known any more',
  );
});

async function askForReset(): Promise<string> {
  await server.requestPasswordReset('victim@mail.example');
  await server.sendMails();
  // The registration's mail is sent at the same time, and either may be last.
  const { link = '' } = server.mails.find((mail) => mail.link?.includes('/reset-password/')) ?? {};
  assert.is.not(link, '');
  return link.split('/').at(-1) ?? '';
}

test('opens no session for an old password that a reset overtakes', async () => {
  await createVictim();
  const token = await askForReset();
  for (let round = 0; round < 3; round += 1) {
    const { db } = server.services;
    const begin = db.transaction.bind(db);
    let isOvertaken = false;
    // The transaction that remembers the browser, after the password check.
    db.transaction = () => {
      const builder = begin();
      const { execute } = builder;
      builder.execute = async (work) => {
        const isRecordingSignIn = new Error().stack?.includes('recordSignInAndBrowser') === true;
        if (isRecordingSignIn && !isOvertaken) {
          isOvertaken = true;
          await server.services.db
            .updateTable('users')
            .set((row) => ({ session_version: row('session_version', '+', 1) }))
            .where('username', '=', 'victim')
            .execute();
        }
        return execute.call(builder, work) as never;
      };
      return builder;
    };
    const { status } = await signIn('victim', PASSWORD);
    Reflect.deleteProperty(db, 'transaction');
    assert.equal([isOvertaken, status], [true, 401]);
  }
  assert.equal(await server.services.db.selectFrom('known_clients').selectAll().execute(), []);
  assert.ok(token);
});

test.run();
