/**
 * Every event of an account, and everything by which someone could still act or listen as its
 * person.
 */
import * as assert from 'uvu/assert';
import { replacePassword } from '../../../server/accounts/operator';
import { sha256 } from '../../../server/lib/sha256';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('what a change of an account ends');
const PASSWORD = 'correct horse battery';
const REQUEST = { 'Idempotency-Key': 'abc' };
const KEYS = {
  p256dh: 'BIPUL12DLfytvTajnryr2PRdAgXS3HGKiLqndGcJGabyhHheJYlNGCeXl1dn18gSJ1WAkAPIxr4gK0_dQds4yiI',
  auth: 'FPssNDTKnInHVndSTdbKFw',
};
let admin: Person;

/** An account with everything that can belong to one. */
interface Account {
  person: Person;
  /** A session of the same person in another browser. */
  elsewhere: { token: string };
  device: number;
  clientToken: string;
  links: { reset: string; verify: string; change: string };
  topic: number;
}

test.before.each(async () => {
  admin = await server.createPerson('ADMIN', { username: 'boss' });
});

const originOf = (username: string): string => `https://push.${username}.example`;
const tokenOf = (username: string): string =>
  JSON.stringify({ endpoint: `${originOf(username)}/left-behind`, keys: KEYS });

async function createAccount(username = 'ana'): Promise<Account> {
  const email = `${username}@mail.example`;
  const person = await server.createPerson('ADMIN', {
    username,
    email,
    password: PASSWORD,
  });
  const topic = await server.createTopic();
  await server.subscribe(admin, person.id, topic);
  const device = { deviceToken: tokenOf(username), deviceType: 'web', userAgent: '' } as const;
  const { body } = await server.call('POST /api/notifications/register-device', {
    as: person,
    body: device,
  });
  await server.setDevicePreference(person, body.id, topic, true);
  const { body: session } = await server.signIn(username, PASSWORD);
  await server.sendToTopic(admin, topic, { message: 'On its way' });
  await server.call('POST /api/admin/users', {
    as: person,
    body: { username: `invited by ${username}`, role: 'CUSTOMER' },
    headers: REQUEST,
  });
  const links = {
    reset: await requestMailedToken('POST /api/auth/request-password-reset', email),
    verify: await requestMailedToken('POST /api/auth/resend-verification', email),
    change: await requestOthersToken(person),
  };
  const { token, clientToken } = session;
  return {
    person,
    elsewhere: { token },
    device: body.id,
    clientToken: clientToken ?? '',
    links,
    topic,
  };
}

async function requestMailedToken(
  endpoint: 'POST /api/auth/request-password-reset' | 'POST /api/auth/resend-verification',
  email: string,
): Promise<string> {
  await server.call(endpoint, { body: { email } });
  await server.sendMails();
  return server.mails.at(-1)?.link.split('/').at(-1) ?? '';
}

async function requestOthersToken(as: Person): Promise<string> {
  const body = { email: `${as.username}@other.example`, password: PASSWORD };
  await server.call('PUT /api/account/email', { as, body });
  await server.sendMails();
  return server.mails.at(-1)?.link.split('/').at(-1) ?? '';
}

/** Whether each still works, tried the way it is used. */
const checks: Record<string, (scene: Account) => Promise<boolean>> = {
  'the password': async ({ person: { username } }) =>
    (await server.signIn(username, PASSWORD)).status === 200,
  sessions: async ({ person }) =>
    (await server.call('GET /api/notifications/devices', { as: person })).status === 200,
  'sessions elsewhere': async ({ elsewhere }) =>
    (await server.call('GET /api/notifications/devices', { as: elsewhere })).status === 200,
  'reset links': ({ links }) => hasRow('one_time_tokens', 'token_hash', sha256(links.reset)),
  'verification links': ({ links }) =>
    hasRow('one_time_tokens', 'token_hash', sha256(links.verify)),
  'links for another address': ({ links }) =>
    hasRow('one_time_tokens', 'token_hash', sha256(links.change)),
  'known browsers': ({ clientToken }) => hasRow('known_clients', 'token_hash', sha256(clientToken)),
  devices: ({ person }) => hasRow('devices', 'token_hash', sha256(tokenOf(person.username))),
  "devices' own switches": async ({ device }) =>
    (
      await server.services.db
        .selectFrom('device_preferences')
        .select('topic_id')
        .where('device_id', '=', device)
        .execute()
    ).length > 0,
  'push services of no one else': async ({ person }) =>
    (
      await server.services.db
        .selectFrom('push_services')
        .select('id')
        .where('origin', '=', originOf(person.username))
        .execute()
    ).length > 0,
  // A push is sent only while its device exists; `delivery/` checks before each.
  'pushes on their way': async ({ device }) => {
    const { db } = server.services;
    const left = db
      .selectFrom('deliveries')
      .innerJoin('devices', 'devices.id', 'deliveries.device_id')
      .where('devices.id', '=', device)
      .where('deliveries.state', '=', 'pending');
    return (await left.select('deliveries.id').execute()).length > 0;
  },
  'known requests': async ({ person }) =>
    (
      await server.services.db
        .selectFrom('requests')
        .select('key')
        .where('user_id', '=', person.id)
        .execute()
    ).length > 0,
  subscriptions: async ({ person }) =>
    (
      await server.services.db
        .selectFrom('subscriptions')
        .select('id')
        .where('user_id', '=', person.id)
        .execute()
    ).length > 0,
  'rights of an administrator': async ({ person }) =>
    (
      await server.services.db
        .selectFrom('users')
        .select('role')
        .where('id', '=', person.id)
        .executeTakeFirst()
    )?.role === 'ADMIN',
};

