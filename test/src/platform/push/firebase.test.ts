/**
 * The messaging SDK keeps some promises of the specification. These tests check that the bundled
 * version still does; test/e2e checks it in browsers.
 */
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const read = (name: string) => readFileSync(`node_modules/@firebase/${name}`, 'utf8');
const messaging = read('messaging/dist/esm/index.esm.js');
const installations = read('installations/dist/esm/index.esm.js');

test('explains what the messaging service lacks or could not do', () => {
  for (const sentence of [
    "This browser doesn't support the API's required to use the Firebase SDK.",
    "This browser doesn't support indexedDb.open()",
    'FCM returned no token when subscribing the user to push.',
    'A problem occurred while subscribing the user to FCM',
    'A problem occurred while updating the user from FCM',
    'We are unable to register the default service worker.',
    'Missing App configuration value',
    'The notification permission was not granted and blocked instead.',
  ]) {
    assert.ok(messaging.includes(sentence), sentence);
  }
  assert.match(messaging, /A problem occurred while unsubscribing the ' \+\s*'user from FCM/);
});

test('renews a token older than seven days', () => {
  assert.match(messaging, 'TOKEN_EXPIRATION_MS = 7 * 24 * 60 * 60 * 1000');
});

test('makes installation ids of 22 characters, and polls a pending one every 100 ms', () => {
  assert.match(installations, String.raw`VALID_FID_PATTERN = /^[cdef][\w-]{21}$/`);
  assert.match(installations, 'sleep(100)');
});

test('retries a server error once, drops the record on 409, 401 and 404, and reports offline', () => {
  assert.match(installations, /result\.status >= 500 && result\.status < 600/);
  assert.match(installations, 'serverCode === 409');
  assert.match(installations, /serverCode === 401 \|\| e\.customData\.serverCode === 404/);
  assert.match(installations, 'Application offline.');
});

test.run();
