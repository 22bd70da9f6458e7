import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, readConfig } from '../../server/config';

const test = suite('configuration');
let folder: string;
test.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'fieldbell-config-'));
});
test.after.each(() => rmSync(folder, { recursive: true }));

const read = (environment: Record<string, string> = {}) => readConfig({ DATA_DIR: folder, ...environment });

test('nothing needs to be set', () => {
  const config = read();
  const { port, publicUrl, corsOrigins, pushAllowedHosts, adminUsername, databaseUrl, smtpUrl, serviceAccount } = config;
  assert.equal({ port, publicUrl, corsOrigins, pushAllowedHosts, adminUsername }, { port: 3000, publicUrl: 'http://localhost:3000', corsOrigins: [], pushAllowedHosts: [], adminUsername: 'admin' });
  assert.equal([databaseUrl, smtpUrl, serviceAccount, config.adminPassword], [undefined, undefined, undefined, undefined]);
});

test('a variable set to nothing is as one not set', () => {
  assert.is(read({ SMTP_URL: '', PORT: '', ADMIN_PASSWORD: '' }).port, 3000);
});

test('the secret is made once, kept, and readable by its owner only', () => {
  const { jwtSecret } = read();
  assert.ok(Buffer.byteLength(jwtSecret) >= 32);
  assert.is(read().jwtSecret, jwtSecret);
  assert.is(statSync(join(folder, 'jwt-secret')).mode & 0o777, 0o600);
});

for (const [name, value, reason] of [
  ['PORT', 'http', /^PORT must be a number\.$/],
  ['PORT', '70000', /^PORT must be at most 65535/],
  ['PUBLIC_URL', 'bell.example', /^PUBLIC_URL must be an address/],
  ['PUBLIC_URL', 'ftp://bell.example', /^PUBLIC_URL must be an address/],
  ['DATABASE_URL', 'mysql://x', /^DATABASE_URL must begin with postgres/],
  ['JWT_SECRET', 'thirty-one bytes are not enough', /^JWT_SECRET must have at least 32 bytes/],
  ['CORS_ORIGINS', '*', /^CORS_ORIGINS must list origins/],
  ['CORS_ORIGINS', 'https://a.example, https://b.example/', /^CORS_ORIGINS must list origins/],
  ['TRUSTED_PROXIES', 'proxy.example', /^TRUSTED_PROXIES must list addresses/],
  ['TRUSTED_PROXIES', '10.0.0.0/33', /^TRUSTED_PROXIES must list addresses/],
  ['SMTP_URL', 'mail.example:25', /^SMTP_URL must begin with smtp/],
  ['MAIL_FROM', 'a@b.example\nBcc: x@y.example', /^MAIL_FROM must be a mail address/],
  ['VAPID_SUBJECT', 'ops@bell.example', /^VAPID_SUBJECT must begin with mailto/],
  ['METRICS_TOKEN', 'too short', /^METRICS_TOKEN must be at least 16/],
  ['ADMIN_PASSWORD', 'short', /^ADMIN_PASSWORD must have at least 8/],
  ['FIREBASE_SERVICE_ACCOUNT', '{"project_id":"x"}', /^FIREBASE_SERVICE_ACCOUNT must be/],
  ['FIREBASE_SERVICE_ACCOUNT', '/no/such/file.json', /^FIREBASE_SERVICE_ACCOUNT must be/],
] as const) {
  test(`refuses to start with ${name}=${value.split('\n')[0]} and names the variable, not the value`, () => {
    try {
      read({ [name]: value });
      assert.unreachable();
    } catch (error) {
      assert.instance(error, ConfigError);
      assert.match((error as Error).message, reason);
      if (name === 'JWT_SECRET' || name === 'ADMIN_PASSWORD') assert.not.match((error as Error).message, value);
    }
  });
}

test('a kept secret that somebody weakened is refused', () => {
  writeFileSync(join(folder, 'jwt-secret'), 'weak');
  assert.throws(() => read(), /^JWT_SECRET as kept/);
});

test('the service account may be a file or its JSON', () => {
  const account = { project_id: 'p', client_email: 'e', private_key: 'k', type: 'service_account' };
  const expected = { project_id: 'p', client_email: 'e', private_key: 'k', token_uri: 'https://oauth2.googleapis.com/token' };
  const file = join(folder, 'account.json');
  writeFileSync(file, JSON.stringify(account));
  assert.equal(read({ FIREBASE_SERVICE_ACCOUNT: JSON.stringify(account) }).serviceAccount, expected);
  assert.equal(read({ FIREBASE_SERVICE_ACCOUNT: file }).serviceAccount, expected);
});

test('an address with a slash at its end makes no double slash in links', () => {
  assert.is(read({ PUBLIC_URL: 'https://bell.example/app/' }).publicUrl, 'https://bell.example/app');
});

test.run();
