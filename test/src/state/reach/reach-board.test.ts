import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  MAX_NAMES,
  readReachNames,
  readReach,
  testDevices,
} from '../../../../src/state/reach/reach-board';
import { fakeApi } from '../../../support/app/app';
import { numbersUpTo } from '../../../support/app/factories/people';
import { createReachBoardPerson, reachPages } from '../../../support/app/factories/reach';
import { endSession, signInAs } from '../../../support/app/session';

const test = suite('who is reachable');
const LIST = 'GET /api/admin/reach';
const TESTS = 'POST /api/admin/reach/tests';
const ALL = { state: 'all', topic: '' } as const;

test.before.each(() => {
  fakeApi.install();
  signInAs('ADMIN');
});
test.after.each(() => {
  endSession();
  fakeApi.remove();
});

function serve(ids: number[], size?: number): void {
  const serving = reachPages(ids.map((id) => createReachBoardPerson(id, 'silent')));
  fakeApi.reply(LIST, ({ query }) =>
    serving({ query: { ...query, ...(size && { limit: String(size) }) } }),
  );
}

test('reads a thousand names at most, whatever the page size', async () => {
  for (const size of [undefined, 300]) {
    serve(numbersUpTo(2500), size);
    const names = await readReachNames('', ALL);
    assert.equal([names.length, names[0], names.at(-1)], [MAX_NAMES, 'user1', 'user1000']);
  }
  serve(numbersUpTo(130));
  assert.is((await readReachNames('', ALL)).length, 130);
});

test('stops reading when pages end too soon', async () => {
  const none = reachPages([])({ query: { page: '1', limit: '100' } });
  fakeApi.reply(LIST, { ...none, total: 700 });
  assert.equal(await readReachNames('', ALL), []);
  assert.is(fakeApi.requestsTo(LIST).length, 1);
});

test('filters by state and topic, one row per person', async () => {
  serve([1, 1, 2]);
  const { rows } = await readReach({ page: 1, limit: 10, query: 'us' }, ALL);
  await readReach({ page: 2, limit: 10, query: '' }, { state: 'silent', topic: '17' });
  assert.equal(
    rows.map(({ user }) => user.id),
    [1, 2],
  );
  assert.equal(
    fakeApi.requestsTo(LIST).map(({ query }) => query),
    [
      { page: '1', limit: '10', query: 'us' },
      { page: '2', limit: '10', state: 'silent', topic: '17' },
    ],
  );
});

test('tests all devices or one person’s', async () => {
  fakeApi.reply(TESTS, { devices: 3 });
  assert.equal(await testDevices(), { devices: 3 });
  for (const id of [1, 0]) await testDevices(id);
  assert.equal(
    fakeApi.requestsTo(TESTS).map(({ body }) => body),
    [{}, { userIds: [1] }, { userIds: [0] }],
  );
});

test.run();
