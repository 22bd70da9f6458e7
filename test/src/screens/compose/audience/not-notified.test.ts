import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readNotNotified } from '../../../../../src/screens/compose/audience/not-notified';
import type { Subscriber } from '../../../../../src/shared/contract';
import type { Addressee } from '../../../../../src/state/messages/composing';
import { fakeApi } from '../../../../support/app/app';
import {
  numbersUpTo,
  createSubscriber,
  createUser,
  userPages,
} from '../../../../support/app/factories/people';
import { endSession, signInAs } from '../../../../support/app/session';

const test = suite('who won’t be notified');
const SUBSCRIBERS = 'GET /api/admin/topics/:id/subscribers';
const AUDIENCE = 'POST /api/admin/messages/audience';
const USERS = 'GET /api/admin/users';
const NO_DEVICE = 'No device to notify';

test.before.each(() => {
  fakeApi.install();
  signInAs('ADMIN');
  fakeApi.reply(USERS, userPages([]));
});
test.after.each(() => {
  endSession();
  fakeApi.remove();
});

const topic = (id: number, name: string): Addressee => ({ kind: 'topic', id, name });
const person = (id: number, name = `user${id}`): Addressee => ({ kind: 'person', id, name });
type Status = Subscriber['notificationStatus'];
const serve = (topics: Record<string, Record<string, Status>>) =>
  fakeApi.reply(SUBSCRIBERS, ({ params }) =>
    Object.entries(topics[params.id!]!).map(([username, notificationStatus], index) =>
      createSubscriber(index, { user: { username, role: 'TECHNICIAN' }, notificationStatus }),
    ),
  );
const notNotified = async (...to: Addressee[]) =>
  (await readNotNotified(to)).map(({ name, reason: why }) => `${name}: ${why}`);

test('counts a person as reached by any unmuted topic or by name', async () => {
  serve({
    1: { ana: 'disabled', bo: 'disabled', cy: 'disabled', dan: 'partial', eve: 'no_devices' },
    2: { ana: 'disabled', bo: 'enabled', eve: 'no_devices' },
  });
  assert.equal(await notNotified(topic(1, 'Storms'), topic(2, 'Outages'), person(9, 'cy')), [
    'ana: Muted Storms, Outages',
    `eve: ${NO_DEVICE}`,
  ]);
  assert.equal(fakeApi.requestsTo(AUDIENCE).length, 0, 'topic members are known');
});

test('looks up the first ten of people named alone', async () => {
  fakeApi.reply(AUDIENCE, ({ body }) => ({
    people: 1,
    reachable: 0,
    muted: 0,
    held: 0,
    unreachable: (body as { userIds: [number] }).userIds[0] % 2,
  }));
  assert.equal(
    await notNotified(...numbersUpTo(15).map((id) => person(id))),
    [1, 3, 5, 7, 9].map((id) => `user${id}: ${NO_DEVICE}`),
  );
  assert.is(fakeApi.requestsTo(AUDIENCE).length, 10);
});

test('marks people who have not registered by exact name, ten at most', async () => {
  serve({
    1: Object.fromEntries(numbersUpTo(12).map((id) => [`user${id}`, 'no_devices' as const])),
  });
  fakeApi.reply(USERS, ({ query }) => ({
    ...userPages([createUser(99, { username: `${query.query}9`, status: 'PENDING' })])({ query }),
    ...(query.query === 'user2' && { users: [createUser(2, { status: 'PENDING' })] }),
  }));
  const notNotifiedPeople = await readNotNotified([topic(1, 'Storms')]);
  assert.equal(
    notNotifiedPeople
      .filter(({ invitedUser: invited }) => invited)
      .map(({ name, reason: why }) => [name, why]),
    [['user2', 'Hasn’t registered yet']],
  );
  assert.is(notNotifiedPeople.length, 12);
  assert.is(fakeApi.requestsTo(USERS).length, 10);
  fakeApi.reject(USERS, 500);
  assert.is((await readNotNotified([topic(1, 'Storms')])).length, 12, 'the reason is optional');
});

test.run();
