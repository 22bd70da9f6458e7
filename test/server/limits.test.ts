import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { count, wasCounted } from '../../server/limits';
import type { TestServer } from '../support/server';
import { makeServer } from '../support/server';

const test = suite('limits');
let server: TestServer;

test.before(async () => {
  server = await makeServer();
});
test.after(() => server.close());

test('what was counted is remembered until its window ends, and counts afresh after it', async () => {
  const { db } = server.services;
  const limit = { key: ['login', 'somebody'], most: 1, windowMilliseconds: 1000 };
  assert.is(await wasCounted(limit.key, db, 0), false);
  assert.is(await count([limit], db, 0), undefined);
  assert.is(await wasCounted(limit.key, db, 999), true);
  assert.is(await count([limit], db, 400), 1, 'seconds that are left, rounded up');
  assert.is(await wasCounted(limit.key, db, 1000), false);
  assert.is(await count([limit], db, 1000), undefined);
  assert.is(await wasCounted(limit.key, db, 1999), true);
});

test.run();
