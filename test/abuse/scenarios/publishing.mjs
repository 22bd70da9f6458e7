import assert from 'node:assert/strict';
import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { getQuantile, signIn } from '../process.mjs';

const MAX_P99_MS = 200;
const PUBLISH_COUNT = 10_000;
const MINUTE_MS = 60_000;
const PARALLEL_CALLS = 16;
/** Keys that send about once a second, which is allowed. */
const OTHER_KEY_COUNT = 10;

/** F38: ten thousand publishes a minute with one key slow down neither people nor other keys. */
export async function testFloodOfPublishes({ start }) {
  const server = await start();
  const call = await signIn(server.address);
  const createKey = async (title) => {
    const { id } = await call('POST', '/admin/topics', { title, description: 'Of machines' });
    return (await call('POST', `/admin/topics/${id}/keys`, { name: title })).key;
  };
  const flooding = await createKey('Flood');
  const otherKeys = [];
  for (let index = 0; index < OTHER_KEY_COUNT; index += 1)
    otherKeys.push(await createKey(`SCADA ${index}`));
  const agent = new http.Agent({ keepAlive: true, maxSockets: PARALLEL_CALLS });
  const publish = (key) =>
    new Promise((resolve, reject) => {
      const request = http.request(
        `${server.address}/api/publish`,
        {
          method: 'POST',
          agent: key === flooding ? agent : undefined,
          headers: { Authorization: `Bearer ${key}` },
        },
        (response) => {
          response.resume();
          response.on('end', () => resolve(response));
        },
      );
      request.on('error', reject).end('Feeder 12 tripped');
    });
  const began = performance.now();
  const statuses = new Map();
  let remaining = PUBLISH_COUNT;
  let withoutRetryAfter = 0;
  /** Each key begins its next publish when it is due. */
  const flood = async () => {
    while (remaining > 0) {
      const due = began + ((PUBLISH_COUNT - remaining) / PUBLISH_COUNT) * MINUTE_MS;
      remaining -= 1;
      await wait(Math.max(0, due - performance.now()));
      const { statusCode, headers } = await publish(flooding);
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
      if (statusCode === 429 && !(Number(headers['retry-after']) >= 1)) withoutRetryAfter += 1;
    }
  };
  /** @type {number[]} */
  const people = [];
  /** @type {number[]} */
  const keys = [];
  const askAsPeople = async () => {
    while (remaining > 0) {
      people.push(await timeOf(() => call('GET', '/admin/topics')));
      await wait(50);
    }
  };
  const sendByOthers = async () => {
    for (let index = 0; remaining > 0; index += 1) {
      const key = otherKeys[index % OTHER_KEY_COUNT];
      keys.push(await timeOf(async () => assert.equal((await publish(key)).statusCode, 202)));
      await wait(1200 / OTHER_KEY_COUNT);
    }
  };
  await Promise.all([
    ...Array.from({ length: PARALLEL_CALLS }, flood),
    askAsPeople(),
    sendByOthers(),
  ]);
  const seconds = (performance.now() - began) / 1000;
  agent.destroy();
  await server.end('SIGTERM');
  const [slowest, slowestKey] = [getQuantile(people, 0.99), getQuantile(keys, 0.99)];
  const figures = `${PUBLISH_COUNT} in ${seconds.toFixed()} s: ${[...statuses].map(([status, times]) => `${times} × ${status}`).join(', ')}; p99 of people ${slowest.toFixed()} ms, of another key ${slowestKey.toFixed()} ms over ${people.length} and ${keys.length}`;
  assert.deepEqual([...statuses.keys()].sort(), [202, 429], figures);
  assert.ok(statuses.get(202) >= 60 && statuses.get(202) <= 62 + seconds, figures);
  assert.equal(withoutRetryAfter, 0, figures);
  assert.ok(seconds < 75, figures);
  assert.ok(slowest <= MAX_P99_MS && slowestKey <= MAX_P99_MS, figures);
  return figures;
}

async function timeOf(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
