/**
 * What a change of an account ends: every event, and everything by which somebody could act or
 * listen as its person.
 */
import * as assert from 'uvu/assert';
import { replacePassword } from '../../../server/accounts/operator';
import { sha256 } from '../../../server/lib/sha256';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('what ends');
const [EMAIL, PASSWORD, REQUEST] = [
  'ana@mail.example',
  'correct horse battery',
  { 'Idempotency-Key': 'abc' },
];
let boss: Person;

/** An account with all that can hang on one: as somebody who had the password would leave it. */
interface Scene {
  ana: Person;
  /** Ana in another browser. */
  elsewhere: { token: string };
  device: number;
  clientToken: string;
  links: { reset: string; verify: string; change: string };
  topic: number;
}

test.before.each(async () => {
  boss = await server.makePerson('ADMIN', { username: 'boss' });
});

async function makeScene(): Promise<Scene> {
  const ana = await server.makePerson('ADMIN', {
    username: 'ana',
    email: EMAIL,
    password: PASSWORD,
  });
  const topic = await server.makeTopic();
  await server.call('POST /api/admin/subscriptions', {
    as: boss,
    body: { userId: ana.id, topicId: topic },
  });
  const device = { deviceToken: 'left-behind', deviceType: 'web', userAgent: '' } as const;
  const { answer } = await server.call('POST /api/notifications/register-device', {
    as: ana,
    body: device,
  });
  await server.call('PUT /api/notifications/preferences/:id', {
    as: ana,
    params: { id: answer.id },
    body: { topicId: topic, enabled: true },
  });
  const { answer: session } = await server.call('POST /api/auth/login', {
    body: { username: 'ana', password: PASSWORD },
  });
  await server.call('POST /api/admin/notifications/send-topic/:topicId', {
    as: boss,
    params: { topicId: topic },
    body: { message: 'On its way' },
  });
  await server.call('POST /api/admin/users', {
    as: ana,
    body: { username: 'invited by ana', role: 'CUSTOMER' },
    headers: REQUEST,
  });
  const links = {
    reset: await mailed('POST /api/auth/request-password-reset'),
    verify: await mailed('POST /api/auth/resend-verification'),
    change: await mailedForAnother(ana),
  };
  const { token, clientToken } = session;
  return {
    ana,
    elsewhere: { token },
    device: answer.id,
    clientToken: clientToken ?? '',
    links,
    topic,
  };
}

async function mailed(
  endpoint: 'POST /api/auth/request-password-reset' | 'POST /api/auth/resend-verification',
): Promise<string> {
  await server.call(endpoint, { body: { email: EMAIL } });
  await server.sendMails();
  return server.mails.at(-1)?.link.split('/').at(-1) ?? '';
}

async function mailedForAnother(as: Person): Promise<string> {
  const body = { email: 'ana@other.example', password: PASSWORD };
  await server.call('PUT /api/account/email', { as, body });
  await server.sendMails();
  return server.mails.at(-1)?.link.split('/').at(-1) ?? '';
}

/** Whether it still works, asked in the way in which it would be used. */
const things: Record<string, (scene: Scene) => Promise<boolean>> = {
  'the password': async () =>
    (await server.call('POST /api/auth/login', { body: { username: 'ana', password: PASSWORD } }))
      .status === 200,
  sessions: async ({ ana }) =>
    (await server.call('GET /api/notifications/devices', { as: ana })).status === 200,
  'sessions elsewhere': async ({ elsewhere }) =>
    (await server.call('GET /api/notifications/devices', { as: elsewhere })).status === 200,
  'reset links': ({ links }) => has('one_time_tokens', 'token_hash', sha256(links.reset)),
  'verification links': ({ links }) => has('one_time_tokens', 'token_hash', sha256(links.verify)),
  'links for another address': ({ links }) =>
    has('one_time_tokens', 'token_hash', sha256(links.change)),
  'known browsers': ({ clientToken }) => has('known_clients', 'token_hash', sha256(clientToken)),
  devices: () => has('devices', 'token_hash', sha256('left-behind')),
  "devices' own switches": async () =>
    (await server.services.db.selectFrom('device_preferences').selectAll().execute()).length > 0,
  'push services of no one else': async () =>
    (await server.services.db.selectFrom('push_services').select('id').execute()).length > 0,
  // A push is sent only while its device is there; `delivery/` asks again before each.
  'pushes on their way': async () => {
    const { db } = server.services;
    const left = db
      .selectFrom('deliveries')
      .innerJoin('devices', 'devices.id', 'deliveries.device_id')
      .where('deliveries.state', '=', 'pending');
    return (await left.select('deliveries.id').execute()).length > 0;
  },
  'known requests': async ({ ana }) =>
    (
      await server.services.db
        .selectFrom('requests')
        .select('key')
        .where('user_id', '=', ana.id)
        .execute()
    ).length > 0,
  subscriptions: async ({ ana }) =>
    (
      await server.services.db
        .selectFrom('subscriptions')
        .select('id')
        .where('user_id', '=', ana.id)
        .execute()
    ).length > 0,
  'rights of an administrator': async ({ ana }) =>
    (
      await server.services.db
        .selectFrom('users')
        .select('role')
        .where('id', '=', ana.id)
        .executeTakeFirst()
    )?.role === 'ADMIN',
};

