import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { signIn } from '../process.mjs';
import { residentMegabytes } from '../memory.mjs';

const MAX_GROWTH_MB = 20;
const SCRIPT_PATH = '/assets/main-0a1b2c3d.js';

/**
 * Serves a folder with a script of 300 kB, three times the app's largest. As many honest requests
 * come first, so that code and garbage do not count.
 */
async function startServing({ start, environment }) {
  const folder = path.join(environment.DATA_DIR, 'app');
  await mkdir(path.join(folder, 'assets'), { recursive: true });
  await writeFile(path.join(folder, 'index.html'), '<!doctype html><title>Fieldbell</title>');
  await writeFile(path.join(folder, SCRIPT_PATH), 'x'.repeat(300_000));
  await writeFile(path.join(folder, `${SCRIPT_PATH}.map`), 'x'.repeat(1_500_000));
  const server = await start({ STATIC_DIR: folder });
  for (let round = 0; round < 40; round += 1) {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        fetch(server.address + (index % 2 ? SCRIPT_PATH : '/login')).then((response) =>
          response.arrayBuffer(),
        ),
      ),
    );
  }
  return server;
}

/** Returns the process's peak memory during `attack` and two seconds after. */
export async function measureGrowthDuring({ pid }, attack) {
  const before = await residentMegabytes(pid);
  let highestMemory = before;
  let running = true;
  const watching = (async () => {
    while (running) {
      highestMemory = Math.max(highestMemory, await residentMegabytes(pid));
      await wait(20);
    }
  })();
  try {
    await attack();
    await wait(2000);
  } finally {
    running = false;
    await watching;
  }
  return {
    growth: highestMemory - before,
    figures: `${before.toFixed()} MB before, ${highestMemory.toFixed()} MB at most`,
  };
}

async function judgeGrowth(server, attack) {
  const { growth, figures } = await measureGrowthDuring(server, attack);
  const health = await fetch(`${server.address}/api/health`);
  assert.equal(health.status, 200);
  await server.end('SIGTERM');
  assert.ok(growth <= MAX_GROWTH_MB, figures);
  return figures;
}

const request = (where, method = 'GET') => `${method} ${where} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** F4: twenty connections request large files 700 times each and read no response. */
export async function testUnreadResponses(setup) {
  const server = await startServing(setup);
  const port = Number(new URL(server.address).port);
  return judgeGrowth(server, async () => {
    const sockets = Array.from({ length: 20 }, (_, index) => {
      const socket = connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .pause();
      socket.write(request(index % 2 ? SCRIPT_PATH : `${SCRIPT_PATH}.map`).repeat(700));
      return socket;
    });
    await wait(5000);
    for (const socket of sockets) socket.destroy();
  });
}

/** F4: thousands of names for one file, with answers that are read. */
export async function testAliasPaths(setup) {
  const server = await startServing(setup);
  return judgeGrowth(server, async () => {
    const alias = (index) =>
      [
        `${'/'.repeat(2 + (index % 1000))}assets${SCRIPT_PATH.slice(7)}`,
        `/assets${'/'.repeat(1 + (index % 1000))}${SCRIPT_PATH.slice(8)}`,
        `/assets/${index}/..${SCRIPT_PATH.slice(7)}`,
      ][index % 3];
    for (let round = 0; round < 80; round += 1) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          fetch(server.address + alias(round * 50 + index), { method: 'HEAD' }),
        ),
      );
    }
  });
}

/** F4: connections held unused, after an answer, in the head and in the body. */
export async function testHeldMemory(setup) {
  const server = await startServing(setup);
  const port = Number(new URL(server.address).port);
  const body =
    'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{';
  const texts = [
    '',
    request('/api/health'),
    'GET / HTTP/1.1\r\nX: '.padEnd(8000, 'x'),
    body.padEnd(30_000, ' '),
  ];
  return judgeGrowth(server, async () => {
    const sockets = Array.from({ length: 2000 }, (_, index) => {
      const socket = connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .resume();
      socket.write(texts[index % texts.length]);
      return socket;
    });
    await wait(5000);
    for (const socket of sockets) socket.destroy();
  });
}

/** F4: 1,600 administrator's answers of 200 kB on 200 connections, unread. */
export async function testUnreadCalls(setup) {
  const server = await startServing(setup);
  const call = await signIn(server.address);
  for (let index = 0; index < 100; index += 1)
    await call('POST', '/admin/topics', { title: `Topic ${index}`, description: 'd'.repeat(2000) });
  const port = Number(new URL(server.address).port);
  for (let round = 0; round < 16; round += 1)
    await Promise.all(Array.from({ length: 200 }, () => call('GET', '/admin/topics?limit=100')));
  return judgeGrowth(server, async () => {
    const sockets = Array.from({ length: 200 }, () => {
      const socket = connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .pause();
      socket.write(
        `GET /api/admin/topics?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${call.token}\r\n\r\n`.repeat(
          8,
        ),
      );
      return once(socket, 'connect').then(() => socket);
    });
    await wait(5000);
    for (const socket of await Promise.all(sockets)) socket.destroy();
  });
}
