import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { install, installation, watchInstallation } from '../../../../src/platform/install/install';
import {
  dismissInstall,
  isInstallDismissed,
  readDismissed,
} from '../../../../src/state/device/install-dismissal';
import { askPermission, missingFeatureNames } from '../../../../src/platform/push/notifications';
import { breakStorage } from '../../../support/app/broken-storage';

const test = suite('installing');
const realFetch = globalThis.fetch;
const icon = { sizes: '192x192', purpose: 'any' };
let isStandalone = false;
let promptedCount = 0;

watchInstallation();

test.before.each(() => {
  installation.value = 'none';
  isStandalone = false;
  promptedCount = 0;
  globalThis.fetch = async () => Response.json({ icons: [icon] });
  Object.assign(globalThis, { matchMedia: () => ({ matches: isStandalone }) });
});
test.after.each(() => {
  globalThis.fetch = realFetch;
});

async function offerInstallation(): Promise<Event> {
  const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
    prompt: async () => promptedCount++,
  });
  dispatchEvent(event);
  await import('../../../../src/platform/install/installable'); // comes when needed
  await new Promise((resolve) => setImmediate(resolve));
  return event;
}

test('keeps the browser’s install prompt, and shows it once from our button', async () => {
  const event = await offerInstallation();
  assert.is(event.defaultPrevented, true);
  assert.is(installation.value, 'prompt');
  await install();
  assert.is(promptedCount, 1);
  assert.is(installation.value, 'none');
});

test('prompts once per offer, with the latest one', async () => {
  await offerInstallation();
  await install();
  await install();
  assert.is(promptedCount, 1);
  await offerInstallation();
  assert.is(installation.value, 'prompt');
  await install();
  assert.is(promptedCount, 2);
  assert.is(installation.value, 'none');
});

for (const [what, icons, offered] of [
  [
    'of several sizes and purposes',
    [{ sizes: '96x96 192x192', purpose: 'monochrome maskable' }],
    'prompt',
  ],
  ['without a purpose, which is any', [{ sizes: '512x512' }, { sizes: '192x192' }], 'prompt'],
  ['of one color only', [{ sizes: '192x192', purpose: 'monochrome' }], 'none'],
  ['whose size only begins so', [{ sizes: '192x1920', purpose: 'any' }], 'none'],
  ['of no size', [{ purpose: 'any' }], 'none'],
] as const) {
  test(`offers ${offered} for a manifest with icons ${what}`, async () => {
    globalThis.fetch = async () => Response.json({ icons });
    await offerInstallation();
    assert.is(installation.value, offered);
  });
}

test('offers nothing in a standalone app', async () => {
  isStandalone = true;
  await offerInstallation();
  assert.is(installation.value, 'none');
});

test('offers nothing without https, except on this machine', async () => {
  const real = globalThis.location;
  const at = (protocol: string, hostname: string) =>
    Object.assign(globalThis, { location: { protocol, hostname } });
  at('http:', 'bell.example');
  await offerInstallation();
  assert.is(installation.value, 'none');
  at('http:', 'localhost');
  await offerInstallation();
  assert.is(installation.value, 'prompt');
  Object.assign(globalThis, { location: real });
});

test('withdraws the offer once installed', async () => {
  await offerInstallation();
  dispatchEvent(new Event('appinstalled'));
  assert.is(installation.value, 'none');
});

for (const [what, reply] of Object.entries({
  'cannot be fetched': () => Promise.reject(new TypeError('offline')),
  'is no JSON': async () => new Response('<html>'),
  'has no icon of 192×192': async () =>
    Response.json({ icons: [{ sizes: '512x512', purpose: 'any' }] }),
})) {
  test(`offers nothing when a manifest ${what}`, async () => {
    globalThis.fetch = reply;
    await offerInstallation();
    assert.is(installation.value, 'none');
  });
}

/** Days after 12 Nov 2026. */
const daysAfterInstall = (days: number) => Date.UTC(2026, 10, 12) + days * 86_400_000;
/** A page that starts at this moment with this note. */
function startAt(days: number, noted?: string): boolean {
  Date.now = () => daysAfterInstall(days);
  if (noted !== undefined) localStorage.setItem('install_dismissed', noted);
  readDismissed();
  return isInstallDismissed.value;
}
const { now } = Date;
test.after.each(() => {
  Date.now = now;
  localStorage.clear();
  isInstallDismissed.value = false;
});

