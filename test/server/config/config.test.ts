import { generateKeyPairSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, readConfig } from '../../../server/config/config';
import { loadOrCreateSecret } from '../../../server/config/kept-secret';
import { describeSettings, findMisspelled, isRejectedByApple } from '../../../server/config/report';

const test = suite('configuration');
let folder: string;
test.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'fieldbell-config-'));
});
test.after.each(() => rmSync(folder, { recursive: true }));

const read = (environment: Record<string, string> = {}) =>
  readConfig({ DATA_DIR: folder, ...environment });

test('starts without any settings', () => {
  const config = read();
  const {
    port,
    publicUrl,
    corsOrigins,
    pushAllowedHosts,
    adminUsername,
    databaseUrl,
    smtpUrl,
    serviceAccount,
  } = config;
  assert.equal(
    { port, publicUrl, corsOrigins, pushAllowedHosts, adminUsername },
    {
      port: 3000,
      publicUrl: 'http://localhost:3000',
      corsOrigins: [],
      pushAllowedHosts: [],
      adminUsername: 'admin',
    },
  );
  assert.equal(
    [databaseUrl, smtpUrl, serviceAccount, config.adminPassword],
    [undefined, undefined, undefined, undefined],
  );
});

test('treats an empty variable as unset', () => {
  assert.is(read({ SMTP_URL: '', PORT: '', ADMIN_PASSWORD: '' }).port, 3000);
});

test('creates a secret once, and keeps it readable by its owner only', () => {
  const secret = loadOrCreateSecret(join(folder, 'new', 'data'));
  assert.ok(Buffer.byteLength(secret) >= 32);
  assert.is(loadOrCreateSecret(join(folder, 'new', 'data')), secret);
  assert.is(statSync(join(folder, 'new', 'data', 'jwt-secret')).mode & 0o777, 0o600);
});

test('reads a hand-written secret without the line end', () => {
  const secret = 'a secret of more than thirty-two bytes';
  writeFileSync(join(folder, 'jwt-secret'), `${secret}\n`);
  assert.is(loadOrCreateSecret(folder), secret);
});

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const rsa = pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey);
const elliptic = pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const account = (private_key: string, token_uri?: string): string =>
  JSON.stringify({
    project_id: 'p',
    client_email: 'e',
    private_key,
    token_uri,
    type: 'service_account',
  });

