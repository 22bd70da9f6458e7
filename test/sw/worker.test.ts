/** The bundled worker: which requests it answers, and which it leaves to the network. */
import vm from 'node:vm';
import esbuild from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createConstants } from '../../src/build/bundling/bundling.mjs';
import { fakeCaches, createFakeWorker } from './fake-worker';

const test = suite('worker script');
const ORIGIN = 'https://bell.example';
const filesOf = (page: string) => [{ url: page, revision: '1' }, 'assets/main-a1.js'];
const { outputFiles } = await esbuild.build({
  entryPoints: ['sw/worker.ts'],
  bundle: true,
  write: false,
  format: 'iife',
  define: {
    ...createConstants({}, { VERSION: '1.2.3' }),
    'process.env.NODE_ENV': '"production"',
    LANGUAGE: 'self.LANGUAGE',
    KEPT_FILES: JSON.stringify({ en: filesOf('index.html'), ar: filesOf('index.ar.html') }),
  },
});

/** Resolves addresses against the worker's script, as browsers do. */
class OwnRequest extends Request {
  constructor(input: Request | string, init?: RequestInit) {
    super(typeof input === 'string' ? new URL(input, ORIGIN) : input, init);
  }
}

type Route = 'the app' | 'the app in Arabic' | 'precached' | 'cached' | 'the network';
const SERVED: Record<string, Route> = {
  page: 'the app',
  الصفحة: 'the app in Arabic',
  main: 'precached',
};

/**
 * Starts a worker whose `route` returns what serves a request.
 * @param language the language in the script's address
 */
function start(language = '', network: 'up' | 'down' = 'up') {
  const { scope: fakeScope } = createFakeWorker();
  const { caches, cacheEntries } = fakeCaches();
  const requestedUrls: string[] = [];
  const listeners = new Map<string, ((event: unknown) => void)[]>();
  const scope = Object.assign(fakeScope, {
    caches,
    location: new URL(`/firebase-messaging-sw.js${language && `?${language}`}`, ORIGIN),
    fetch: async ({ url }: Request) => {
      requestedUrls.push(url);
      if (network === 'down') throw new TypeError('Failed to fetch');
      return Object.defineProperty(new Response('code'), 'type', { value: 'basic' });
    },
    addEventListener: (type: string, listen: (event: unknown) => void) =>
      void listeners.set(type, [...(listeners.get(type) ?? []), listen]),
    ...{ URL, Request: OwnRequest, Response, Headers, FetchEvent: class {}, console },
  });
  Object.assign(scope, {
    self: scope,
    registration: { ...scope.registration, scope: `${ORIGIN}/` },
  });
  vm.runInNewContext(outputFiles[0]?.text ?? '', scope);

  /** As after the worker's installation. */
  const name = `workbox-precache-v2-${ORIGIN}/`;
  const precached = new Map([
    [`${ORIGIN}/index.html?__WB_REVISION__=1`, new Response('page')],
    [`${ORIGIN}/index.ar.html?__WB_REVISION__=1`, new Response('الصفحة')],
    [`${ORIGIN}/assets/main-a1.js`, new Response('main')],
  ]);
  caches.open = async (cache: string) => {
    const found = (url: string) =>
      cache === name ? precached.get(url)?.clone() : cacheEntries.get(cache)?.get(url)?.clone();
    return {
      match: async (request: Request | string) =>
        found(typeof request === 'string' ? request : request.url),
      put: async ({ url }: Request, response: Response) => {
        cacheEntries.set(
          cache,
          (cacheEntries.get(cache) ?? new Map<string, Response>()).set(url, response),
        );
      },
      keys: async () => [],
    };
  };
  Object.assign(caches, {
    match: async (request: Request | string, { cacheName = name } = {}) =>
      (await caches.open(cacheName)).match(request as Request),
  });

  async function route(address: string, mode = 'navigate'): Promise<Route> {
    const request = new Request(new URL(address, ORIGIN));
    Object.defineProperty(request, 'mode', { value: mode });
    let reply: Promise<Response> | undefined;
    for (const listen of listeners.get('fetch') ?? [])
      listen({
        request,
        waitUntil: () => undefined,
        respondWith: (response: Promise<Response>) => (reply = response),
      });
    if (!reply) return 'the network';
    const text = await (await reply).text();
    return SERVED[text] ?? 'cached';
  }
  /** Resolves once the browser could end the worker. */
  async function activate(): Promise<void> {
    const work: unknown[] = [];
    for (const listen of listeners.get('activate') ?? [])
      listen({ waitUntil: (promise: unknown) => work.push(promise) });
    await Promise.all(work);
  }
  return { route, requestedUrls, activate, cacheEntries };
}

test('serves the page for every app address, also offline', async () => {
  const { route, requestedUrls } = start();
  for (const path of [
    '/',
    '/login',
    '/admin/users/11/subscriptions',
    '/apiary',
    '/topics?query=a.b',
  ])
    assert.is(await route(path), 'the app', path);
  assert.equal(requestedUrls, []);
});

test('serves the page in the language of its address, and English for one that is gone', async () => {
  assert.is(await start('ar').route('/messages'), 'the app in Arabic');
  assert.is(await start('fr').route('/messages'), 'the app');
});

test('fetches the page of another language, and serves its own without a connection', async () => {
  const address = '/index.de.html';
  assert.is(await start('ar').route(address), 'cached');
  assert.is(await start('ar', 'down').route(address), 'the app in Arabic');
  assert.is(await start('ar', 'down').route('/index.ar.html'), 'the app in Arabic');
});

test('leaves server addresses and files to the server', async () => {
  const { route } = start();
  for (const path of ['/api/health', '/api/auth/verify-email/t-1', '/manifest.json', '/guide.pdf'])
    assert.is(await route(path), 'the network', path);
});

test('leaves the app’s requests to the network', async () => {
  const { route } = start();
  for (const address of [
    '/api/admin/topics',
    '/notifications/subscriptions',
    'https://elsewhere.example/assets/Users-b2.js',
  ])
    assert.is(await route(address, 'cors'), 'the network', address);
});

test('serves hashed files from the precache, or fetches and keeps them', async () => {
  const { route, requestedUrls } = start();
  assert.is(await route('/assets/main-a1.js', 'cors'), 'precached');
  for (const _ of [1, 2]) assert.is(await route('/assets/Users-b2.js', 'cors'), 'cached');
  assert.equal(requestedUrls, [`${ORIGIN}/assets/Users-b2.js`]);
});

test('drops only the previous versions’ precache on activation', async () => {
  const { activate, cacheEntries } = start();
  const others = [
    `workbox-precache-v2-${ORIGIN}/`,
    'workbox-precache-v1-https://other.example/',
    'mine',
  ];
  for (const name of [...others, `workbox-precache-v1-${ORIGIN}/`])
    cacheEntries.set(name, new Map());
  await activate();
  assert.equal([...cacheEntries.keys()], others);
});

test.run();
