import * as assert from 'uvu/assert';
import type { Preference } from '../../../src/shared/contract';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('preferences');
let ana: Person;
let topic: number;
let phone: number;
let laptop: number;

test.before.each(async () => {
  const admin = await server.createPerson('ADMIN');
  ana = await server.createPerson('TECHNICIAN');
  topic = await server.createTopic();
  await server.subscribe(admin, ana.id, topic);
  [phone, laptop] = [await register('phone'), await register('laptop')];
});

const register = async (deviceToken: string): Promise<number> =>
  (await server.registerDevice(ana, deviceToken)).body.id;
const setForAccount = (enabled: boolean, topicId: number | string = topic) =>
  server.setPreference(ana, topicId, enabled);
const setForDevice = (id: number, enabled: boolean, topicId = topic) =>
  server.setDevicePreference(ana, id, topicId, enabled);
const readAccountPreferences = async (): Promise<Preference[]> =>
  (await server.call('GET /api/notifications/preferences', { as: ana })).body;
const readDevicePreferences = async (id: number): Promise<Preference[]> =>
  (await server.call('GET /api/notifications/preferences/:id', { as: ana, params: { id } })).body;

test('enables a topic by default', async () => {
  assert.equal(await readAccountPreferences(), [{ topicId: topic, enabled: true }]);
  assert.equal(await readDevicePreferences(phone), [{ topicId: topic, enabled: true }]);
});

test("applies the account's setting to devices without their own", async () => {
  assert.equal((await setForAccount(false)).body, { topicId: topic, enabled: false });
  assert.equal(await readDevicePreferences(phone), [{ topicId: topic, enabled: false }]);
  assert.equal((await setForDevice(phone, true)).body, { topicId: topic, enabled: true });
  assert.equal(
    [
      await readAccountPreferences(),
      await readDevicePreferences(phone),
      await readDevicePreferences(laptop),
    ].map(([first]) => first?.enabled),
    [false, true, false],
  );
});

test("resets device settings of a topic when the account's changes", async () => {
  const otherTopicId = await server.createTopic();
  await server.services.db
    .insertInto('subscriptions')
    .values({ user_id: ana.id, topic_id: otherTopicId, created_at: 0 })
    .execute();
  await setForDevice(phone, false);
  await setForDevice(phone, false, otherTopicId);
  await setForAccount(true);
  const inForce = new Map(
    (await readDevicePreferences(phone)).map(({ topicId, enabled }) => [topicId, enabled]),
  );
  assert.equal([inForce.get(topic), inForce.get(otherTopicId)], [true, false]);
});

test("keeps another person's settings", async () => {
  const ben = await server.createPerson('TECHNICIAN');
  await server.services.db
    .insertInto('subscriptions')
    .values({ user_id: ben.id, topic_id: topic, created_at: 0 })
    .execute();
  const body = { deviceToken: 'ben', deviceType: 'web', userAgent: '' } as const;
  const { body: reply } = await server.call('POST /api/notifications/register-device', {
    as: ben,
    body,
  });
  await server.setDevicePreference(ben, reply.id, topic, false);
  await setForAccount(true);
  const { body: settings } = await server.call('GET /api/notifications/preferences/:id', {
    as: ben,
    params: { id: reply.id },
  });
  assert.equal(settings, [{ topicId: topic, enabled: false }]);
});

test('rejects a setting for a topic without subscription', async () => {
  const otherTopicId = await server.createTopic();
  for (const rejectedResponse of [
    await setForAccount(false, otherTopicId),
    await setForDevice(phone, false, otherTopicId),
    await setForAccount(false, 999),
  ]) {
    assert.equal(
      [rejectedResponse.status, rejectedResponse.error],
      [404, 'You are not subscribed to this topic.'],
    );
  }
  assert.is((await setForAccount(false, 'x')).status, 404);
});

test('keeps the last of many simultaneous changes', async () => {
  const wishes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => setForAccount(index % 2 === 0)),
  );
  assert.equal(new Set(wishes.map(({ status }) => status)), new Set([200]));
  await setForAccount(false);
  assert.equal(await readAccountPreferences(), [{ topicId: topic, enabled: false }]);
});

test.run();