async function has(
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
  { happen: (scene: Scene) => Promise<unknown>; ends: readonly string[] }
> = {
  'a password reset by mail': {
    happen: ({ links }) =>
      server.call('POST /api/auth/reset-password', {
        body: { token: links.reset, password: 'a new password' },
      }),
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
    happen: () => replacePassword('ana', server.services.db, server.clock.now),
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
    happen: ({ ana }) =>
      server.call('PUT /api/admin/users/:id/role', {
        as: boss,
        params: { id: ana.id },
        body: { role: 'TECHNICIAN' },
      }),
    ends: ['sessions', 'sessions elsewhere', 'rights of an administrator'],
  },
  'a password changed by its person': {
    happen: ({ ana }) =>
      server.call('PUT /api/account/password', {
        as: ana,
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
    happen: ({ elsewhere }) =>
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
    happen: ({ links }) =>
      server.call('GET /api/auth/verify-email/:token', { params: { token: links.change } }),
    ends: ['reset links', 'verification links', 'links for another address'],
  },
  'a deletion': {
    happen: ({ ana }) =>
      server.call('DELETE /api/admin/users/:id', { as: boss, params: { id: ana.id } }),
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
    happen: ({ elsewhere, device }) =>
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
    happen: ({ device }) =>
      server.call('DELETE /api/admin/devices/:id', { as: boss, params: { id: device } }),
    ends: [
      'sessions',
      'devices',
      "devices' own switches",
      'push services of no one else',
      'pushes on their way',
    ],
  },
  'the use of a verification link': {
    happen: ({ links }) =>
      server.call('GET /api/auth/verify-email/:token', { params: { token: links.verify } }),
    ends: ['verification links'],
  },
};

for (const [event, { happen, ends }] of Object.entries(events)) {
  test(`${event} ends ${ends.join(', ')}, and nothing else`, async () => {
    const scene = await makeScene();
    assert.equal(await workingOf(scene), Object.keys(things), 'before');
    await happen(scene);
    assert.equal(
      await workingOf(scene),
      Object.keys(things).filter((thing) => !ends.includes(thing)),
    );
  });
}

async function workingOf(scene: Scene): Promise<string[]> {
  const working: string[] = [];
  for (const [thing, works] of Object.entries(things)) if (await works(scene)) working.push(thing);
  return working;
}

test('a promotion ends the sessions of before, which were those of the old role', async () => {
  const ana = await server.makePerson('CUSTOMER', { username: 'ana' });
  await server.call('PUT /api/admin/users/:id/role', {
    as: boss,
    params: { id: ana.id },
    body: { role: 'ADMIN' },
  });
  assert.is((await server.call('GET /api/notifications/devices', { as: ana })).status, 401);
});

test('a registration ends its link, also for a question for whom it is', async () => {
  const { answer } = await server.call('POST /api/admin/users', {
    as: boss,
    body: { username: 'ana', role: 'CUSTOMER' },
  });
  const token = answer.user.registrationToken ?? '';
  const preview = async () =>
    (await server.call('GET /api/auth/registration/:token', { params: { token } })).status;
  assert.is(await preview(), 200);
  await server.call('POST /api/auth/complete-registration', {
    body: { token, password: PASSWORD, email: EMAIL },
  });
  assert.is(await preview(), 400);
  assert.equal(
    await server.services.db
      .selectFrom('one_time_tokens')
      .select('id')
      .where('purpose', '=', 'registration')
      .execute(),
    [],
  );
});

test('a password reset ends nothing of another account', async () => {
  const scene = await makeScene();
  await server.makePerson('CUSTOMER', { username: 'ben' });
  await replacePassword('ben', server.services.db, server.clock.now);
  assert.equal(await workingOf(scene), Object.keys(things));
});

test.run();
