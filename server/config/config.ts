/**
 * The server's configuration: environment variables, all optional, documented in README. A value
 * that cannot be meant stops the start with a sentence that names its variable.
 */
import { existsSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import * as v from 'valibot';
import { isConnectionString } from '../db/postgres';
import { MAX_USERNAME } from '../lib/fields';
import { readServiceAccount } from './service-account';
import { loadOrCreateSecret } from './secret-file';

/** The configuration does not make sense; the message is for the person who wrote it. */
export class ConfigError extends Error {}

/** RFC 7518, section 3.2: the key of HS256 has at least as many bits as the hash. */
const SECRET_BYTES = 32;

const list = v.pipe(
  v.string(),
  v.transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
);

const withProtocol =
  (...protocols: string[]) =>
  (text: string): boolean =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol);
const webAddress = withProtocol('http:', 'https:');
const isOrigin = (text: string): boolean => webAddress(text) && new URL(text).origin === text;
/**
 * Pages of the app lie at the root, so a path, like everything else behind the host, could only
 * make links that lead nowhere.
 */
const isRoot = (text: string): boolean =>
  webAddress(text) && new URL(text).href === `${new URL(text).origin}/` && !/[?#]/.test(text);
const isNetwork = (text: string): boolean =>
  /^[^/%]+(\/\d{1,3})?$/.test(text) && isIP(text.split('/')[0] ?? '') !== 0;
const isHost = (text: string): boolean =>
  isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text);
/** As push endpoints are compared with it: `host` or `host:port`, an IPv6 address in brackets. */
const isHostPort = (text: string): boolean =>
  URL.canParse(`https://${text}`) && /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d+)?$/i.test(text);

/** `mail@host` or `Name <mail@host>`: one address, which a mail server takes as it is. */
const isMailAddress = (text: string): boolean =>
  /^([^<>@\r\n,;]*<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/.test(text.trim());
const isContact = (text: string): boolean =>
  text.startsWith('mailto:')
    ? isMailAddress(text.slice('mailto:'.length))
    : withProtocol('https:')(text);

function isMailServer(text: string): boolean {
  if (!withProtocol('smtp:', 'smtps:')(text)) return false;
  const { hostname, username, password } = new URL(text);
  try {
    // As nodemailer will read it: a per cent sign that is meant must be written %25.
    return hostname !== '' && decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

const schema = v.object({
  PORT: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d+$/, 'must be a number'),
      v.transform(Number),
      v.maxValue(65_535, 'must be at most 65535'),
    ),
    '3000',
  ),
  HOST: v.optional(
    v.pipe(
      v.string(),
      v.check(isHost, 'must be an address of this machine, such as 127.0.0.1 or ::1'),
    ),
  ),
  PUBLIC_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(webAddress, 'must be an address such as https://bell.example'),
      v.check(
        isRoot,
        'must be an address such as https://bell.example, without a path, a query or a name to sign in with',
      ),
    ),
  ),
  DATA_DIR: v.optional(v.string(), './data'),
  DATABASE_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(withProtocol('postgres:', 'postgresql:'), 'must begin with postgres://'),
      v.check(
        isConnectionString,
        'cannot be read; see its parameters, and the files that they name',
      ),
    ),
  ),
  JWT_SECRET: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (text) => Buffer.byteLength(text) >= SECRET_BYTES,
        `must have at least ${SECRET_BYTES} bytes; leave it out and one is made`,
      ),
    ),
  ),
  CORS_ORIGINS: v.optional(
    v.pipe(
      list,
      v.everyItem(isOrigin, 'must list origins such as https://app.example, without a path'),
    ),
    '',
  ),
  TRUSTED_PROXIES: v.optional(
    v.pipe(list, v.everyItem(isNetwork, 'must list addresses such as 10.0.0.1 or 10.0.0.0/8')),
    '',
  ),
  PUSH_ALLOWED_HOSTS: v.optional(
    v.pipe(
      list,
      v.everyItem(
        isHostPort,
        'must list hosts such as push.internal or push.internal:8443, without https://',
      ),
    ),
    '',
  ),
  FIREBASE_SERVICE_ACCOUNT: v.optional(v.string()),
  SMTP_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(withProtocol('smtp:', 'smtps:'), 'must begin with smtp:// or smtps://'),
      v.check(
        isMailServer,
        'must name a host, such as smtp://user:password@mail.example:587, with % written as %25',
      ),
    ),
  ),
  MAIL_FROM: v.optional(
    v.pipe(
      v.string(),
      v.check(isMailAddress, 'must be a mail address, such as Fieldbell <no-reply@bell.example>'),
    ),
  ),
  VAPID_SUBJECT: v.optional(
    v.pipe(
      v.string(),
      v.check(withProtocol('mailto:', 'https:'), 'must begin with mailto: or https://'),
      v.check(isContact, 'must be mailto: with a mail address, or an address with https://'),
    ),
  ),
  HSTS_INCLUDE_SUBDOMAINS: v.optional(
    v.picklist(['true', 'false'], 'must be true or false'),
    'false',
  ),
  METRICS_TOKEN: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[\x21-\x7e]{16,}$/, 'must be at least 16 visible ASCII characters'),
    ),
  ),
  ADMIN_USERNAME: v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1, 'must not be blank'),
      v.maxLength(MAX_USERNAME, `must have at most ${MAX_USERNAME} characters`),
    ),
    'admin',
  ),
  ADMIN_PASSWORD: v.optional(
    v.pipe(
      v.string(),
      v.minLength(8, 'must have at least 8 characters'),
      v.maxLength(1024, 'must have at most 1024 characters'),
    ),
  ),
});

