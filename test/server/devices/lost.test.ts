import * as assert from 'uvu/assert';
import { replacePassword } from '../../../server/accounts/operator';
import { recordOutcomes } from '../../../server/db/outbox/outcomes';
import { createAudienceHelpers } from '../../support/server/audience';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('lost devices');
const { claimAll } = createAudienceHelpers(server);
let ana: Person;
let admin: Person;

test.before.each(async () => {
  ana = await server.createPerson('TECHNICIAN', { username: 'ana', password: 'a good password' });
  admin = await server.createPerson('ADMIN', { username: 'boss' });
});

async function register(deviceToken: string, as = ana): Promise<number> {
  const body = { deviceToken, deviceType: 'web', userAgent: '' } as const;
  return (await server.call('POST /api/notifications/register-device', { as, body })).body.id;
}
const unregister = (deviceToken: string, reason?: 'blocked') =>
  server.call('DELETE /api/notifications/unregister-device', {
    as: ana,
    body: { deviceToken, ...(reason && { reason }) },
  });
/** Why a person has no device; null if unknown, or if there is one. */
async function whyLost(username = 'ana') {
  const { body } = await server.call('GET /api/admin/reach', {
    as: admin,
    query: { query: username },
  });
  const [foundPerson] = body.people;
  assert.is(foundPerson?.state, foundPerson?.devices.length === 0 ? 'no_device' : 'untested');
  return foundPerson?.lost;
}
/** The push service rejects the devices of the next message as gone. */
async function findGone(): Promise<void> {
  await server.sendMessage(admin, { userIds: [ana.id], message: 'Power is off' });
  await server.services.db.updateTable('deliveries').set({ service_id: 0 }).execute();
  const settlements = (await claimAll()).map((claim) => ({
    claim,
    state: 'gone' as const,
    reason: 'http-410',
    attempted: true,
  }));
  await recordOutcomes(server.services.db, settlements, server.clock.now);
}

const losses: Record<string, { why: string; lose: (id: number) => Promise<unknown> }> = {
  'its app signs out': { why: 'signed_out', lose: () => unregister('phone') },
  'its app finds notifications blocked': {
    why: 'blocked',
    lose: () => unregister('phone', 'blocked'),
  },
  'its person signs it out elsewhere': {
    why: 'signed_out',
    lose: (id) => server.call('DELETE /api/notifications/devices/:id', { as: ana, params: { id } }),
  },
  'an administrator removes it': {
    why: 'removed',
    lose: (id) => server.call('DELETE /api/admin/devices/:id', { as: admin, params: { id } }),
  },
  'its push service knows it no longer': { why: 'gone', lose: findGone },
  'another person registers its browser': {
    why: 'replaced',
    lose: async () => register('phone', await server.createPerson('CUSTOMER')),
  },
  'the worker of another person’s device gets its subscription': {
    why: 'replaced',
    lose: async () => {
      const ben = await server.createPerson('CUSTOMER');
      const body = { deviceToken: 'bens', deviceType: 'web', userAgent: '' } as const;
      const { body: reply } = await server.call('POST /api/notifications/register-device', {
        as: ben,
        body,
      });
      await server.renewDeviceToken({ token: reply.deviceKey }, 'phone');
    },
  },
  'the operator gives its person a new password': {
    why: 'signed_out',
    lose: () => replacePassword('ana', server.services.db, server.clock.now),
  },
};
for (const [way, { why, lose }] of Object.entries(losses)) {
  test(`reports a lost device as ${why} when ${way}`, async () => {
    const id = await register('phone');
    assert.is(await whyLost(), null);
    server.clock.now += 60_000;
    const at = new Date(server.clock.now).toISOString();
    await lose(id);
    assert.equal(await whyLost(), { at, why });
  });
}

test('reports a loss only for the last device, and until a new one registers', async () => {
  const body = { username: 'ana', password: 'a good password' };
  const elsewhere = (await server.call('POST /api/auth/login', { body })).body;
  const first = await register('first', { ...ana, token: elsewhere.token });
  await register('second');
  await server.call('DELETE /api/admin/devices/:id', { as: admin, params: { id: first } });
  assert.is(await whyLost(), null);
  await unregister('second');
  assert.is((await whyLost())?.why, 'signed_out');
  await register('third');
  assert.is(await whyLost(), null);
  await findGone();
  assert.is((await whyLost())?.why, 'gone', 'and what was lost last counts');
});

test('reports one loss when all devices are gone at once', async () => {
  await register('first');
  await register('second');
  await findGone();
  assert.is((await whyLost())?.why, 'gone');
});

test('reports blocked notifications even after the push service noticed first', async () => {
  await register('phone');
  await findGone();
  await unregister('phone', 'blocked');
  assert.is((await whyLost())?.why, 'blocked');
});

test('rejects an unknown reason', async () => {
  assert.is((await unregister('phone', 'bored' as 'blocked')).status, 400);
});

test.run();
