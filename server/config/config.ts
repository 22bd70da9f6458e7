/** The configuration from environment variables, all optional. A bad value stops the start. */
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { readServiceAccount } from './service-account';
import { SECRET_BYTES, variables } from './variables';

export class ConfigError extends Error {}

export interface Config extends ReturnType<typeof readConfig> {}

/** An empty variable counts as not set, as in `SMTP_URL= npm start`. */
export function present(environment: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]) =>
    value ? [[name, value] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** Loads `.env` from the working directory, if any. The environment wins. */
export function loadEnvironment(): NodeJS.ProcessEnv {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

const accountFaults = {
  unreadable: 'must be the path of a service account file, or its content as JSON.',
  'bad-key':
    'has a private_key that is not an RSA key in PEM format. Download the file again from the Firebase console.',
  'bad-token-uri':
    'has a token_uri that is not an https URL. Download the file again from the Firebase console.',
} as const;

/** @throws ConfigError with the name of the first wrong variable, never its value */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const parsed = v.safeParse(variables, present(environment));
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new ConfigError(`${String(issue.path?.[0]?.key)} ${issue.message}.`);
  }
  const values = parsed.output;
  const publicUrl = (values.PUBLIC_URL ?? `http://localhost:${values.PORT}`).replace(
    /\/{1,9}$/,
    '',
  );
  const serviceAccount = readServiceAccount(values.FIREBASE_SERVICE_ACCOUNT);
  if (typeof serviceAccount === 'string')
    throw new ConfigError(`FIREBASE_SERVICE_ACCOUNT ${accountFaults[serviceAccount]}`);
  if (values.PASSWORD_SIGN_IN === 'off' && values.OIDC_ISSUER === undefined)
    throw new ConfigError(
      'PASSWORD_SIGN_IN=off needs OIDC_ISSUER. Without it, no one can sign in.',
    );
  const secret = values.JWT_SECRET ?? loadOrCreateSecret(join(values.DATA_DIR, 'jwt-secret'));
  if (Buffer.byteLength(secret) < SECRET_BYTES) {
    throw new ConfigError(
      `JWT_SECRET in DATA_DIR must have at least ${SECRET_BYTES} bytes. Delete the file jwt-secret to create a new one.`,
    );
  }
  return {
    port: values.PORT,
    host: values.HOST,
    publicUrl,
    /** Whether `publicUrl` is a guess, which PORT=0 would make wrong. */
    publicUrlGuessed: values.PUBLIC_URL === undefined,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    jwtSecret: secret,
    corsOrigins: values.CORS_ORIGINS,
    trustedProxies: readNetworks(values.TRUSTED_PROXIES),
    pushAllowedHosts: values.PUSH_ALLOWED_HOSTS,
    webhookAllowedHosts: values.WEBHOOK_ALLOWED_HOSTS,
    serviceAccount,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? byAddress(publicUrl).mailFrom,
    vapidSubject: values.VAPID_SUBJECT ?? byAddress(publicUrl).vapidSubject,
    hstsIncludeSubdomains: values.HSTS_INCLUDE_SUBDOMAINS === 'true',
    messageDays: values.MESSAGE_DAYS,
    readsPerSecond: values.READS_PER_SECOND,
    drainSeconds: values.DRAIN_SECONDS,
    metricsToken: values.METRICS_TOKEN,
    auditDays: values.AUDIT_DAYS,
    oidc: readOidc(values),
    passwordSignIn: values.PASSWORD_SIGN_IN === 'on',
    adminTotp: values.ADMIN_TOTP,
    adminUsername: values.ADMIN_USERNAME,
    adminPassword: values.ADMIN_PASSWORD,
  };
}

export const byAddress = (publicUrl: string) => ({
  mailFrom: `Fieldbell <no-reply@${new URL(publicUrl).hostname}>`,
  // Push services want a contact (RFC 8292, section 2.1); some reject one that is not reachable.
  vapidSubject: publicUrl.startsWith('https:') ? publicUrl : 'mailto:fieldbell@example.com',
});

function readNetworks(networks: string[]): BlockList {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const bits = prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix);
    if (bits > (family === 'ipv6' ? 128 : 32))
      throw new ConfigError(
        'TRUSTED_PROXIES must list IP addresses or networks such as 10.0.0.1 or 10.0.0.0/8.',
      );
    trusted.addSubnet(address, bits, family);
  }
  return trusted;
}

export interface Oidc {
  issuer: string;
  clientId: string;
  clientSecret: string;
  company: string;
  callbackUrl: string | undefined;
  /** Whether to trust an email that the provider does not declare verified or not. */
  trustEmail: boolean;
}

/** All variables or none. @throws ConfigError naming the first missing one */
function readOidc(values: v.InferOutput<typeof variables>): Oidc | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = values;
  const { OIDC_CLIENT_SECRET: clientSecret, OIDC_COMPANY: company } = values;
  const given = { issuer, clientId, clientSecret, company };
  if (Object.values(given).every((value) => value === undefined)) return undefined;
  const lacks =
    'is missing. Set OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_COMPANY together.';
  if (issuer === undefined) throw new ConfigError(`OIDC_ISSUER ${lacks}`);
  if (clientId === undefined) throw new ConfigError(`OIDC_CLIENT_ID ${lacks}`);
  if (clientSecret === undefined) throw new ConfigError(`OIDC_CLIENT_SECRET ${lacks}`);
  if (company === undefined) throw new ConfigError(`OIDC_COMPANY ${lacks}`);
  return {
    issuer,
    clientId,
    clientSecret,
    company,
    callbackUrl: values.OIDC_CALLBACK_URL,
    trustEmail: values.OIDC_TRUST_EMAIL === 'on',
  };
}

/** Written aside and linked into place, so processes that start together get the same secret. */
function loadOrCreateSecret(file: string): string {
  const kept = readKept(file);
  if (kept !== undefined) return kept;
  mkdirSync(dirname(file), { recursive: true });
  const aside = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(aside, randomBytes(32).toString('base64url'), {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  });
  try {
    linkSync(aside, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(aside);
  }
  return readFileSync(file, 'utf8').trim();
}

function readKept(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
