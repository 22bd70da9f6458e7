import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres } from '../../support/processes/postgres.mjs';
import { signIn } from '../process.mjs';
import { getPort } from '../../support/port.mjs';

/** F7, F18: the server writes JSON lines and outlives the reader of its log. */
export async function testClosedLog({ built, environment }) {
  const server = launch(built, { ...environment, ADMIN_PASSWORD: 'the abuse suite' });
  const { address } = await server.logged('started');
  for (const line of server.lines) assert.equal(typeof line.event, 'string');
  server.child.stdout.destroy();
  server.child.stderr.destroy();
  const call = await signIn(address);
  for (let index = 0; index < 100; index += 1) await call('GET', '/admin/users');
  assert.equal((await fetch(`${address}/api/health`)).status, 200);
  server.child.kill('SIGTERM');
  assert.equal(await server.exitCode, 0);
  return 'served 100 calls without a log, and stopped in order';
}

/**
 * F7: with a reader that does not read, the server runs on in bounded memory and logs how much it
 * dropped.
 */
export async function testUnreadLog({ built, environment }) {
  const server = launch(built, { ...environment, ADMIN_PASSWORD: 'the abuse suite' });
  const { address } = await server.logged('started');
  server.child.stdout.pause();
  const CALLS = 12_000;
  const requestKeys = async () => {
    for (let index = 0; index < CALLS / 8; index += 1)
      assert.equal((await fetch(`${address}/api/notifications/vapid-key`)).status, 200);
  };
  await Promise.all(Array.from({ length: 8 }, requestKeys));
  server.child.stdout.resume();
  await wait(1000);
  await fetch(`${address}/api/health`);
  const note = await server.logged('log lines dropped because nothing reads the output');
  const written = server.lines.filter(({ route }) => route?.endsWith('/vapid-key')).length;
  server.child.kill('SIGTERM');
  assert.equal(await server.exitCode, 0);
  assert.equal(written + note.lines, CALLS);
  return `answered ${CALLS} calls whose lines were not read, ${written} written later, ${note.lines} dropped and counted`;
}

/** F9: however often the first start is killed, the next start gives a working password. */
export async function testFirstPassword({ built, environment, rounds }) {
  const lines = [];
  for (let round = 0; round < rounds; round += 1) {
    const server = launch(built, environment);
    await server.logged('listening');
    // The kills come between the creation of the tables and the output of the password.
    await wait(Math.random() * 400);
    server.child.kill('SIGKILL');
    await server.exitCode;
    lines.push(...server.lines);
  }
  const survivor = launch(built, environment);
  const { address } = await survivor.logged('started');
  const shown = [...lines, ...survivor.lines].filter(
    ({ event }) => event === 'first administrator',
  );
  const shownLast = shown.at(-1);
  await signIn(address, { username: shownLast.username, password: shownLast.password });
  survivor.child.kill('SIGTERM');
  await survivor.exitCode;
  return `killed ${rounds} times; ${shown.length} passwords shown, the last one signs in`;
}

/** F9: a taken port or an output without a reader loses no password. */
export async function testLostFirstStart({ built, environment }) {
  const portBlocker = createServer().listen(0);
  await once(portBlocker, 'listening');
  const refused = launch(built, { ...environment, PORT: String(getPort(portBlocker)) });
  assert.equal(await refused.exitCode, 1);
  assert.match((await refused.logged('start failed')).reason, /^The port is already in use/);
  assert.ok(!refused.lines.some(({ event }) => event === 'first administrator'));
  portBlocker.close();

  const closedOutput = launch(built, environment);
  closedOutput.child.stdout.destroy();
  assert.equal(await closedOutput.exitCode, 1);

  const server = launch(built, environment);
  const [{ address }, { username, password }] = [
    await server.logged('started'),
    await server.logged('first administrator'),
  ];
  await signIn(address, { username, password });
  server.child.kill('SIGTERM');
  await server.exitCode;
  return 'after a taken port and an output without a reader, the password is shown and signs in';
}

/** B24, F7: the server outlives killed and restarted PostgreSQL and ended connections. */
export async function testLostDatabase({ built, environment }) {
  const postgres = await startPostgres();
  const url = await postgres.createDatabase('lost');
  const server = launch(built, {
    ...environment,
    DATABASE_URL: url,
    ADMIN_PASSWORD: 'the abuse suite',
  });
  const { address } = await server.logged('started');
  const call = await signIn(address);
  const statuses = new Map();
  let working = true;
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let index = 0; working; index += 1) {
      const outcome = await call('POST', '/admin/topics', {
        title: `Topic ${client}-${index}`,
        description: 'D',
      }).then(
        () => '201',
        (error) => / (\d{3}) /.exec(error.message)?.[1] ?? error.message,
      );
      statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
    }
  });
  const succeedAgain = async () => {
    const before = statuses.get('201') ?? 0;
    while ((statuses.get('201') ?? 0) <= before + 5) {
      assert.equal(server.child.exitCode, null, 'the server is gone');
      await wait(20);
    }
  };
  await succeedAgain();
  for (let round = 0; round < 3; round += 1) {
    await postgres.terminateAll('lost');
    await succeedAgain();
    await postgres.kill();
    while ((await fetch(`${address}/api/health`)).status !== 503) await wait(20);
    await postgres.start();
    await succeedAgain();
  }
  working = false;
  await Promise.all(clients);
  server.child.kill('SIGTERM');
  assert.equal(await server.exitCode, 0);
  await postgres.stop();
  assert.deepEqual(
    [...statuses.keys()].filter((status) => !['201', '503'].includes(status)),
    [],
  );
  return `${statuses.get('201')} calls answered, ${statuses.get('503') ?? 0} with 503, none otherwise`;
}

/** Fails on any line that is not JSON. */
function launch(built, environment) {
  const child = spawn(process.execPath, [path.join(built, 'server/main.js')], {
    env: { ...process.env, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines = [];
  const stdout = createInterface(child.stdout);
  stdout.on('line', (line) => lines.push(JSON.parse(line)));
  child.stderr.resume();
  const exitCode = once(child, 'close').then(([code]) => code);
  const logged = async (event) => {
    for (;;) {
      const loggedEvent = lines.find((line) => line.event === event);
      if (loggedEvent) return loggedEvent;
      await Promise.race([
        once(stdout, 'line'),
        exitCode.then((code) => {
          if (!lines.some((line) => line.event === event))
            throw new Error(
              `The server ended with ${code} before "${event}": ${JSON.stringify(lines)}`,
            );
        }),
      ]);
    }
  };
  return { child, lines, exitCode, logged };
}
