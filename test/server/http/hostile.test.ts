import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTopicKey } from '../../support/server/topic-keys';
import type { TestServer } from '../../support/server/server';
import { createServer } from '../../support/server/server';

const test = suite('hostile input');

interface Schema {
  $ref?: string;
  properties?: Record<string, object>;
}
interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
}
interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const MAX_RESPONSE_BYTES = 4096;
let server: TestServer;
let document: ApiDocument;
test.before(async () => {
  server = await createServer({ environment: { ADMIN_TOTP: 'optional', PASSKEYS: 'true' } });
  document = await (await server.request('/api/openapi.json')).json();
});
test.after(() => server.close());

const calls = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, operation]) => {
      return { method: name.toUpperCase(), path, operation };
    }),
  );

/** A new caller each time, because calls are limited per person and key. */
async function expectShort(path: string, init: RequestInit, caseName: string): Promise<void> {
  const token = /^.api.(publish|hooks)/.test(path)
    ? await createTopicKey(server, await server.createTopic())
    : (await server.createPerson('ADMIN')).token;
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const { status, ...response } = await readAll(server.request(path, { headers, ...init }));
  const summary = `${init.method} ${path.slice(0, 99)} ${caseName.slice(0, 50)}: ${status}`;
  assert.is.not(status, 500, summary);
  if (status >= 400)
    assert.ok(response.bytes <= MAX_RESPONSE_BYTES, `${summary}, ${response.bytes} bytes`);
}
async function readAll(pendingResponse: Response | Promise<Response>) {
  const response = await pendingResponse;
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
}

test('responds to parameters of any length within 4 kB and without 500', async () => {
  for (const { method, path, operation } of calls())
    for (const value of ['9'.repeat(10_000), '%F0%9F%98%80'.repeat(800), '%00-1e999']) {
      await expectShort(path.replace(/\{\w+\}/g, value), { method }, 'path');
      const query = (operation.parameters ?? [])
        .filter((one) => one.in === 'query')
        .map(({ name }) => `${name}=${value}`);
      const bare = path.replace(/\{\w+\}/g, '1');
      if (query.length > 0) await expectShort(`${bare}?${query.join('&')}`, { method }, value);
    }
});

const HOSTILE_REQUESTS = [
  '\u{1F600}'.repeat(1000),
  '\u0000\ud800',
  -1e308,
  Array.from({ length: 100 }, () => ({ ['y'.repeat(40)]: 'x' })),
  Array.from({ length: 100 }, (_, index) => 999_999 + index),
  { ['z'.repeat(4000)]: 1 },
];

test('responds to fields of any length within 4 kB and without 500', async () => {
  for (const { method, path, operation } of calls()) {
    const { schema } = operation.requestBody?.content['application/json'] ?? {};
    const named = document.components.schemas[schema?.$ref?.split('/').at(-1) ?? ''];
    const names = Object.keys((named ?? schema)?.properties ?? {});
    if (names.length === 0) continue;
    for (const value of HOSTILE_REQUESTS) {
      const body = JSON.stringify(Object.fromEntries(names.map((name) => [name, value])));
      await expectShort(path.replace(/\{\w+\}/g, '1'), { method, body }, body);
    }
  }
});

test.run();