for (const [name, value, reason] of [
  ['PORT', 'http', /^PORT must be a port number/],
  ['HSTS_INCLUDE_SUBDOMAINS', 'yes', /^HSTS_INCLUDE_SUBDOMAINS must be true or false\.$/],
  ['PORT', '70000', /^PORT must be at most 65535/],
  ['PUBLIC_URL', 'bell.example', /^PUBLIC_URL must be a URL/],
  ['PUBLIC_URL', 'ftp://bell.example', /^PUBLIC_URL must be a URL/],
  ['PUBLIC_URL', 'https://bell.example/app', /^PUBLIC_URL must be .* without a path/],
  ['PUBLIC_URL', 'https://bell.example/?a=b', /^PUBLIC_URL must be .* query/],
  ['PUBLIC_URL', 'https://bell.example/#home', /^PUBLIC_URL must be/],
  ['PUBLIC_URL', 'https://ana:secret@bell.example', /^PUBLIC_URL must be .* username/],
  ['HOST', 'http://127.0.0.1', /^HOST must be an address of this machine/],
  ['HOST', '127.0.0.1:3000', /^HOST must be an address of this machine/],
  [
    'DATABASE_URL',
    'postgres://bell@db/bell?sslrootcert=/no/such/file.pem',
    /^DATABASE_URL is not a valid connection URL/,
  ],
  ['DATABASE_URL', 'mysql://x', /^DATABASE_URL must begin with postgres/],
  ['JWT_SECRET', 'thirty-one bytes are not enough', /^JWT_SECRET must have at least 32 bytes/],
  ['CORS_ORIGINS', '*', /^CORS_ORIGINS must list origins/],
  ['CORS_ORIGINS', 'https://a.example, https://b.example/', /^CORS_ORIGINS must list origins/],
  ['TRUSTED_PROXIES', 'proxy.example', /^TRUSTED_PROXIES must list IP addresses/],
  ['TRUSTED_PROXIES', '10.0.0.0/33', /^TRUSTED_PROXIES must list IP addresses/],
  ['TRUSTED_PROXIES', '::1/129', /^TRUSTED_PROXIES must list IP addresses/],
  ['TRUSTED_PROXIES', 'fe80::1%eth0', /^TRUSTED_PROXIES must list IP addresses/],
  ['TRUSTED_PROXIES', '10.0.0.0/', /^TRUSTED_PROXIES must list IP addresses/],
  ['PUSH_ALLOWED_HOSTS', 'https://push.internal', /^PUSH_ALLOWED_HOSTS must list hosts/],
  ['PUSH_ALLOWED_HOSTS', 'push.internal, push.internal:x', /^PUSH_ALLOWED_HOSTS must list hosts/],
  ['PUSH_ALLOWED_HOSTS', 'push.internal/path', /^PUSH_ALLOWED_HOSTS must list hosts/],
  ['WEBHOOK_ALLOWED_HOSTS', 'https://sms.internal', /^WEBHOOK_ALLOWED_HOSTS must list hosts/],
  ['DRAIN_SECONDS', 'long', /^DRAIN_SECONDS must be a number of seconds\.$/],
  ['DRAIN_SECONDS', '61', /^DRAIN_SECONDS must be at most 60 seconds\.$/],
  ['READS_PER_SECOND', 'many', /^READS_PER_SECOND must be a number from 0 to 9999\.$/],
  ['AUDIT_DAYS', 'a year', /^AUDIT_DAYS must be a number of days, such as 365\.$/],
  ['AUDIT_DAYS', '-1', /^AUDIT_DAYS must be a number of days, such as 365\.$/],
  ['AUDIT_DAYS', '29', /^AUDIT_DAYS must be at least 30 days\.$/],
  ['AUDIT_DAYS', '3651', /^AUDIT_DAYS must be at most 3650 days\.$/],
  ['SMTP_URL', 'smtp:', /^SMTP_URL must include a host/],
  ['SMTP_URL', 'smtp:///', /^SMTP_URL must include a host/],
  ['SMTP_URL', 'smtp://bell:50%off@mail.example', /^SMTP_URL must include a host, .* %25/],
  ['SMTP_URL', 'https://mail.example', /^SMTP_URL must begin with smtp/],
  ['SMTP_URL', 'mail.example:25', /^SMTP_URL must begin with smtp/],
  ['MAIL_FROM', 'a@b.example\nBcc: x@y.example', /^MAIL_FROM must be an email address/],
  ['MAIL_FROM', 'Bell <@>', /^MAIL_FROM must be an email address/],
  ['MAIL_FROM', 'a@b.example, c@d.example', /^MAIL_FROM must be an email address/],
  ['VAPID_SUBJECT', 'mailto:', /^VAPID_SUBJECT must be mailto: followed/],
  ['VAPID_SUBJECT', 'ops@bell.example', /^VAPID_SUBJECT must begin with mailto/],
  ['METRICS_TOKEN', 'too short', /^METRICS_TOKEN must be at least 16/],
  ['ADMIN_PASSWORD', 'short', /^ADMIN_PASSWORD must have at least 8/],
  ['FIREBASE_SERVICE_ACCOUNT', '{"project_id":"x"}', /^FIREBASE_SERVICE_ACCOUNT must be/],
  [
    'FIREBASE_SERVICE_ACCOUNT',
    account('-----BEGIN PRIVATE KEY-----\nbm9uc2Vuc2U=\n-----END PRIVATE KEY-----\n'),
    /^FIREBASE_SERVICE_ACCOUNT has a private_key that is not an RSA key/,
  ],
  [
    'FIREBASE_SERVICE_ACCOUNT',
    account(elliptic),
    /^FIREBASE_SERVICE_ACCOUNT has a private_key that is not an RSA key/,
  ],
  [
    'FIREBASE_SERVICE_ACCOUNT',
    account(rsa, 'http://oauth2.googleapis.com/token'),
    /^FIREBASE_SERVICE_ACCOUNT has a token_uri that is not an https URL/,
  ],
  ['FIREBASE_SERVICE_ACCOUNT', '/no/such/file.json', /^FIREBASE_SERVICE_ACCOUNT must be/],
] as const) {
  test(`rejects ${name}=${value.split('\n')[0]?.slice(0, 60)} by name, without the value (${reason.source})`, () => {
    try {
      read({ [name]: value });
      assert.unreachable();
    } catch (error) {
      assert.instance(error, ConfigError);
      assert.match((error as Error).message, reason);
      assert.not.match((error as Error).message, /secret@|50%off|bm9uc2Vuc2U|oauth2/);
      if (name === 'JWT_SECRET' || name === 'ADMIN_PASSWORD')
        assert.not.match((error as Error).message, value);
    }
  });
}

