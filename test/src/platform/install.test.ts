import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { install, installation, watchInstallation } from '../../../src/platform/install';
import { askPermission, missing } from '../../../src/platform/notifications';

const test = suite('installing');
const realFetch = globalThis.fetch;
const icon = { sizes: '192x192', purpose: 'any' };
let standalone = false;
let prompted = 0;

watchInstallation();

test.before.each(() => {
  installation.value = 'none';
  standalone = false;
  prompted = 0;
  globalThis.fetch = async () => Response.json({ icons: [icon] });
  Object.assign(globalThis, { matchMedia: () => ({ matches: standalone }) });
});
test.after.each(() => {
  globalThis.fetch = realFetch;
});

/** The browser offers to install the app. */
async function offer(): Promise<Event> {
  const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt: async () => prompted++ });
  dispatchEvent(event);
  await new Promise((resolve) => setImmediate(resolve));
  return event;
}

test('what the browser offers is kept for our own button, which prompts once', async () => {
  const event = await offer();
  assert.is(event.defaultPrevented, true);
  assert.is(installation.value, 'prompt');
  await install();
  assert.is(prompted, 1);
  assert.is(installation.value, 'none');
});

test('an app that runs standalone offers nothing', async () => {
  standalone = true;
  await offer();
  assert.is(installation.value, 'none');
});

test('a page without https makes no offer, except on this machine', async () => {
  const real = globalThis.location;
  const at = (protocol: string, hostname: string) => Object.assign(globalThis, { location: { protocol, hostname } });
  at('http:', 'bell.example');
  await offer();
  assert.is(installation.value, 'none');
  at('http:', 'localhost');
  await offer();
  assert.is(installation.value, 'prompt');
  Object.assign(globalThis, { location: real });
});

test('once installed, the offer is withdrawn', async () => {
  await offer();
  dispatchEvent(new Event('appinstalled'));
  assert.is(installation.value, 'none');
});

for (const [what, answer] of Object.entries({
  'cannot be fetched': () => Promise.reject(new TypeError('offline')),
  'is no JSON': async () => new Response('<html>'),
  'has no icon of 192×192': async () => Response.json({ icons: [{ sizes: '512x512', purpose: 'any' }] }),
})) {
  test(`a manifest that ${what} makes no offer`, async () => {
    globalThis.fetch = answer;
    await offer();
    assert.is(installation.value, 'none');
  });
}

test('what a browser lacks for push is named', () => {
  const names = missing();
  assert.ok(names.includes('IndexedDB'));
  assert.not.ok(names.includes('fetch'));
});

test('asking for a permission that the browser does not know says so', async () => {
  const { Notification } = globalThis;
  Reflect.deleteProperty(globalThis, 'Notification');
  Reflect.deleteProperty(window, 'Notification');
  const message = await askPermission().then(String, (error: Error) => error.message);
  Object.assign(globalThis, { Notification });
  assert.is(message, 'Notifications are not supported');
});

test.run();
