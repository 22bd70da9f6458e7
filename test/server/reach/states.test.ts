import * as assert from 'uvu/assert';
import type { Insertable } from 'kysely';
import { countUndisplayed } from '../../../server/reach/devices';
import type { Tables } from '../../../server/db/schema';
import { createReachHelpers } from '../../support/server/device-reach';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('states of devices');
const { addDevice } = createReachHelpers(server);
const DAY_MS = 24 * 60 * 60 * 1000;
const FORTNIGHT_MS = 14 * DAY_MS;

/** The state of such a device for its person, the board and the dashboard. */
async function stateOf(known: Partial<Insertable<Tables['device_reach']>> | undefined) {
  const person = await server.createPerson('ADMIN');
  await addDevice(person.id, known);
  const ownResponse = await server.call('GET /api/notifications/devices', { as: person });
  const board = await server.call('GET /api/admin/reach', {
    as: person,
    query: { query: person.username },
  });
  const overview = await server.call('GET /api/admin/overview', { as: person });
  const state = ownResponse.body[0]?.reach?.state;
  const [foundPerson] = board.body.people;
  assert.equal([foundPerson?.state, foundPerson?.devices[0]?.state], [state, state]);
  assert.is(state && board.body.summary[state], 1);
  assert.is(overview.body.people.reachable, state === 'reachable' || state === 'late' ? 1 : 0);
  await server.services.db.deleteFrom('users').where('id', '=', person.id).execute();
  return state;
}

test('shows a device without pushes as untested', async () => {
  assert.is(await stateOf(undefined), 'untested');
  assert.is(await stateOf({}), 'untested');
});

test('shows a device as reachable after one display, however long ago', async () => {
  const { now } = server.clock;
  const long = now - 400 * DAY_MS;
  assert.is(
    await stateOf({ accepted_at: long, displayed_at: long, displayed_accepted_at: long }),
    'reachable',
  );
  assert.is(
    await stateOf({ displayed_at: now }),
    'reachable',
    'displayed before its accept is known',
  );
});

test('shows a device as silent after three accepted pushes without a display', async () => {
  const { now } = server.clock;
  assert.is(await stateOf({ accepted_at: now }), 'untested');
  assert.is(await stateOf({ accepted_at: now, third_accepted_at: now - 1000 }), 'silent');
});

test('counts three accepted pushes within fourteen days, to the millisecond', async () => {
  const { now } = server.clock;
  const third = (third_accepted_at: number) => stateOf({ accepted_at: now, third_accepted_at });
  assert.is(await third(now - FORTNIGHT_MS), 'silent');
  assert.is(await third(now - FORTNIGHT_MS - 1), 'untested');
});

test('shows a device as late above a median of sixty seconds', async () => {
  const { now } = server.clock;
  const displayed = { accepted_at: now, displayed_at: now, displayed_accepted_at: now };
  assert.is(await stateOf({ ...displayed, median_delay: 60_000 }), 'reachable');
  assert.is(await stateOf({ ...displayed, median_delay: 60_001 }), 'late');
  assert.is(await stateOf({ ...displayed, median_delay: null }), 'reachable');
});

test('shows a rejected device as failing until it accepts again', async () => {
  const { now } = server.clock;
  const displayed = { accepted_at: now, displayed_at: now, displayed_accepted_at: now };
  assert.is(await stateOf({ ...displayed, refused_at: now + 1, refusals: 1 }), 'failing');
  assert.is(await stateOf({ refused_at: now, refusals: 1 }), 'failing');
  assert.is(await stateOf({ ...displayed, refused_at: null, refusals: 0 }), 'reachable');
});

test('shows the worst of several states', async () => {
  const { now } = server.clock;
  const quiet = { accepted_at: now, third_accepted_at: now, median_delay: 70_000 };
  assert.is(await stateOf({ ...quiet, refused_at: now }), 'failing');
  assert.is(await stateOf(quiet), 'silent');
  assert.is(await stateOf({ accepted_at: now, median_delay: 70_000 }), 'late');
});

test('counts accepted pushes without a display for fourteen days', () => {
  const now = 100 * DAY_MS;
  const count = (...pushes: [string, number | null, number | null][]): number =>
    countUndisplayed(JSON.stringify(pushes), now);
  assert.is(count(), 0);
  assert.is(count(['a', now, now]), 0);
  assert.is(count(['b', now, null], ['a', now, null]), 2);
  assert.is(count(['c', now, null], ['b', now, now], ['a', now, null]), 1);
  assert.is(count(['b', now - FORTNIGHT_MS, null], ['a', now - FORTNIGHT_MS - 1, null]), 1);
  assert.is(count(['a', null, now], ['b', now, null]), 0, 'displayed before it was accepted');
  assert.is(
    count(...Array.from({ length: 8 }, () => ['x', now, null] as [string, number, null])),
    8,
  );
});

test.run();
