import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reloadOnce } from '../../../src/platform/location';

const test = suite('location');
const { now } = Date;
let reloads = 0;

test.before.each(() => {
  reloads = 0;
  sessionStorage.clear();
  Object.defineProperty(location, 'reload', { configurable: true, value: () => reloads++ });
});
test.after.each(() => {
  Date.now = now;
  sessionStorage.clear();
  Reflect.deleteProperty(location, 'reload');
});

test('a page whose code is gone starts again, but not a second time within a minute', () => {
  assert.is(reloadOnce(), true);
  Date.now = () => now() + 59_000;
  assert.is(reloadOnce(), false);
  assert.is(reloads, 1);
  Date.now = () => now() + 61_000;
  assert.is(reloadOnce(), true);
  assert.is(reloads, 2);
});

test('where that cannot be remembered it does not start again at all: that might never end', () => {
  const { sessionStorage: working } = globalThis;
  const broken = new Proxy({} as Storage, {
    get: () => () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    },
  });
  Object.assign(globalThis, { sessionStorage: broken });
  try {
    assert.is(reloadOnce(), false);
    assert.is(reloads, 0);
  } finally {
    Object.assign(globalThis, { sessionStorage: working });
  }
});

test.run();
