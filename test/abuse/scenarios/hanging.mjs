import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { addSubscribers, openServerDatabase } from '../people.mjs';
import { signIn } from '../process.mjs';
import { startTarpit } from '../tarpit.mjs';

const HANGING_DEVICES = 10_000;
const HEALTHY_DEVICES = 100;
const MESSAGES_TO_HANGING = 5;
const MAX_HEALTHY_WAIT_MS = 1000;

/** F3: ten thousand devices at one hanging host delay no other host. */
export const testHangingOrigin = (setup) => deliverBesideHanging(setup, 1);
/** F3: ten thousand devices at three thousand hosts delay no other host. */
export const testHangingOrigins = (setup) => deliverBesideHanging(setup, 3000);

async function deliverBesideHanging({ start, sink, environment }, hostCount) {
  const tarpit = await startTarpit();
  const names = Array.from({ length: hostCount }, (_, index) => tarpit.hostAt(index));
  const server = await start({
    PUSH_ALLOWED_HOSTS: [environment.PUSH_ALLOWED_HOSTS, ...names].join(),
  });
  const call = await signIn(server.address);
  const addTopic = async (title) =>
    (await call('POST', '/admin/topics', { title, description: title })).id;
  const send = (topic) =>
    call('POST', `/admin/notifications/send-topic/${topic}`, { message: 'Line 4 is down' });
  const [healthy, hanging] = [await addTopic('Healthy'), await addTopic('Hanging')];
  const database = await openServerDatabase(environment);
  await addSubscribers(database, healthy, HEALTHY_DEVICES, sink.origin);
  await addSubscribers(
    database,
    hanging,
    HANGING_DEVICES,
    (index) => `https://${names[index % hostCount]}`,
    2_000_000,
  );
  let expected = 0;
  const reachHealthy = async () => {
    await send(healthy);
    const began = performance.now();
    expected += HEALTHY_DEVICES;
    while ((await sink.countPushes()).received < expected) {
      assert.ok(
        performance.now() - began < 120_000,
        `${(await sink.countPushes()).received} of ${expected} arrived within two minutes`,
      );
      await wait(5); // the sink is another process
    }
    return performance.now() - began;
  };
  const waitBefore = await reachHealthy();
  const waits = [];
  for (let message = 0; message < MESSAGES_TO_HANGING; message += 1) {
    await send(hanging);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await wait(1000); // while they hang, and longer than they may in all
      waits.push(await reachHealthy());
    }
  }
  const { delivery } = await call('GET', '/health');
  await database.close();
  await server.end('SIGTERM');
  tarpit.stop();
  const longest = Math.max(...waits);
  const figures = `${HEALTHY_DEVICES} healthy devices waited ${longest.toFixed()} ms at most in ${waits.length} messages (${waitBefore.toFixed()} ms without the others) beside ${MESSAGES_TO_HANGING} messages to ${HANGING_DEVICES} that hang at ${hostCount} hosts`;
  assert.equal(
    delivery,
    'ok',
    'hanging hosts that clients name do not make the server’s health worse',
  );
  assert.ok(longest <= MAX_HEALTHY_WAIT_MS, figures);
  return figures;
}

/** F1: a push that ends the process is set aside after three attempts, and all others arrive. */
export async function testDeadlyRow({ start, sink, environment }) {
  const tarpit = await startTarpit();
  const settings = {
    PUSH_ALLOWED_HOSTS: [environment.PUSH_ALLOWED_HOSTS, tarpit.hostAt(1)].join(),
  };
  let server = await start(settings);
  const call = await signIn(server.address);
  const { id: topic } = await call('POST', '/admin/topics', {
    title: 'Everyone',
    description: 'All of them',
  });
  const database = await openServerDatabase(environment);
  const healthyDevices = 50;
  await addSubscribers(database, topic, healthyDevices, sink.origin);
  await addSubscribers(database, topic, 1, `https://${tarpit.hostAt(1)}`, 2_000_000);
  let connected = tarpit.waitForConnection();
  const { messageId } = await call('POST', `/admin/notifications/send-topic/${topic}`, {
    message: 'Line 4 is down',
  });
  for (let death = 0; death < 3; death += 1) {
    await connected;
    await server.end('SIGKILL');
    connected = tarpit.waitForConnection();
    server = await start(settings);
  }
  const callAgain = await signIn(server.address);
  const deadline = Date.now() + 120_000;
  let progress;
  do {
    assert.ok(Date.now() < deadline, JSON.stringify(progress));
    await wait(250); // another process does the work: there is nothing to wait on but its rows
    progress = await callAgain('GET', `/admin/messages/${messageId}`);
  } while (progress.pending > 0);
  assert.deepEqual([progress.accepted, progress.failed], [healthyDevices, 1]);
  const [row] = await database.all(
    `select attempts, reason from deliveries where state = 'failed'`,
  );
  assert.deepEqual([Number(row.attempts), row.reason], [3, 'process-died']);
  assert.match(server.output(), /"alert":true.*"times":3/);
  await database.close();
  await server.end('SIGTERM');
  tarpit.stop();
  return `set aside after three deaths with an alert, ${healthyDevices} others accepted`;
}
