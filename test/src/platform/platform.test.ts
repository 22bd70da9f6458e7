import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isInstallable } from '../../../src/platform/install/installable';
import { guessDeviceType } from '../../../src/platform/push/notifications';

const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; Pixel 7a) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

test('guesses the device type from the user agent', () => {
  assert.is(guessDeviceType(ANDROID, 5), 'android');
  assert.is(guessDeviceType(IPHONE, 5), 'ios');
  assert.is(guessDeviceType(FIREFOX, 0), 'web');
  assert.is(guessDeviceType(MAC, 0), 'web');
  assert.is(guessDeviceType('', 0), 'web');
});

test('recognizes an iPad that calls itself a Mac by its touch points', () => {
  assert.is(guessDeviceType(MAC, 5), 'ios');
});

test('needs an icon of 192×192 for any or maskable to install', () => {
  const icon = (sizes: string, purpose?: string) => ({
    icons: [{ sizes, ...(purpose && { purpose }) }],
  });
  assert.is(isInstallable(icon('192x192', 'any')), true);
  assert.is(isInstallable(icon('192x192', 'maskable')), true);
  assert.is(isInstallable(icon('192x192 512x512', 'maskable monochrome')), true);
  assert.is(isInstallable(icon('192x192')), true);
  assert.is(isInstallable(icon('192x192', 'monochrome')), false);
  assert.is(isInstallable(icon('512x512', 'any')), false);
  for (const nonsense of [null, {}, { icons: 'x' }, []]) assert.is(isInstallable(nonsense), false);
});

test.run();
