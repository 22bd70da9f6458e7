import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keepAsset } from '../../sw/assets';
import { fakeCaches } from './world';

const test = suite('assets');
const real = { caches: globalThis.caches, fetch: globalThis.fetch };
test.after.each(() => void Object.assign(globalThis, real));

const request = new Request('https://bell.example/assets/Users-a1b2.js');
/** A network that answers so, as a browser marks answers of the own origin. */
function network(status: number, type = 'basic') {
  const state = { asked: 0 };
  const fetch = async () => {
    state.asked++;
    return Object.defineProperty(new Response('code', { status }), 'type', { value: type });
  };
  return Object.assign(state, { fetch });
}

test('a screen that was fetched once comes from the cache from then on', async () => {
  const web = network(200);
  Object.assign(globalThis, fakeCaches(), { fetch: web.fetch });
  assert.is(await (await keepAsset({ request })).text(), 'code');
  assert.is(await (await keepAsset({ request })).text(), 'code');
  assert.is(web.asked, 1);
});

for (const [what, status, type] of [['a missing file', 404, 'basic'], ['an answer of somebody else', 200, 'opaque']] as const) {
  test(`${what} is handed on and not kept`, async () => {
    const web = network(status, type);
    Object.assign(globalThis, fakeCaches(), { fetch: web.fetch });
    await keepAsset({ request });
    assert.is((await keepAsset({ request })).status, status);
    assert.is(web.asked, 2);
  });
}

test('a phone without room gets the screen all the same', async () => {
  Object.assign(globalThis, fakeCaches({ full: true }), { fetch: network(200).fetch });
  assert.is(await (await keepAsset({ request })).text(), 'code');
});

test.run();
