import * as assert from 'uvu/assert';
import { createReachHelpers } from '../../support/server/device-reach';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('reach board');
const { addDevice, addPerson, readReach: reach } = createReachHelpers(server);
const DAY_MS = 24 * 60 * 60 * 1000;
let admin: Person;

test.before.each(async () => {
  admin = await server.createPerson('ADMIN', { username: 'boss' });
});

const readReachPage = (query: Record<string, string | number> = {}) =>
  server.call('GET /api/admin/reach', { as: admin, query });
/** The names of a page, without the administrator who looks. */
const names = async (query: Record<string, string | number> = {}): Promise<string[]> =>
  (await readReachPage({ limit: 100, ...query })).body.people
    .map(({ user }) => user.username)
    .filter((name) => name !== 'boss');
const readOnlyPerson = async (name: string) => {
  const { body } = await readReachPage({ query: name });
  assert.is(body.people.length, 1, name);
  return body.people[0]!;
};
const invite = async (username: string): Promise<void> => {
  const body = { username, role: 'CUSTOMER' } as const;
  assert.is((await server.call('POST /api/admin/users', { as: admin, body })).status, 201);
};

/** One person per state, with names in another order than the states. */
async function addOneOfEach(): Promise<void> {
  const { reachable, late, untested, silent, failing } = reach();
  await addPerson('a reachable', reachable);
  await addPerson('b late', late);
  await invite('c pending');
  await addPerson('d untested', untested);
  await addPerson('e no device');
  await addPerson('f silent', silent);
  await addPerson('g failing', failing);
}

test('lists people who need attention first, then by name, each in one state', async () => {
  await addOneOfEach();
  await addPerson('a failing', reach().failing);
  const { status, body } = await readReachPage({ limit: 100 });
  assert.is(status, 200);
  assert.equal(
    body.people.map(({ user, state }) => [user.username, state]),
    [
      ['a failing', 'failing'],
      ['g failing', 'failing'],
      ['f silent', 'silent'],
      ['boss', 'no_device'],
      ['e no device', 'no_device'],
      ['d untested', 'untested'],
      ['c pending', 'pending'],
      ['b late', 'late'],
      ['a reachable', 'reachable'],
    ],
  );
  assert.equal(body.summary, {
    failing: 2,
    silent: 1,
    no_device: 2,
    untested: 1,
    pending: 1,
    late: 1,
    reachable: 1,
  });
  assert.equal([body.total, body.page, body.limit], [9, 1, 100]);
});

test('filters by one state, several, or attention, and keeps the summary', async () => {
  await addOneOfEach();
  const summary = (await readReachPage()).body.summary;
  for (const [state, expected] of [
    ['late', ['b late']],
    ['silent,reachable', ['f silent', 'a reachable']],
    ['attention', ['g failing', 'f silent', 'e no device', 'd untested', 'c pending']],
    ['attention,failing', ['g failing', 'f silent', 'e no device', 'd untested', 'c pending']],
    [
      'late,attention,late',
      ['g failing', 'f silent', 'e no device', 'd untested', 'c pending', 'b late'],
    ],
  ] as const) {
    assert.equal(await names({ state }), expected, state);
    const { body } = await readReachPage({ state, limit: 100 });
    assert.equal([body.total, body.summary], [body.people.length, summary], state);
  }
  for (const state of ['', ',']) assert.is((await names({ state })).length, 7);
});

test('rejects an unknown state or topic', async () => {
  for (const state of ['deaf', 'late,deaf', 'late,', 'Late', "late' or 1=1", '\0'])
    assert.is((await readReachPage({ state })).status, 400, state);
  for (const topic of ['0', '-1', 'x', '1.5', '1e3', '999999', '9'.repeat(40), '\0'])
    assert.equal(
      (await readReachPage({ topic })).error,
      [{ message: 'This topic does not exist.', path: 'topic' }],
      topic,
    );
});

test('pages without a gap across states', async () => {
  const { failing, untested } = reach();
  for (let nth = 10; nth < 15; nth += 1) await addPerson(`person ${nth}`, failing);
  for (let nth = 15; nth < 20; nth += 1) await addPerson(`person ${nth}`, untested);
  const pagedNames: string[] = [];
  for (let page = 1; page <= 4; page += 1) {
    const { body } = await readReachPage({ page, limit: 3, query: 'person' });
    assert.equal([body.total, body.page, body.limit], [10, page, 3]);
    pagedNames.push(...body.people.map(({ user }) => user.username));
  }
  assert.equal(
    pagedNames,
    Array.from({ length: 10 }, (_, nth) => `person ${10 + nth}`),
  );
  const pageAfterLast = (await readReachPage({ page: 5, limit: 3, query: 'person' })).body;
  assert.equal(
    [pageAfterLast.people, pageAfterLast.total, pageAfterLast.summary.failing],
    [[], 10, 5],
  );
  assert.is((await readReachPage({ limit: 1000 })).body.limit, 100);
});

