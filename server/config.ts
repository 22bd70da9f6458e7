/**
 * The server's configuration: environment variables, all optional, documented in README. A value that cannot be meant
 * stops the start with a sentence that names its variable.
 */
import { existsSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import * as v from 'valibot';
import { MOST_USERNAME } from './http/fields';
import { readServiceAccount } from './service-account';
import { keepSecret } from './secret';

/** The configuration does not make sense; the message is for the person who wrote it. */
export class ConfigError extends Error {}

/** RFC 7518, section 3.2: the key of HS256 has at least as many bits as the hash. */
const SECRET_BYTES = 32;

const list = v.pipe(
  v.string(),
  v.transform((text) => text.split(',').map((item) => item.trim()).filter((item) => item !== '')),
);

const webAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
const isOrigin = (text: string): boolean => webAddress(text) && new URL(text).origin === text;
const isNetwork = (text: string): boolean => /^[^/]+(\/\d{1,3})?$/.test(text) && isIP(text.split('/')[0] ?? '') !== 0;
const withProtocol =
  (...protocols: string[]) =>
  (text: string): boolean =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol);

const schema = v.object({
  PORT: v.optional(v.pipe(v.string(), v.regex(/^\d+$/, 'must be a number'), v.transform(Number), v.maxValue(65_535, 'must be at most 65535')), '3000'),
  PUBLIC_URL: v.optional(v.pipe(v.string(), v.check(webAddress, 'must be an address such as https://bell.example'))),
  DATA_DIR: v.optional(v.string(), './data'),
  DATABASE_URL: v.optional(v.pipe(v.string(), v.check(withProtocol('postgres:', 'postgresql:'), 'must begin with postgres://'))),
  JWT_SECRET: v.optional(v.pipe(v.string(), v.check((text) => Buffer.byteLength(text) >= SECRET_BYTES, `must have at least ${SECRET_BYTES} bytes; leave it out and one is made`))),
  CORS_ORIGINS: v.optional(v.pipe(list, v.everyItem(isOrigin, 'must list origins such as https://app.example, without a path')), ''),
  TRUSTED_PROXIES: v.optional(v.pipe(list, v.everyItem(isNetwork, 'must list addresses such as 10.0.0.1 or 10.0.0.0/8')), ''),
  PUSH_ALLOWED_HOSTS: v.optional(list, ''),
  FIREBASE_SERVICE_ACCOUNT: v.optional(v.string()),
  SMTP_URL: v.optional(v.pipe(v.string(), v.check(withProtocol('smtp:', 'smtps:'), 'must begin with smtp:// or smtps://'))),
  MAIL_FROM: v.optional(v.pipe(v.string(), v.check((text) => !/[\r\n]/.test(text) && text.includes('@'), 'must be a mail address'))),
  VAPID_SUBJECT: v.optional(v.pipe(v.string(), v.check(withProtocol('mailto:', 'https:'), 'must begin with mailto: or https://'))),
  METRICS_TOKEN: v.optional(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{16,}$/, 'must be at least 16 visible ASCII characters'))),
  ADMIN_USERNAME: v.optional(v.pipe(v.string(), v.trim(), v.minLength(1, 'must not be blank'), v.maxLength(MOST_USERNAME, `must have at most ${MOST_USERNAME} characters`)), 'admin'),
  ADMIN_PASSWORD: v.optional(v.pipe(v.string(), v.minLength(8, 'must have at least 8 characters'), v.maxLength(1024, 'must have at most 1024 characters'))),
});

export interface Config extends ReturnType<typeof readConfig> {}

/** A variable that is set to nothing counts as not set, as in `SMTP_URL= npm start`. */
function present(environment: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return Object.fromEntries(entries);
}

/** Loads `.env` from the working directory, if there is one; what the environment says already wins. */
export function loadEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

/**
 * Reads and checks the variables, and makes `JWT_SECRET` if there is none. Creates `DATA_DIR` when it does.
 * @throws ConfigError naming the first variable that is wrong; never shows its value, which may be a secret
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
  if (serviceAccount === 'unreadable') {
    throw new ConfigError('FIREBASE_SERVICE_ACCOUNT must be the path of a service account file, or its JSON.');
  }
  const secret = values.JWT_SECRET ?? keepSecret(join(values.DATA_DIR, 'jwt-secret'));
  if (Buffer.byteLength(secret) < SECRET_BYTES) {
    throw new ConfigError(`JWT_SECRET as kept in DATA_DIR must have at least ${SECRET_BYTES} bytes; delete the file and one is made.`);
  }
  return {
    port: values.PORT,
    publicUrl,
    /** Whether the address above is only a guess, which a port chosen by the system (PORT=0) would make wrong. */
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
    // Push services want to know whom to ask (RFC 8292, section 2.1); some refuse a subject that nobody could reach.
    vapidSubject: values.VAPID_SUBJECT ?? (publicUrl.startsWith('https:') ? publicUrl : 'mailto:fieldbell@example.com'),
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
    if (bits > (family === 'ipv6' ? 128 : 32)) throw new ConfigError('TRUSTED_PROXIES must list addresses such as 10.0.0.1 or 10.0.0.0/8.');
    trusted.addSubnet(address, bits, family);
  }
  return trusted;
}
