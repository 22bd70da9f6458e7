import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { addSubscribers, openServerDatabase } from '../people.mjs';
import { signIn } from '../process.mjs';
import { startTarpit } from '../tarpit.mjs';

const HANGING = 10_000;
const HEALTHY = 100;
const MESSAGES = 5;
const MAX_WAIT = 1000;

/** F3: ten thousand devices at one hanging host delay no other host. */
export const testHangingOrigin = (world) => deliverBesideHanging(world, 1);
/** F3: ten thousand devices at three thousand hosts delay no other host. */
export const testHangingOrigins = (world) => deliverBesideHanging(world, 3000);

async function deliverBesideHanging({ start, sink, environment }, hosts) {
  const tarpit = await startTarpit();
  const names = Array.from({ length: hosts }, (_, index) => tarpit.host(index));
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
  await addSubscribers(database, healthy, HEALTHY, sink.origin);
  await addSubscribers(
    database,
    hanging,
    HANGING,
    (index) => `https://${names[index % hosts]}`,
    2_000_000,
  );
  let expected = 0;
  const reachHealthy = async () => {
    await send(healthy);
    const began = performance.now();
    expected += HEALTHY;
    while ((await sink.tally()).received < expected) {
      assert.ok(
        performance.now() - began < 120_000,
        `${(await sink.tally()).received} of ${expected} arrived within two minutes`,
      );
      await wait(5); // the sink is another process
    }
    return performance.now() - began;
  };
  const before = await reachHealthy();
  const waits = [];
  for (let message = 0; message < MESSAGES; message += 1) {
    await send(hanging);
    for (let time = 0; time < 3; time += 1) {
      await wait(1000); // while they hang, and longer than they may in all
      waits.push(await reachHealthy());
    }
  }
  const { delivery } = await call('GET', '/health');
  await database.close();
  await server.end('SIGTERM');
  tarpit.stop();
  const longest = Math.max(...waits);
  const figures = `${HEALTHY} healthy devices waited ${longest.toFixed()} ms at most in ${waits.length} messages (${before.toFixed()} ms without the others) beside ${MESSAGES} messages to ${HANGING} that hang at ${hosts} hosts`;
  assert.equal(delivery, 'ok', 'what clients bring about is no trouble of the operator');
  assert.ok(longest <= MAX_WAIT, figures);
  return figures;
}

/** F1: a push that ends the process is set aside after three attempts, and all others arrive. */
export async function testDeadlyRow({ start, sink, environment }) {
  const tarpit = await startTarpit();
  const settings = { PUSH_ALLOWED_HOSTS: [environment.PUSH_ALLOWED_HOSTS, tarpit.host(1)].join() };
  let server = await start(settings);
  const call = await signIn(server.address);
  const { id: topic } = await call('POST', '/admin/topics', {
    title: 'Everyone',
    description: 'All of them',
  });
  const database = await openServerDatabase(environment);
  const others = 50;
  await addSubscribers(database, topic, others, sink.origin);
  await addSubscribers(database, topic, 1, `https://${tarpit.host(1)}`, 2_000_000);
  let connected = tarpit.connected();
  const { messageId } = await call('POST', `/admin/notifications/send-topic/${topic}`, {
    message: 'Line 4 is down',
  });
  for (let death = 0; death < 3; death += 1) {
    await connected;
    await server.end('SIGKILL');
    connected = tarpit.connected();
    server = await start(settings);
  }
  const again = await signIn(server.address);
  const deadline = Date.now() + 120_000;
  let progress;
  do {
    assert.ok(Date.now() < deadline, JSON.stringify(progress));
    await wait(250); // another process does the work: there is nothing to wait on but its rows
    progress = await again('GET', `/admin/messages/${messageId}`);
  } while (progress.pending > 0);
  assert.deepEqual([progress.accepted, progress.failed], [others, 1]);
  const [row] = await database.all(
    `select attempts, reason from deliveries where state = 'failed'`,
  );
  assert.deepEqual([Number(row.attempts), row.reason], [3, 'process-died']);
  assert.match(server.output(), /"alert":true.*"times":3/);
  await database.close();
  await server.end('SIGTERM');
  tarpit.stop();
  return `set aside after three deaths with an alert, ${others} others accepted`;
}
