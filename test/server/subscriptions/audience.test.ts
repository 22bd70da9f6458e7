import * as assert from 'uvu/assert';
import type { Audience, AudienceQuery } from '../../../src/shared/contract';
import { countAudience } from '../../../server/subscriptions/audience-size';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('audience of a message');
let admin: Person;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN');
});

/** A subscriber of these topics with that many devices. */
async function createSubscriber(
  username: string,
  devices: number,
  ...topicIds: number[]
): Promise<Person & { deviceIds: number[] }> {
  const person = await server.createPerson('TECHNICIAN', { username });
  const deviceIds: number[] = [];
  for (const topicId of topicIds) await server.subscribe(admin, person.id, topicId);
  for (let index = 0; index < devices; index += 1) {
    const body = {
      deviceToken: `${username.replaceAll(' ', '-')}-${index}`,
      deviceType: 'web',
      userAgent: '',
    } as const;
    deviceIds.push(
      (await server.call('POST /api/notifications/register-device', { as: person, body })).body.id,
    );
  }
  return { ...person, deviceIds };
}
const switchOff = (as: Person, topicId: number) => server.setPreference(as, topicId, false);
const switchDevice = (as: Person, id: number | undefined, topicId: number, enabled: boolean) =>
  server.setDevicePreference(as, id ?? 0, topicId, enabled);
const count = async (body: AudienceQuery) =>
  omitUndo((await server.call('POST /api/admin/messages/audience', { as: admin, body })).body);
const omitUndo = ({ canUndo: _, ...counts }: Audience) => counts;

test('counts each subscriber once: reachable, muted or without a device', async () => {
  const topic = await server.createTopic();
  await createSubscriber('one device', 1, topic);
  await createSubscriber('three devices', 3, topic);
  const partly = await createSubscriber('one of two', 2, topic);
  await switchDevice(partly, partly.deviceIds[0], topic, false);
  const muted = await createSubscriber('muted', 2, topic);
  await switchOff(muted, topic);
  await createSubscriber('no device', 0, topic);
  await switchOff(await createSubscriber('no device, and switched off', 0, topic), topic);
  const oneOn = await createSubscriber('all but one device off', 2, topic);
  await switchOff(oneOn, topic);
  await switchDevice(oneOn, oneOn.deviceIds[1], topic, true);
  await createSubscriber('of no topic', 1);
  assert.equal(await count({ topicIds: [topic] }), {
    people: 7,
    reachable: 4,
    muted: 1,
    unreachable: 2,
    held: 0,
    heldUntil: null,
  });
});

test('counts a person of several topics once, by any topic not muted', async () => {
  const [first, second] = [await server.createTopic(), await server.createTopic()];
  const ana = await createSubscriber('ana', 2, first, second);
  await switchOff(ana, first);
  const ben = await createSubscriber('ben', 1, first, second);
  await switchOff(ben, first);
  await switchOff(ben, second);
  assert.equal(await count({ topicIds: [first] }), {
    people: 2,
    reachable: 0,
    muted: 2,
    unreachable: 0,
    held: 0,
    heldUntil: null,
  });
  assert.equal(await count({ topicIds: [first, second, first], priority: 'urgent' }), {
    people: 2,
    reachable: 1,
    muted: 1,
    unreachable: 0,
    held: 0,
    heldUntil: null,
  });
});

test('counts a named person as reachable despite muted topics', async () => {
  const topic = await server.createTopic();
  const ana = await createSubscriber('ana', 1, topic);
  await switchOff(ana, topic);
  const ben = await createSubscriber('ben', 1);
  const { body: invited } = await server.addUser(admin, 'carl', 'CUSTOMER');
  assert.equal(await count({ userIds: [ana.id, ben.id, ben.id, invited.user.id] }), {
    people: 3,
    reachable: 2,
    muted: 0,
    unreachable: 1,
    held: 0,
    heldUntil: null,
  });
  assert.equal(await count({ topicIds: [topic], userIds: [ana.id] }), {
    people: 1,
    reachable: 1,
    muted: 0,
    unreachable: 0,
    held: 0,
    heldUntil: null,
  });
});

test('counts an empty audience, and rejects unknown ids by their field', async () => {
  const topic = await server.createTopic();
  const emptyAudience = {
    people: 0,
    reachable: 0,
    muted: 0,
    unreachable: 0,
    held: 0,
    heldUntil: null,
  };
  assert.equal(
    [
      await count({}),
      await count({ topicIds: [], userIds: [] }),
      await count({ topicIds: [topic] }),
    ],
    [emptyAudience, emptyAudience, emptyAudience],
  );
  const readAudience = async (body: object) =>
    server.call('POST /api/admin/messages/audience', { as: admin, body: body as AudienceQuery });
  for (const [body, message, path] of [
    [{ topicIds: [topic, 999_999] }, 'This topic does not exist.', 'topicIds'],
    [{ userIds: [admin.id, 999_999] }, 'This user does not exist.', 'userIds'],
    [{ topicIds: [0] }, 'Topic must be a positive whole number.', 'topicIds'],
    [{ topicIds: ['1'] }, 'Topic ids must be a number.', 'topicIds'],
    [{ topicIds: 1 }, 'Topic ids must be a list.', 'topicIds'],
    [{ topicIds: [[1]] }, 'Topic ids must be a single value.', 'topicIds'],
    [{ topicIds: [null] }, 'Topic ids must be a number.', 'topicIds'],
    [
      { topicIds: Array.from({ length: 1001 }, (_, index) => index + 1) },
      'A list can have at most 1,000 IDs.',
      'topicIds',
    ],
    [{ priority: 'high' }, 'Priority must be one of info, normal, urgent.', 'priority'],
  ] as const) {
    const { status, error } = await readAudience(body);
    assert.equal(
      [status, Array.isArray(error) && error[0]],
      [400, { message, path }],
      JSON.stringify(body).slice(0, 60),
    );
  }
});

test('counts a large audience in pieces with the same result', async () => {
  const { db, now } = server.services;
  const topics = [await server.createTopic(), await server.createTopic()];
  for (let nth = 0; nth < 6; nth += 1)
    await createSubscriber(`person ${nth}`, nth % 3, ...topics.slice(nth % 2));
  const [first, second] = await db
    .selectFrom('devices')
    .select('user_id')
    .distinct()
    .orderBy('user_id')
    .execute();
  const preferences = topics.map((topic_id) => ({
    user_id: first!.user_id,
    topic_id,
    enabled: 0 as const,
  }));
  await db.insertInto('account_preferences').values(preferences).execute();
  const rules = JSON.stringify([{ days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '23:59' }]);
  await db
    .insertInto('quiet_hours')
    .values({ user_id: second!.user_id, time_zone: 'UTC', rules })
    .execute();
  const audience = { topicIds: topics, userIds: [admin.id], priority: 'info' as const };
  const whole = await countAudience(audience, db, now());
  assert.equal([whole.people, whole.muted, whole.held], [7, 1, 1]);
  for (const piece of [1, 2, 3, 7])
    assert.equal(await countAudience(audience, db, now(), piece), whole, `${piece} at a time`);
});

test.run();