test('rejects a kept secret that is too weak', () => {
  writeFileSync(join(folder, 'jwt-secret'), 'weak');
  assert.throws(() => loadOrCreateSecret(folder), /^The file jwt-secret in DATA_DIR/);
});

test('reads the service account from a file or as JSON', () => {
  const expected = {
    project_id: 'p',
    client_email: 'e',
    private_key: rsa,
    token_uri: 'https://oauth2.googleapis.com/token',
  };
  const file = join(folder, 'account.json');
  writeFileSync(file, account(rsa));
  assert.equal(read({ FIREBASE_SERVICE_ACCOUNT: account(rsa) }).serviceAccount, expected);
  assert.equal(read({ FIREBASE_SERVICE_ACCOUNT: file }).serviceAccount, expected);
});

test('drops a trailing slash of PUBLIC_URL', () => {
  assert.is(read({ PUBLIC_URL: 'https://bell.example/' }).publicUrl, 'https://bell.example');
});

test('accepts valid settings: port 0, IPv6, names with spaces, hosts with ports', () => {
  const { port, host, mailFrom, trustedProxies, smtpUrl, ...config } = read({
    PORT: '0',
    HOST: '::1',
    MAIL_FROM: 'Field Bell <no-reply@bell.example>',
    PUSH_ALLOWED_HOSTS: 'push.internal, localhost:8443, [::1]:8443',
    WEBHOOK_ALLOWED_HOSTS: 'sms.internal,10.0.0.7',
    TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8',
    SMTP_URL: 'smtps://bell:50%25off@mail.example',
    VAPID_SUBJECT: 'mailto:ops@bell.example',
    DATABASE_URL: 'postgres:///bell?host=/var/run/postgresql',
  });
  assert.equal([port, host, mailFrom], [0, '::1', 'Field Bell <no-reply@bell.example>']);
  assert.equal(config.pushAllowedHosts, ['push.internal', 'localhost:8443', '[::1]:8443']);
  assert.equal(config.webhookAllowedHosts, ['sms.internal', '10.0.0.7']);
  assert.equal(
    [
      trustedProxies.check('10.9.9.9'),
      trustedProxies.check('fd12::1', 'ipv6'),
      trustedProxies.check('11.0.0.1'),
    ],
    [true, true, false],
  );
  assert.is(smtpUrl, 'smtps://bell:50%25off@mail.example');
});

test('reports misspelled variables, and ignores those of other programs', () => {
  const others = {
    PATH: '/bin',
    HOSTNAME: 'x',
    POST: 'x',
    HTTP_URL: 'x',
    PORTS: 'x',
    LOGNAME: 'x',
    NODE_ENV: 'x',
    XDG_DATA_DIRS: 'x',
    API_HOST: 'x',
    SMTP_URL: 'x',
  };
  assert.equal(
    findMisspelled({
      ...others,
      PUBLIC_URI: 'x',
      smtp_url: 'x',
      JWT_SECRETS: '',
      ADMIN_PASWORD: 'x',
    }),
    [
      ['PUBLIC_URI', 'PUBLIC_URL'],
      ['smtp_url', 'SMTP_URL'],
      ['ADMIN_PASWORD', 'ADMIN_PASSWORD'],
    ],
  );
});

for (const [listed, trusted, strangers] of [
  ['10.0.0.1', ['10.0.0.1'], ['10.0.0.0', '10.0.0.2']],
  ['10.0.0.0/30', ['10.0.0.0', '10.0.0.3'], ['10.0.0.4', '11.0.0.0']],
  ['2001:db8::1', ['2001:db8::1'], ['2001:db8::2', '2001:db8:0:1::1']],
  ['2001:db8::/64', ['2001:db8::ffff'], ['2001:db8:0:1::1']],
  ['10.0.0.1,2001:db8::1', ['10.0.0.1', '2001:db8::1'], ['10.0.0.2', '2001:db8::2']],
  ['', [], ['127.0.0.1', '::1']],
] as const) {
  test(`trusts exactly the proxies listed as "${listed}"`, () => {
    const { trustedProxies } = read({ TRUSTED_PROXIES: listed });
    const isTrusted = (address: string): boolean =>
      trustedProxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
    assert.equal([...trusted, ...strangers].filter(isTrusted), trusted);
  });
}