async function hasRow(
  table: 'one_time_tokens' | 'known_clients' | 'devices',
  column: 'token_hash',
  value: string,
): Promise<boolean> {
  return (
    (await server.services.db.selectFrom(table).select(column).where(column, '=', value).execute())
      .length > 0
  );
}

const events: Record<
  string,
  { change: (scene: Account) => Promise<unknown>; ends: readonly string[] }
> = {
  'a password reset by mail': {
    change: ({ links }) => server.resetPassword(links.reset, 'a new password'),
    ends: [
      'the password',
      'sessions',
      'sessions elsewhere',
      'reset links',
      'verification links',
      'links for another address',
      'known browsers',
      'devices',
      "devices' own switches",
      'push services of no one else',
      'pushes on their way',
    ],
  },
  'a password reset by the operator': {
    change: () => replacePassword('ana', server.services.db, server.clock.now),
    ends: [
      'the password',
      'sessions',
      'sessions elsewhere',
      'reset links',
      'links for another address',
      'known browsers',
      'devices',
      "devices' own switches",
      'push services of no one else',
      'pushes on their way',
    ],
  },
  'a demotion': {
    change: ({ person }) => server.changeRole(admin, person.id, 'TECHNICIAN'),
    ends: ['sessions', 'sessions elsewhere', 'rights of an administrator'],
  },
  'a password changed by its person': {
    change: ({ person }) =>
      server.call('PUT /api/account/password', {
        as: person,
        body: { current: PASSWORD, password: 'a new password' },
      }),
    ends: [
      'the password',
      'sessions',
      'sessions elsewhere',
      'reset links',
      'links for another address',
    ],
  },
  'signing out everywhere': {
    change: ({ elsewhere }) =>
      server.call('POST /api/account/sign-out-everywhere', { as: elsewhere }),
    ends: [
      'sessions',
      'sessions elsewhere',
      'devices',
      "devices' own switches",
      'push services of no one else',
      'pushes on their way',
    ],
  },
  'the use of the link for another address': {
    change: ({ links }) =>
      server.call('GET /api/auth/verify-email/:token', { params: { token: links.change } }),
    ends: ['reset links', 'verification links', 'links for another address'],
  },
  'a deletion': {
    change: ({ person }) => server.deleteUser(admin, person.id),
    ends: [
      'the password',
      'sessions',
      'sessions elsewhere',
      'reset links',
      'verification links',
      'links for another address',
      'known browsers',
      'devices',
      "devices' own switches",
      'push services of no one else',
      'pushes on their way',
      'known requests',
      'subscriptions',
      'rights of an administrator',
    ],
  },
  'signing a device out elsewhere': {
    change: ({ elsewhere, device }) =>
      server.call('DELETE /api/notifications/devices/:id', {
        as: elsewhere,
        params: { id: device },
      }),
    ends: [
      'sessions',
      'devices',
      "devices' own switches",
      'push services of no one else',
      'pushes on their way',
    ],
  },
  'removing a device by an administrator': {
    change: ({ device }) =>
      server.call('DELETE /api/admin/devices/:id', { as: admin, params: { id: device } }),
    ends: [
      'sessions',
      'devices',
      "devices' own switches",
      'push services of no one else',
      'pushes on their way',
    ],
  },
  'the use of a verification link': {
    change: ({ links }) =>
      server.call('GET /api/auth/verify-email/:token', { params: { token: links.verify } }),
    ends: ['verification links'],
  },
};

for (const [event, { change, ends }] of Object.entries(events)) {
  test(`${event} ends exactly what it should, for that person alone`, async () => {
    const scene = await createAccount();
    const other = await createAccount('ben');
    for (const each of [scene, other])
      assert.equal(await workingOf(each), Object.keys(checks), 'before');
    await change(scene);
    assert.equal(await workingOf(other), Object.keys(checks), 'of another account');
    assert.equal(
      await workingOf(scene),
      Object.keys(checks).filter((checkName) => !ends.includes(checkName)),
    );
  });
}

async function workingOf(scene: Account): Promise<string[]> {
  const working: string[] = [];
  for (const [checkName, works] of Object.entries(checks))
    if (await works(scene)) working.push(checkName);
  return working;
}

test.run();
