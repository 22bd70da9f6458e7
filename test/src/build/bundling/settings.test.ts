import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings } from '../../../../src/build/bundling/settings.mjs';
import { FIREBASE_VAPID_KEY } from '../../../support/push-services/fcm';

const test = suite('settings of the build');
const firebase = { apiKey: 'a', projectId: 'p', messagingSenderId: '1', appId: '1:1:web:1' };

test('builds without any settings', () => {
  assert.equal(readSettings({ API_HOST: '' }), {
    apiHost: '',
    firebaseConfig: '',
    firebaseVapidKey: '',
    fcmTokens: false,
    company: '',
    twoFactor: false,
    passkeys: false,
    hstsIncludesSubdomains: false,
  });
});

test('accepts valid settings, and removes a slash behind a host', () => {
  const settings = readSettings({
    API_HOST: 'https://api.example:8443/',
    FIREBASE_CONFIG: JSON.stringify({ ...firebase, measurementId: 'G-1' }),
    FIREBASE_VAPID_KEY,
    FCM_TOKENS: 'true',
    OIDC_COMPANY: ' Northgrid ',
    ADMIN_TOTP: 'required',
    PASSKEYS: 'true',
    HSTS_INCLUDE_SUBDOMAINS: 'true',
  });
  assert.equal(settings, {
    apiHost: 'https://api.example:8443',
    firebaseConfig: JSON.stringify({ ...firebase, measurementId: 'G-1' }),
    firebaseVapidKey: FIREBASE_VAPID_KEY,
    fcmTokens: true,
    company: 'Northgrid',
    twoFactor: true,
    passkeys: true,
    hstsIncludesSubdomains: true,
  });
});

test('names every invalid setting at once, without a stack trace', () => {
  const env = { ...process.env, API_HOST: 'api', ADMIN_TOTP: 'yes' };
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs', '--out', '/nowhere/dist'], {
    encoding: 'utf8',
    env,
  });
  assert.is(status, 1);
  assert.match(stderr, /^API_HOST must be .+\nADMIN_TOTP must be .+\n$/);
});

for (const [name, value, reason] of [
  ['API_HOST', 'api.example.com', /^API_HOST must be an address such as https/],
  ['API_HOST', 'api.example.com:8443', /^API_HOST must be/],
  ['API_HOST', 'ftp://api.example.com', /^API_HOST must be/],
  ['API_HOST', 'https://api.example.com/v1', /^API_HOST must be .* without a path/],
  ['API_HOST', 'https://ana:secret@api.example.com', /^API_HOST must be/],
  ['OIDC_COMPANY', 'x'.repeat(41), /^OIDC_COMPANY must have at most 40 characters/],
  ['FCM_TOKENS', 'yes', /^FCM_TOKENS must be true or false/],
  ['HSTS_INCLUDE_SUBDOMAINS', 'yes', /^HSTS_INCLUDE_SUBDOMAINS must be true or false/],
  ['ADMIN_TOTP', 'yes', /^ADMIN_TOTP must be off, optional or required/],
  ['FIREBASE_CONFIG', '{ apiKey: "a" }', /^FIREBASE_CONFIG is not JSON/],
  [
    'FIREBASE_CONFIG',
    'null',
    /^FIREBASE_CONFIG has no apiKey, projectId, messagingSenderId, appId\./,
  ],
  [
    'FIREBASE_CONFIG',
    JSON.stringify({ ...firebase, appId: ' ', projectId: 7 }),
    /^FIREBASE_CONFIG has no projectId, appId\./,
  ],
  ['FIREBASE_VAPID_KEY', FIREBASE_VAPID_KEY.slice(1), /^FIREBASE_VAPID_KEY must be/],
  ['FIREBASE_VAPID_KEY', `A${FIREBASE_VAPID_KEY.slice(1)}`, /^FIREBASE_VAPID_KEY must be/],
] as const) {
  test(`names the variable when a build has ${name}=${value.slice(0, 40)}`, () => {
    assert.throws(() => readSettings({ [name]: value }), reason);
  });
}

test.run();