const OIDC = {
  OIDC_ISSUER: 'https://id.northgrid.example/realm',
  OIDC_CLIENT_ID: 'fieldbell',
  OIDC_CLIENT_SECRET: 'secret-6',
  OIDC_COMPANY: 'Northgrid',
};
const rejection = (environment: Record<string, string>): string => {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
};

test('requires all company sign-in settings, over https or on this machine', () => {
  assert.equal([read(OIDC).oidc?.company, read(OIDC).oidc?.trustEmail], ['Northgrid', false]);
  assert.is(read({ ...OIDC, OIDC_TRUST_EMAIL: 'on' }).oidc?.trustEmail, true);
  assert.match(
    rejection({ ...OIDC, OIDC_TRUST_EMAIL: 'yes' }),
    /^OIDC_TRUST_EMAIL must be on or off/,
  );
  assert.is(read().oidc, undefined);
  for (const name of Object.keys(OIDC))
    assert.match(rejection({ ...OIDC, [name]: '' }), new RegExp(`^${name} is missing`));
  for (const issuer of [
    'http://id.example',
    'https://id.example/?x=1',
    'https://id.example/#x',
    'id',
  ])
    assert.match(rejection({ ...OIDC, OIDC_ISSUER: issuer }), /^OIDC_ISSUER must be/);
  for (const issuer of ['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000'])
    assert.is(rejection({ ...OIDC, OIDC_ISSUER: issuer }), '');
  assert.match(rejection({ ...OIDC, OIDC_COMPANY: 'x'.repeat(41) }), /^OIDC_COMPANY must have/);
  assert.match(
    rejection({ ...OIDC, OIDC_CALLBACK_URL: 'https://api.example/back' }),
    /^OIDC_CALLBACK_URL must end/,
  );
});

test('names every wrong variable at once', () => {
  assert.equal(
    rejection({
      PORT: 'x',
      SMTP_URL: 'mail',
      OIDC_ISSUER: 'https://id.example',
      DATABASE_URL_FILE: '/no',
    })
      .split('\n')
      .map((line) => line.split(' ')[0]),
    [
      'DATABASE_URL_FILE',
      'PORT',
      'SMTP_URL',
      'OIDC_CLIENT_ID',
      'OIDC_CLIENT_SECRET',
      'OIDC_COMPANY',
    ],
  );
});

test('reads every secret from a file or from a credential of systemd', () => {
  const secrets = {
    DATABASE_URL: 'postgres://bell:secret@db/bell',
    JWT_SECRET: 'secret-2 of more than thirty-two bytes',
    SMTP_URL: 'smtp://bell:secret@mail.example',
    FIREBASE_SERVICE_ACCOUNT: account(rsa),
    OIDC_CLIENT_SECRET: 'secret-6',
    METRICS_TOKEN: 'secret-4-for-prometheus',
    ADMIN_PASSWORD: 'secret-5 with a space ',
  };
  const files: Record<string, string> = {};
  for (const [name, secret] of Object.entries(secrets)) {
    files[`${name}_FILE`] = join(folder, name);
    writeFileSync(join(folder, name), `${secret}\n`);
  }
  const others = { ...OIDC, OIDC_CLIENT_SECRET: '' };
  const expected = read({ ...others, ...secrets });
  assert.equal(read({ ...others, ...files }), expected);
  assert.equal(read({ ...others, CREDENTIALS_DIRECTORY: folder }), expected);
  assert.equal(findMisspelled(files), []);
  const environment = { ...others, CREDENTIALS_DIRECTORY: folder };
  assert.is(describeSettings(read(environment), environment).metricsToken, 'set');
  assert.match(
    rejection({ ...files, SMTP_URL: 'smtp://a' }),
    /^SMTP_URL and SMTP_URL_FILE are both/,
  );
  assert.is(read({ JWT_SECRET: 'x'.repeat(40), ...environment }).jwtSecret, 'x'.repeat(40));
  writeFileSync(join(folder, 'empty'), '\n');
  assert.match(
    rejection({ JWT_SECRET_FILE: join(folder, 'empty') }),
    /^JWT_SECRET_FILE names a file that is empty/,
  );
  assert.match(
    rejection({ JWT_SECRET_FILE: '/dev/zero' }),
    /^JWT_SECRET_FILE names a file that is larger than/,
  );
});