export interface Config extends ReturnType<typeof readConfig> {}

export const VARIABLES = Object.keys(schema.entries);

/** A variable that is set to nothing counts as not set, as in `SMTP_URL= npm start`. */
export function present(environment: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]) =>
    value ? [[name, value] as const] : [],
  );
  return Object.fromEntries(entries);
}

/**
 * Loads `.env` from the working directory, if there is one; what the environment says already wins.
 */
export function loadEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

const accountFaults = {
  unreadable: 'must be the path of a service account file, or its JSON.',
  'bad-key':
    'has a private_key that is no RSA key in PEM. Download the file once more from the Firebase console.',
  'bad-token-uri':
    'has a token_uri that is no https address. Download the file once more from the Firebase console.',
} as const;

/**
 * Reads and checks the variables, and makes `JWT_SECRET` if there is none. Creates `DATA_DIR` when
 * it does.
 * @throws ConfigError naming the first variable that is wrong; never shows its value, which may be
 * a secret
 */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const parsed = v.safeParse(schema, present(environment));
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new ConfigError(`${String(issue.path?.[0]?.key)} ${issue.message}.`);
  }
  const values = parsed.output;
  const publicUrl = (values.PUBLIC_URL ?? `http://localhost:${values.PORT}`).replace(/\/+$/, '');
  const { hostname } = new URL(publicUrl);
  const serviceAccount = readServiceAccount(values.FIREBASE_SERVICE_ACCOUNT);
  if (typeof serviceAccount === 'string')
    throw new ConfigError(`FIREBASE_SERVICE_ACCOUNT ${accountFaults[serviceAccount]}`);
  const secret = values.JWT_SECRET ?? loadOrCreateSecret(join(values.DATA_DIR, 'jwt-secret'));
  if (Buffer.byteLength(secret) < SECRET_BYTES) {
    throw new ConfigError(
      `JWT_SECRET as kept in DATA_DIR must have at least ${SECRET_BYTES} bytes; delete the file and one is made.`,
    );
  }
  return {
    port: values.PORT,
    host: values.HOST,
    publicUrl,
    /**
     * Whether the address above is only a guess, which a port chosen by the system (PORT=0) would
     * make wrong.
     */
    publicUrlGuessed: values.PUBLIC_URL === undefined,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    jwtSecret: secret,
    corsOrigins: values.CORS_ORIGINS,
    trustedProxies: readNetworks(values.TRUSTED_PROXIES),
    pushAllowedHosts: values.PUSH_ALLOWED_HOSTS,
    serviceAccount,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? `Fieldbell <no-reply@${hostname}>`,
    // Push services want to know whom to ask (RFC 8292, section 2.1); some refuse a subject that
    // nobody could reach.
    vapidSubject:
      values.VAPID_SUBJECT ??
      (publicUrl.startsWith('https:') ? publicUrl : 'mailto:fieldbell@example.com'),
    hstsIncludeSubdomains: values.HSTS_INCLUDE_SUBDOMAINS === 'true',
    metricsToken: values.METRICS_TOKEN,
    adminUsername: values.ADMIN_USERNAME,
    adminPassword: values.ADMIN_PASSWORD,
  };
}

function readNetworks(networks: string[]): BlockList {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const bits = prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix);
    if (bits > (family === 'ipv6' ? 128 : 32))
      throw new ConfigError('TRUSTED_PROXIES must list addresses such as 10.0.0.1 or 10.0.0.0/8.');
    trusted.addSubnet(address, bits, family);
  }
  return trusted;
}
