import { Validator } from '@seriousme/openapi-schema-validator';
import esbuild from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Document, Operation } from '../../../server/openapi/document';
import { createServer } from '../../support/server/server';
import type { TestServer } from '../../support/server/server';

const test = suite('the OpenAPI document');

let server: TestServer;
let document: Document;
test.before(async () => {
  server = await createServer();
  document = await (await server.request('/api/openapi.json')).json();
});
test.after(() => server.close());

const listOperations = (): [call: string, operation: Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
const operationOf = (call: string): Operation => {
  const operation = listOperations().find(([name]) => name === call);
  if (operation === undefined) throw new Error(`The document does not have ${call}.`);
  return operation[1];
};

test('is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
  assert.is(valid, true, JSON.stringify(errors));
  assert.match(document.openapi, /^3\.1\./);
});

test('contains everything it refers to', () => {
  const missing = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)]
    .map(([, reference = '']) => reference)
    .filter(
      (reference) =>
        reference
          .slice(2)
          .split('/')
          .reduce<unknown>(
            (place, name) => (place as Record<string, unknown> | undefined)?.[name],
            document,
          ) === undefined,
    );
  assert.equal(missing, []);
});

test('describes each call of a route once, with its own name', () => {
  const routedPaths = server.app.routes
    .filter(({ method, path }) => method !== 'ALL' && !PATHS_WITHOUT_CONTRACT.includes(path))
    // A trailing slash makes no other call.
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}').replace(/\/$/, '')}`);
  assert.equal(
    [...new Set(routedPaths)].sort(),
    listOperations()
      .map(([call]) => call)
      .sort(),
  );
  const names = listOperations().map(([, { operationId }]) => operationId);
  assert.is(new Set(names).size, names.length);
});
/** The calls for operators and people, and browser redirects. */
const PATHS_WITHOUT_CONTRACT = [
  '/api/metrics',
  '/api/live',
  '/api/ready',
  '/api/docs',
  '/api/auth/oidc/start',
  '/api/auth/oidc/callback',
];

test('documents the limits of a body as its route validates them', () => {
  const schema = operationOf('POST /api/admin/messages').requestBody?.content['application/json']
    ?.schema;
  assert.equal(schema?.required, ['message']);
  assert.equal(schema?.properties?.message, { type: 'string', minLength: 1, maxLength: 1000 });
  assert.equal(schema?.properties?.priority, {
    type: 'string',
    enum: ['info', 'normal', 'urgent'],
  });
  assert.equal(schema?.properties?.answers, {
    type: 'array',
    maxItems: 3,
    items: { type: 'string', minLength: 1, maxLength: 24 },
  });
  assert.equal(schema?.properties?.topicIds, {
    type: 'array',
    maxItems: 1000,
    items: { type: 'integer', minimum: 1 },
  });
  const policy = operationOf('POST /api/admin/policies').requestBody?.content['application/json'];
  assert.is(JSON.stringify(policy?.schema).includes('"minimum":60,"maximum":86400'), true);
});

test('documents who may call as its route checks it', () => {
  const { login, deviceKey } = { login: { login: [] }, deviceKey: { deviceKey: [] } };
  assert.equal(operationOf('POST /api/auth/login').security, []);
  assert.equal(operationOf('GET /api/notifications/devices').security, [login]);
  assert.equal(operationOf('GET /api/admin/users').security, [{ login: ['ADMIN'] }]);
  assert.equal(operationOf('GET /api/admin/reach').security, [
    { login: ['ADMIN'] },
    { login: ['AUDITOR'] },
  ]);
  assert.equal(operationOf('GET /api/sending/topics').security, [{ login: ['SENDER'] }]);
  assert.equal(operationOf('PUT /api/notifications/device-token').security, [deviceKey]);
  assert.equal(operationOf('POST /api/notifications/receipts').security, [login, deviceKey]);
  for (const [call, { security, responses }] of listOperations()) {
    const mayBeWrong = /^POST \/api\/auth\/(login|passkey)$/.test(call);
    assert.is('401' in responses, security.length > 0 || mayBeWrong, call);
    const asksPassword =
      /^(PUT \/api\/account\/(password|email)|POST \/api\/account\/passkeys\/begin)$/.test(call);
    const needsRight = /ADMIN|SENDER/.test(JSON.stringify(security));
    assert.is('403' in responses, needsRight || asksPassword, call);
    assert.ok(security.length === 0 || '429' in responses, call);
  }
});

test('documents paging and repeatable calls', () => {
  const namesOf = (call: string): string[] =>
    (operationOf(call).parameters ?? []).map((one) => ('name' in one ? one.name : one.$ref));
  assert.equal(namesOf('GET /api/admin/topics'), ['page', 'limit', 'query']);
  assert.equal(namesOf('POST /api/admin/topics'), ['#/components/parameters/IdempotencyKey']);
  assert.equal(namesOf('GET /api/admin/messages/{id}'), [
    'id',
    '#/components/parameters/IfNoneMatch',
  ]);
});

test('returns 304 for an unchanged document, and compresses it', async () => {
  const firstResponse = await server.request('/api/openapi.json');
  const tag = firstResponse.headers.get('etag') ?? '';
  const knownResponse = await server.request('/api/openapi.json', {
    headers: { 'If-None-Match': tag },
  });
  assert.is(knownResponse.status, 304);
  const otherResponse = await server.request('/api/openapi.json', {
    headers: { 'If-None-Match': '"x"' },
  });
  assert.is(otherResponse.status, 200);
  const compressedResponse = await server.request('/api/openapi.json', {
    headers: { 'Accept-Encoding': 'gzip, deflate' },
  });
  assert.is(compressedResponse.headers.get('content-encoding'), 'gzip');
  assert.is(compressedResponse.headers.get('vary'), 'Accept-Encoding');
  assert.is(compressedResponse.headers.get('etag'), tag);
  const unpackedResponse = new Response(
    compressedResponse.body?.pipeThrough(new DecompressionStream('gzip')) ?? null,
  );
  assert.equal(await unpackedResponse.json(), document);
  const plain = await server.request('/api/openapi.json', {
    headers: { 'Accept-Encoding': 'gzip;q=0' },
  });
  assert.is(plain.headers.get('content-encoding'), null);
});

test('loads none of its generator at start', async () => {
  const { metafile } = await esbuild.build({
    entryPoints: ['server/main.ts'],
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    outdir: 'server',
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const { outputs } = metafile;
  const loaded = new Set(['server/main.js']);
  for (const name of loaded)
    for (const { path, kind } of outputs[name]?.imports ?? [])
      if (kind === 'import-statement') loaded.add(path);
  const sources = [...loaded].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}));
  assert.ok(sources.includes('server/openapi/routes.ts'));
  assert.equal(
    sources.filter((file) => file.startsWith('server/openapi/')),
    ['server/openapi/routes.ts'],
  );
  const packages = [...loaded].flatMap((name) => outputs[name]?.imports ?? []);
  assert.is(
    packages.some(({ path }) => path === '@valibot/to-json-schema'),
    false,
  );
});

test.run();
