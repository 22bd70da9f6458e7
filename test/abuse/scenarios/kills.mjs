import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { addSubscribers, openServerDatabase } from '../people.mjs';
import { signIn } from '../process.mjs';

const DEVICE_COUNT = 20;

/** B22: after any number of kills everything acknowledged is stored and delivered. */
export async function testKills({ start, sink, environment, rounds }) {
  let startedAt = Date.now();
  let server = await start();
  let call = await signIn(server.address);
  const { id: topic } = await call('POST', '/admin/topics', {
    title: 'Everyone',
    description: 'All of them',
  });
  const database = await openServerDatabase(environment);
  await addSubscribers(database, topic, DEVICE_COUNT, sink.origin);
  /** @type {{ topics: number[], messages: string[] }} */
  const acknowledged = { topics: [], messages: [] };
  const refusals = [];
  let number = 0;
  let mostRepeats = 0;
  for (let round = 0; round < rounds; round += 1) {
    let alive = true;
    let firstSent;
    const firstSend = new Promise((resolve) => (firstSent = resolve));
    const client = async () => {
      while (alive) {
        const title = `Topic-${(number += 1)}`;
        try {
          acknowledged.topics.push(
            (await call('POST', '/admin/topics', { title, description: title })).id,
          );
          const response = await call(
            'POST',
            `/admin/notifications/send-topic/${topic}`,
            { message: title },
            { 'Idempotency-Key': title },
          );
          acknowledged.messages.push(response.messageId);
          firstSent();
        } catch (error) {
          // Nothing was acknowledged; a rejection by a living server is a fault.
          if (/: [45]\d\d /.test(error.message)) refusals.push(error.message);
          return;
        }
      }
    };
    const clients = Array.from({ length: 4 }, client);
    // Every other kill comes after something was acknowledged.
    if (round % 2) await Promise.race([firstSend, Promise.all(clients)]);
    await wait(Math.random() * 300);
    await server.end('SIGKILL');
    alive = false;
    await Promise.all(clients);
    mostRepeats += await countClaims(database, startedAt);
    startedAt = Date.now();
    server = await start();
    call = await signIn(server.address);
  }
  assert.deepEqual(refusals, []);
  assert.ok(acknowledged.messages.length >= rounds / 2, 'too few messages to prove anything');
  const topics = new Set(
    (await database.all('select id from topics')).map((row) => Number(row.id)),
  );
  const messages = new Set((await database.all('select id from messages')).map((row) => row.id));
  assert.deepEqual(
    acknowledged.topics.filter((each) => !topics.has(each)),
    [],
    'acknowledged topics that were lost',
  );
  assert.deepEqual(
    acknowledged.messages.filter((each) => !messages.has(each)),
    [],
    'acknowledged messages that were lost',
  );
  const expectedDeliveries = Number(
    (await database.all('select count(*) as deliveries from deliveries'))[0].deliveries,
  );
  assert.equal(
    expectedDeliveries,
    messages.size * DEVICE_COUNT,
    'every message has all its deliveries',
  );

  const deadline = Date.now() + 120_000;
  const pending = async () =>
    Number(
      (await database.all(`select count(*) as rest from deliveries where state <> 'accepted'`))[0]
        .rest,
    );
  while ((await pending()) > 0) {
    assert.ok(Date.now() < deadline, `${await pending()} deliveries were never made`);
    await wait(250); // another process does the work: there is nothing to wait on but its rows
  }
  const { received, devices } = await sink.countPushes();
  const repeats = received - expectedDeliveries;
  assert.equal(devices, DEVICE_COUNT);
  assert.ok(
    repeats >= 0 && repeats <= mostRepeats,
    `${repeats} repeats, but only ${mostRepeats} were in flight`,
  );
  await database.close();
  await server.end('SIGTERM');
  return `${rounds} kills, ${acknowledged.topics.length} topics and ${acknowledged.messages.length} messages acknowledged, none lost; ${expectedDeliveries} deliveries, ${repeats} repeated of ${mostRepeats} that were in flight when it was killed`;
}

/** The lease of server/delivery/delivery.ts. */
const LEASE_MS = 30_000;

/** Pushes that a killed process held may be sent twice. */
export async function countClaims(database, startedAt) {
  const heldQuery = `select count(*) as held from deliveries where state = 'pending' and claimed_until >= ${startedAt + LEASE_MS}`;
  return Number((await database.all(heldQuery))[0].held);
}
