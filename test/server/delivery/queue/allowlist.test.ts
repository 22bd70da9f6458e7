import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAllowlist } from '../../../../server/delivery/queue/allowlist';

const test = suite('allowlist of push services');

test('allows the browsers’ own push services and FCM', () => {
  const { has } = createAllowlist([]);
  for (const origin of [
    'fcm',
    'https://fcm.googleapis.com',
    'https://updates.push.services.mozilla.com',
    'https://web.push.apple.com',
    'https://wns2-par02p.notify.windows.com',
  ])
    assert.ok(has(origin), origin);
});

test('rejects hosts that only look like an allowed one', () => {
  const { has } = createAllowlist(['push.example:8443']);
  for (const origin of [
    'none',
    'null',
    'https://fcm.googleapis.com.example',
    'https://fcm.googleapis.com.',
    'https://fcm.googleapis.com:8443',
    'http://fcm.googleapis.com',
    'https://xnotify.windows.com',
    'https://push.example',
    'https://other.push.example:8443',
  ])
    assert.not(has(origin), origin);
});

test('allows hosts that the operator lists, at any port unless one is named', () => {
  const { has, origins } = createAllowlist([
    ' Push.Example:8443',
    'any.example',
    'tls.example:443',
  ]);
  assert.ok(has('https://push.example:8443'));
  assert.ok(has('https://any.example:7777'));
  assert.ok(has('https://tls.example'));
  for (const origin of ['https://push.example:8443', 'https://any.example', 'https://tls.example'])
    assert.ok(origins.includes(origin), origin);
});

test.run();
