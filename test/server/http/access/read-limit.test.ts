import * as assert from 'uvu/assert';
import { limitReads } from '../../../../server/http/access/person-limits';
import { HttpError } from '../../../../server/http/errors';
import { createServer, serverSuite } from '../../../support/server/server';

const { test } = serverSuite('reads of one person');

test("limits one person's reads with Retry-After, and no one else's", async () => {
  let now = 0;
  const count = limitReads(20, () => now);
  const rejection = (userId: number): unknown => {
    try {
      return count(userId);
    } catch (error) {
      return error instanceof HttpError && [error.status, error.retryAfterSeconds];
    }
  };
  for (let times = 0; times < 300; times += 1) count(1);
  assert.equal([rejection(1), rejection(2)], [[429, 1], undefined]);
  now += 50;
  assert.equal([rejection(1), rejection(1)], [undefined, [429, 1]]);
});

test('limits reads, but no other requests', async () => {
  const server = await createServer({ environment: { READS_PER_SECOND: '1' } });
  const ana = await server.createPerson('TECHNICIAN');
  const read = async () =>
    (await server.call('GET /api/notifications/messages', { as: ana })).status;
  const statuses = await Promise.all(Array.from({ length: 100 }, read));
  assert.equal([...new Set(statuses)].sort(), [200, 429]);
  const body = { receipts: [] };
  const { status } = await server.call('POST /api/notifications/receipts', { as: ana, body });
  assert.is(status, 200);
  await server.close();
});

test('responds to others between the reads of one person', async () => {
  const server = await createServer({});
  const [ana, ben] = [await server.createPerson('ADMIN'), await server.createPerson('ADMIN')];
  const finished: string[] = [];
  const read = async (as: typeof ana): Promise<void> => {
    await server.call('GET /api/admin/users', { as });
    finished.push(as.username);
  };
  await Promise.all([...Array.from({ length: 50 }, () => read(ana)), read(ben)]);
  assert.ok(finished.indexOf(ben.username) < 25, `behind ${finished.indexOf(ben.username)}`);
  await server.close();
});

test.run();