test('finds every word in any order and case, and takes wildcards literally', async () => {
  await addPerson('Störung Nord 50%');
  await addPerson('nord störung 50');
  await addPerson('Nord_Ost');
  await addPerson('NordxOst');
  assert.equal(await names({ query: 'NORD stÖrung' }), ['nord störung 50', 'Störung Nord 50%']);
  assert.equal(await names({ query: '50% nord' }), ['Störung Nord 50%']);
  assert.equal(await names({ query: 'nord_' }), ['Nord_Ost']);
  assert.equal(await names({ query: 'süd' }), []);
  assert.equal(await names({ query: "'; drop table users; --\\" }), []);
});

test('filters people and summary by subscribers of a topic', async () => {
  await addOneOfEach();
  const topic = await server.createTopic();
  for (const name of ['a reachable', 'f silent', 'c pending']) {
    const { user } = await readOnlyPerson(name);
    await server.subscribe(admin, user.id, topic);
    await server.services.db
      .insertInto('account_preferences')
      .values({ user_id: user.id, topic_id: topic, enabled: 0 })
      .execute();
  }
  assert.equal(await names({ topic }), ['f silent', 'c pending', 'a reachable']);
  assert.equal(await names({ topic, state: 'attention', query: 'c' }), ['c pending']);
  const { summary } = (await readReachPage({ topic, state: 'late' })).body;
  assert.is(
    Object.values(summary).reduce((sum, people) => sum + people, 0),
    3,
  );
});

test('shows a person in the state of their best device', async () => {
  const { reachable, late, untested, silent, failing } = reach();
  const fromWorstToBest = [failing, silent, untested, late, reachable];
  const states = ['failing', 'silent', 'untested', 'late', 'reachable'];
  for (let deviceCount = 1; deviceCount <= fromWorstToBest.length; deviceCount += 1) {
    await addPerson(`person ${deviceCount}`, ...fromWorstToBest.slice(0, deviceCount));
    const { state, devices } = await readOnlyPerson(`person ${deviceCount}`);
    assert.is(state, states[deviceCount - 1]);
    assert.equal(devices.map((device) => device.state).reverse(), states.slice(0, deviceCount));
  }
});

test('shows model, times and newest test of a device', async () => {
  const id = await addPerson('ana');
  const { now } = server.clock;
  const { db } = server.services;
  const chrome =
    'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile Safari/537.36';
  const device = await addDevice(
    id,
    {
      accepted_at: now - 1000,
      third_accepted_at: now - 5000,
      displayed_at: now - 2000,
      displayed_accepted_at: now - 3000,
      recent: JSON.stringify([
        ['d', now - 1000, null],
        ['c', null, null],
        ['b', now - 4000, now - 2000],
        ['a', now - 5000, null],
      ]),
    },
    { user_agent: chrome, model: 'SM-A047F', installed: 1, last_seen_at: now, type: 'android' },
  );
  for (const [nth, created_at] of [now - 3000, now - 1000, now - 2000].entries()) {
    await db
      .insertInto('messages')
      .values({ id: `m${nth}`, kind: 'test', topic_title: '', text: '', created_at, expires_at: 0 })
      .execute();
    await db
      .insertInto('tests')
      .values({
        ...{ id: `t${nth}`, message_id: `m${nth}`, user_id: id, device_id: device },
        ...{ created_at, announced_at: created_at, send_at: created_at, accepted_at: now },
      })
      .execute();
  }
  const isoTime = (time: number): string => new Date(time).toISOString();
  const [pagedNames] = (await readOnlyPerson('ana')).devices;
  assert.is(pagedNames?.lastTest?.id, 't1');
  assert.equal(pagedNames, {
    id: device,
    state: 'reachable',
    deviceType: 'android',
    browser: 'Chrome',
    model: 'SM-A047F',
    installed: true,
    lastSeenAt: isoTime(now),
    lastAcceptedAt: isoTime(now - 1000),
    lastDisplayedAt: isoTime(now - 2000),
    lastTest: pagedNames.lastTest,
    unanswered: 1,
    refusals: 0,
  });
});

test('shows a working registration link of pending people only', async () => {
  await invite('ana');
  await addPerson('ben');
  const { invitation, state } = await readOnlyPerson('ana');
  assert.is(state, 'pending');
  assert.is(invitation?.createdAt, new Date(server.clock.now).toISOString());
  const preview = await server.call('GET /api/auth/registration/:token', {
    params: { token: invitation?.token ?? '' },
  });
  assert.is(preview.body.username, 'ana');
  assert.is((await readOnlyPerson('ben')).invitation, null);
  server.clock.now += 8 * DAY_MS;
  admin = await server.createPerson('ADMIN');
  const renewedSession = (await readOnlyPerson('ana')).invitation;
  assert.is.not(renewedSession?.token, invitation?.token);
  assert.is(renewedSession?.createdAt, new Date(server.clock.now).toISOString());
});

test('shows the last test of everyone', async () => {
  assert.is((await readReachPage()).body.lastTests, null);
  await server.services.db
    .insertInto('settings')
    .values({
      name: 'tests-of-everybody',
      value: JSON.stringify({ at: 5000, devices: 52, until: 18000, quietDevices: 3 }),
    })
    .execute();
  assert.equal((await readReachPage()).body.lastTests, {
    at: '1970-01-01T00:00:05.000Z',
    devices: 52,
    until: '1970-01-01T00:00:18.000Z',
    quietDevices: 3,
  });
});

test.run();