test('hides a postponed offer for 30 days, each time', () => {
  assert.is(startAt(0), false);
  for (const day of [0, 40]) {
    Date.now = () => daysAfterInstall(day);
    dismissInstall();
    assert.equal(
      [startAt(day), startAt(day + 29.9), startAt(day + 30), startAt(day + 31)],
      [true, true, false, false],
    );
  }
});

test('hides a postponed offer no longer than 30 days when the clock jumps', () => {
  Date.now = () => daysAfterInstall(700);
  dismissInstall();
  assert.is(startAt(0), false, 'it was two years ahead, then corrected');
  Date.now = () => daysAfterInstall(0.5);
  dismissInstall();
  assert.is(startAt(0), true, 'it went back by half a day');
});

for (const noted of ['', 'yesterday', 'NaN', '1e999', '-5', 'null', '{}']) {
  test(`ignores a note of “${noted}”`, () => {
    assert.is(startAt(0, noted), false);
  });
}

test('hides the offer until the page closes when storage throws', () => {
  const { warn } = console;
  console.warn = () => {};
  const repair = breakStorage();
  assert.is(startAt(0), false);
  dismissInstall();
  assert.is(startAt(1), true, 'as after Back');
  repair();
  dismissInstall(); // stored values leave memory
  console.warn = warn;
});

test('hides an offer postponed in another tab', () => {
  Date.now = () => daysAfterInstall(0);
  localStorage.setItem('install_dismissed', String(daysAfterInstall(0)));
  dispatchEvent(new StorageEvent('storage', { key: 'install_dismissed' }));
  assert.is(isInstallDismissed.value, true);
  localStorage.clear();
  dispatchEvent(new StorageEvent('storage', { key: null }));
  assert.is(isInstallDismissed.value, false);
});

test('names each missing push feature, in order', () => {
  const has = (where: object, name: string, value: unknown = {}) =>
    Object.defineProperty(where, name, { configurable: true, value });
  const takeAway = (name: string) => Reflect.deleteProperty(window, name);
  const real = { Notification: Reflect.get(window, 'Notification') };
  has(navigator, 'serviceWorker');
  for (const name of ['PushManager', 'Notification', 'indexedDB']) has(window, name);
  try {
    assert.equal(missingFeatureNames(), []);
    Object.defineProperty(window, 'indexedDB', {
      configurable: true,
      get: () => {
        throw new Error('Site data is blocked.');
      },
    });
    assert.equal(missingFeatureNames(), ['IndexedDB']);
    takeAway('Notification');
    assert.equal(missingFeatureNames(), ['notifications', 'IndexedDB']);
    takeAway('PushManager');
    has(window, 'indexedDB');
    assert.equal(missingFeatureNames(), ['push messages', 'notifications']);
    has(window, 'Notification');
    Reflect.deleteProperty(navigator, 'serviceWorker');
    assert.equal(missingFeatureNames(), ['service workers', 'push messages']);
  } finally {
    for (const name of ['PushManager', 'Notification', 'indexedDB']) takeAway(name);
    if (real.Notification) Object.assign(window, real);
    Reflect.deleteProperty(navigator, 'serviceWorker');
  }
});

test('explains manual installation on iPhone until installed', async () => {
  const { userAgent } = navigator;
  const start = async (agent: string) => {
    installation.value = 'none';
    Object.defineProperty(navigator, 'userAgent', { configurable: true, value: agent });
    watchInstallation();
    await import('../../../../src/platform/install/installable');
    await new Promise((resolve) => setImmediate(resolve));
    return installation.value;
  };
  assert.is(await start('Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X)'), 'instructions');
  assert.is(await start('Mozilla/5.0 (Linux; Android 14; Pixel 7a)'), 'none');
  isStandalone = true;
  assert.is(await start('Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X)'), 'none');
  Object.defineProperty(navigator, 'userAgent', { configurable: true, value: userAgent });
});

test('says when the browser does not know the permission', async () => {
  const { Notification } = globalThis;
  Reflect.deleteProperty(globalThis, 'Notification');
  Reflect.deleteProperty(window, 'Notification');
  const message = await askPermission().then(String, (error: Error) => error.message);
  Object.assign(globalThis, { Notification });
  assert.is(message, 'Notifications are not supported');
});

test.run();
