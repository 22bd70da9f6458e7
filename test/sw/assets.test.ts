import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deleteCachedAssets, cacheAsset } from '../../sw/assets';
import { fakeCaches } from './fake-worker';

const test = suite('assets');
const real = { caches: globalThis.caches, fetch: globalThis.fetch };
test.after.each(() => void Object.assign(globalThis, real));

const request = new Request('https://bell.example/assets/Users-a1b2.js');
/** Answers marked as browsers mark those of their own origin. */
function network(status: number, type = 'basic') {
  const state = { asked: 0 };
  const fetch = async () => {
    state.asked++;
    return Object.defineProperty(new Response('code', { status }), 'type', { value: type });
  };
  return Object.assign(state, { fetch });
}

test('serves a fetched screen from the cache afterwards', async () => {
  const web = network(200);
  Object.assign(globalThis, fakeCaches(), { fetch: web.fetch });
  assert.is(await (await cacheAsset({ request })).text(), 'code');
  assert.is(await (await cacheAsset({ request })).text(), 'code');
  assert.is(web.asked, 1);
});

for (const [what, status, type] of [
  ['a missing file', 404, 'basic'],
  ['a response of another site', 200, 'opaque'],
] as const) {
  test(`passes on ${what} without keeping it`, async () => {
    const web = network(status, type);
    Object.assign(globalThis, fakeCaches(), { fetch: web.fetch });
    await cacheAsset({ request });
    assert.is((await cacheAsset({ request })).status, status);
    assert.is(web.asked, 2);
  });
}

test('shows the screen on a phone without room', async () => {
  Object.assign(globalThis, fakeCaches({ isFull: true }), { fetch: network(200).fetch });
  assert.is(await (await cacheAsset({ request })).text(), 'code');
});

test('caches each file under its own name, and deletes only files of Fieldbell', async () => {
  const fake = fakeCaches();
  let requestCount = 0;
  const fetch = async ({ url }: Request) => (
    requestCount++, Object.defineProperty(new Response(url), 'type', { value: 'basic' })
  );
  Object.assign(globalThis, fake, { fetch });
  const names = Array.from(
    { length: 6 },
    (_, index) => `https://bell.example/assets/file-${index}.js`,
  );
  for (const _ of [1, 2, 3])
    for (const url of names)
      assert.is(await (await cacheAsset({ request: new Request(url) })).text(), url);
  assert.is(requestCount, 6);
  fake.cacheEntries.set('workbox-precache', new Map());
  await deleteCachedAssets();
  assert.equal([...fake.cacheEntries.keys()], ['workbox-precache']);
  await cacheAsset({ request: new Request(names[0]) });
  assert.is(requestCount, 7);
});

test('retries a failed file, and serves a kept response repeatedly', async () => {
  Object.assign(globalThis, fakeCaches(), {
    fetch: () => Promise.reject(new TypeError('offline')),
  });
  for (const _ of [1, 2])
    assert.is(await cacheAsset({ request }).catch((error: Error) => error.message), 'offline');
  const web = network(200);
  Object.assign(globalThis, { fetch: web.fetch });
  for (const _ of [1, 2, 3]) assert.is(await (await cacheAsset({ request })).text(), 'code');
  assert.is(web.asked, 1);
});

test.run();
