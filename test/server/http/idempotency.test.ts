import * as assert from 'uvu/assert';
import { inTransaction } from '../../../server/db/transaction';
import {
  IDEMPOTENCY_KEY_LIFETIME_MS,
  claimOrReadResponse,
  idempotentRequest,
  storeResponse,
} from '../../../server/http/idempotency';
import { type Person, serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('repeated requests');
let ana: Person;
test.before.each(async () => {
  ana = await server.createPerson('ADMIN');
});

/**
 * Does the work unless it was done before.
 * @returns the result
 */
const respondOnce = (body: object, key = 'monthly', person = ana.id) =>
  inTransaction(server.services.db, async (transaction) => {
    const request = idempotentRequest('message', person, key, body);
    const before = await claimOrReadResponse(request, transaction, server.clock.now);
    if (before !== undefined) return `${before} again`;
    await storeResponse(request, JSON.stringify(body), transaction);
    return JSON.stringify(body);
  });

test('remembers a key for a week, then treats it as new', async () => {
  for (const text of ['March', 'April', 'May']) {
    assert.is(await respondOnce({ text }), `{"text":"${text}"}`);
    assert.is(await respondOnce({ text }), `{"text":"${text}"} again`);
    server.clock.now += IDEMPOTENCY_KEY_LIFETIME_MS - 1;
    assert.is(await respondOnce({ text }), `{"text":"${text}"} again`);
    const error = await respondOnce({ text: 'another' }).catch((thrown) => thrown);
    assert.equal(
      [error.status, error.message],
      [409, 'This Idempotency-Key was already used for another message.'],
    );
    server.clock.now += 1;
  }
});

test('keeps keys apart by person, and remembers nothing without one', async () => {
  const ben = await server.createPerson('ADMIN');
  assert.is(await respondOnce({ text: 'one' }), '{"text":"one"}');
  assert.is(await respondOnce({ text: 'two' }, 'monthly', ben.id), '{"text":"two"}');
  assert.is(idempotentRequest('message', ana.id, undefined, {}), undefined);
});

test.run();