test('rejects PASSWORD_SIGN_IN=off without company sign-in', () => {
  assert.match(rejection({ PASSWORD_SIGN_IN: 'off' }), /^PASSWORD_SIGN_IN=off needs OIDC_ISSUER/);
  assert.is(read({ ...OIDC, PASSWORD_SIGN_IN: 'off' }).passwordSignIn, false);
  assert.match(rejection({ ADMIN_TOTP: 'yes' }), /^ADMIN_TOTP must be off, optional or required/);
});

test('allows passkeys only where browsers do, and beside passwords', () => {
  const PASSKEYS = 'true';
  for (const PUBLIC_URL of ['http://bell.example', 'https://10.0.0.1', 'https://[::1]:8443'])
    assert.match(rejection({ PASSKEYS, PUBLIC_URL }), /^PASSKEYS=true needs a PUBLIC_URL that/);
  for (const PUBLIC_URL of ['', 'http://localhost:3000', 'https://bell.example'])
    assert.ok(read({ PASSKEYS, PUBLIC_URL }).passkeys);
  assert.match(
    rejection({ ...OIDC, PASSKEYS, PASSWORD_SIGN_IN: 'off' }),
    /^PASSKEYS=true needs PASSWORD_SIGN_IN=on/,
  );
});

test('keeps secrets out of the settings report', () => {
  const environment = {
    DATABASE_URL: 'postgres://bell:secret-1@db/bell',
    JWT_SECRET: 'secret-2 of more than thirty-two bytes',
    SMTP_URL: 'smtp://bell:secret-3@mail.example',
    METRICS_TOKEN: 'secret-4-for-prometheus',
    ADMIN_PASSWORD: 'secret-5',
    FIREBASE_SERVICE_ACCOUNT: account(rsa),
    HOST: '127.0.0.1',
    PUBLIC_URL: 'https://bell.example',
    CORS_ORIGINS: 'https://app.example,https://other.example',
    TRUSTED_PROXIES: '10.0.0.0/8',
    PUSH_ALLOWED_HOSTS: 'secret-host.internal,secret-host.internal:8443',
    WEBHOOK_ALLOWED_HOSTS: 'secret-host.internal',
    ...OIDC,
    PASSWORD_SIGN_IN: 'off',
    ADMIN_TOTP: 'required',
  };
  const described = describeSettings(read(environment), environment);
  assert.equal(described, {
    publicUrl: 'https://bell.example',
    host: '127.0.0.1',
    database: 'postgres',
    dataDir: folder,
    jwtSecret: 'set',
    corsOrigins: 'https://app.example https://other.example',
    trustedProxies: '10.0.0.0/8',
    pushAllowedHosts: 2,
    webhookAllowedHosts: 1,
    fcm: 'set',
    mail: 'SMTP',
    defaultLanguage: 'en',
    auditDays: 365,
    messageDays: 365,
    readsPerSecond: 20,
    drainSeconds: 0,
    logLevel: 'info',
    oidc: 'set',
    passwordSignIn: 'off',
    adminTotp: 'required',
    passkeys: 'off',
    metricsToken: 'set',
    adminPassword: 'set',
  });
  assert.not.match(JSON.stringify(described), /secret-|PRIVATE KEY/);
});

test('knows contacts that Apple rejects', () => {
  const rejected = ['mailto:a@localhost', 'mailto:fieldbell@example.com', 'https://bell.example'];
  for (const subject of [...rejected, 'https://localhost:3000', 'mailto:Bell <a@b.test>'])
    assert.ok(isRejectedByApple(subject), subject);
  for (const subject of [
    'mailto:ops@northgrid.com',
    'https://bell.northgrid.com',
    'mailto:a@myexample.com',
  ])
    assert.not(isRejectedByApple(subject), subject);
});

test('describes settings that have their defaults', () => {
  assert.equal(describeSettings(read(), {}), {
    publicUrl: 'http://localhost:3000',
    host: 'all interfaces',
    database: 'sqlite',
    dataDir: folder,
    jwtSecret: 'stored in DATA_DIR',
    corsOrigins: 'none',
    trustedProxies: 'none',
    pushAllowedHosts: 0,
    webhookAllowedHosts: 0,
    fcm: 'unset',
    mail: 'written to files in DATA_DIR',
    defaultLanguage: 'en',
    auditDays: 365,
    messageDays: 365,
    readsPerSecond: 20,
    drainSeconds: 0,
    logLevel: 'info',
    oidc: 'unset',
    passwordSignIn: 'on',
    adminTotp: 'off',
    passkeys: 'off',
    metricsToken: 'unset',
    adminPassword: 'unset',
  });
});

test.run();
