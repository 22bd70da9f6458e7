import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { addSubscribers, openServerDatabase } from '../people.mjs';
import { signIn } from '../process.mjs';
import { countClaims } from './kills.mjs';

/** A killed process's claims end within this time. */
const MAX_CLAIM_WAIT_MS = 180_000;

/** Two processes share a message: every device gets it once. */
export async function testSharedWork(setup) {
  const { start, sink, devices } = setup;
  const servers = [await start(), await start()];
  const calls = await Promise.all(servers.map(({ address }) => signIn(address)));
  const database = await sendToEverybody(setup, calls);
  const began = performance.now();
  await waitForDeliveries(database, devices);
  const seconds = (performance.now() - began) / 1000;
  assert.deepEqual(
    await sink
      .countPushes()
      .then(({ received, devices: reached, most }) => ({ received, reached, most })),
    { received: devices, reached: devices, most: 1 },
  );
  const shares = await Promise.all(calls.map(countAccepted));
  assert.equal(shares[0] + shares[1], devices);
  assert.ok(Math.min(...shares) > 0, `one process did it all: ${shares}`);
  await database.close();
  for (const server of servers) await server.end('SIGTERM');
  return `${devices} devices once each in ${seconds.toFixed(1)} s, ${shares.join(' and ')} by each process`;
}

/**
 * One of two processes is killed: every device gets the message, and only what that process held
 * may come twice.
 */
export async function testLostProcess(setup) {
  const { start, sink, devices } = setup;
  const startedAt = Date.now();
  const [killed, other] = [await start(), await start()];
  const calls = await Promise.all([killed, other].map(({ address }) => signIn(address)));
  const database = await sendToEverybody(setup, calls);
  while ((await sink.countPushes()).received < devices / 3) await wait(10); // the sink is another process
  await killed.end('SIGKILL');
  const maxRepeats = await countClaims(database, startedAt);
  const before = (await sink.countPushes()).received;
  assert.ok(before < devices, 'it was killed after the end');
  await waitForDeliveries(database, devices);
  const { received, devices: reachedDevices } = await sink.countPushes();
  assert.equal(reachedDevices, devices);
  assert.ok(
    received - devices <= maxRepeats,
    `${received - devices} repeats, but only ${maxRepeats} were in flight`,
  );
  await database.close();
  await other.end('SIGTERM');
  return `killed after ${before} of ${devices}: none missed, ${received - devices} repeated`;
}

async function sendToEverybody({ sink, environment, devices }, calls) {
  const [call] = calls;
  const { id } = await call('POST', '/admin/topics', {
    title: 'Everyone',
    description: 'All of them',
  });
  const database = await openServerDatabase(environment);
  await addSubscribers(database, id, devices, sink.origin);
  await call('POST', `/admin/notifications/send-topic/${id}`, { message: 'To everybody' });
  // Each process looks into the outbox within two seconds.
  const { id: emptyTopic } = await call('POST', '/admin/topics', {
    title: 'Empty',
    description: 'None of them',
  });
  await Promise.all(
    calls.map((each) =>
      each('POST', `/admin/notifications/send-topic/${emptyTopic}`, { message: 'To no one' }),
    ),
  );
  return database;
}

async function waitForDeliveries(database, devices) {
  const count = async () =>
    Number(
      (
        await database.all(`select count(*) as accepted from deliveries where state = 'accepted'`)
      )[0].accepted,
    );
  const deadline = Date.now() + MAX_CLAIM_WAIT_MS;
  while ((await count()) < devices) {
    assert.ok(Date.now() < deadline, `${await count()} of ${devices} were delivered`);
    await wait(50);
  }
}

async function countAccepted(call) {
  const sample = /^fieldbell_pushes_total\{transport="web-push",outcome="accepted"\} (\d+)/m;
  return Number(sample.exec(await call('GET', '/metrics'))?.[1] ?? 0);
}
