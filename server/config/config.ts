/** The configuration from environment variables, all optional. A bad value stops the start. */
import { existsSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import * as v from 'valibot';
import { readSecretFiles } from './secrets';
import { readServiceAccount } from './service-account';
import { settingsSchema } from './variables';

export class ConfigError extends Error {}

export interface Settings extends ReturnType<typeof readConfig> {}

/** The settings of a running server. */
export interface Config extends Settings {
  jwtSecret: string;
}

/** An empty variable counts as not set, as in `SMTP_URL= npm start`. */
export function withoutEmpty(environment: NodeJS.ProcessEnv): Record<string, string> {
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

/**
 * Reads all settings. Creates nothing.
 * @throws ConfigError with every wrong variable by name, never its value
 */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const { variablesWithSecrets, faults } = withSecrets(environment);
  const parseResult = v.safeParse(settingsSchema, variablesWithSecrets);
  const serviceAccount = readServiceAccount(variablesWithSecrets.FIREBASE_SERVICE_ACCOUNT);
  const allFaults = [
    ...faults,
    ...describeIssues(parseResult.issues ?? []),
    ...(typeof serviceAccount === 'string'
      ? [`FIREBASE_SERVICE_ACCOUNT ${accountFaults[serviceAccount]}`]
      : []),
    ...findConflictingSettings(variablesWithSecrets),
  ];
  if (!parseResult.success || allFaults.length > 0) throw new ConfigError(allFaults.join('\n'));
  const values = parseResult.output;
  const publicUrl = (values.PUBLIC_URL ?? `http://localhost:${values.PORT}`).replace(
    /\/{1,9}$/,
    '',
  );
  return {
    port: values.PORT,
    host: values.HOST,
    publicUrl,
    /** Whether `publicUrl` is a guess, which PORT=0 would make wrong. */
    publicUrlGuessed: values.PUBLIC_URL === undefined,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    /** The setting is undefined if `DATA_DIR` keeps the secret. */
    jwtSecret: values.JWT_SECRET,
    corsOrigins: values.CORS_ORIGINS,
    trustedProxies: readNetworks(values.TRUSTED_PROXIES),
    pushAllowedHosts: values.PUSH_ALLOWED_HOSTS,
    webhookAllowedHosts: values.WEBHOOK_ALLOWED_HOSTS,
    serviceAccount: typeof serviceAccount === 'string' ? undefined : serviceAccount,
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? defaultsFromUrl(publicUrl).mailFrom,
    vapidSubject: values.VAPID_SUBJECT ?? defaultsFromUrl(publicUrl).vapidSubject,
    hstsIncludeSubdomains: values.HSTS_INCLUDE_SUBDOMAINS === 'true',
    defaultLanguage: values.DEFAULT_LANGUAGE,
    messageDays: values.MESSAGE_DAYS,
    readsPerSecond: values.READS_PER_SECOND,
    drainSeconds: values.DRAIN_SECONDS,
    logLevel: values.LOG_LEVEL,
    metricsToken: values.METRICS_TOKEN,
    auditDays: values.AUDIT_DAYS,
    oidc: readOidc(values),
    passwordSignIn: values.PASSWORD_SIGN_IN === 'on',
    adminTotp: values.ADMIN_TOTP,
    passkeys: values.PASSKEYS === 'true',
    adminUsername: values.ADMIN_USERNAME,
    adminPassword: values.ADMIN_PASSWORD,
  };
}

export const defaultsFromUrl = (publicUrl: string) => ({
  mailFrom: `Fieldbell <no-reply@${new URL(publicUrl).hostname}>`,
  // Push services want a contact (RFC 8292, section 2.1); some reject one that is not reachable.
  vapidSubject: publicUrl.startsWith('https:') ? publicUrl : 'mailto:fieldbell@example.com',
});

function readNetworks(networks: string[]): BlockList {
  const trustedProxies = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const bits = prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix);
    trustedProxies.addSubnet(address, bits, family);
  }
  return trustedProxies;
}

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  company: string;
  callbackUrl: string | undefined;
  /** Whether to trust an email that the provider does not declare verified or not. */
  trustEmail: boolean;
}

const OIDC_VARIABLES = [
  'OIDC_ISSUER',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'OIDC_COMPANY',
] as const;

/** `findConflictingSettings` has required all variables or none. */
function readOidc(values: v.InferOutput<typeof settingsSchema>): OidcSettings | undefined {
  const [issuer, clientId, clientSecret, company] = OIDC_VARIABLES.map((name) => values[name]);
  if (!issuer || !clientId || !clientSecret || !company) return undefined;
  return {
    issuer,
    clientId,
    clientSecret,
    company,
    callbackUrl: values.OIDC_CALLBACK_URL,
    trustEmail: values.OIDC_TRUST_EMAIL === 'on',
  };
}

/** The variables that are set, with the secrets that files hold. */
function withSecrets(environment: NodeJS.ProcessEnv): {
  variablesWithSecrets: Record<string, string>;
  faults: string[];
} {
  const entries = withoutEmpty(environment);
  const { values, faults } = readSecretFiles(entries);
  return { variablesWithSecrets: { ...entries, ...values }, faults };
}

/** The first fault of each variable. */
function describeIssues(issues: readonly v.BaseIssue<unknown>[]): string[] {
  const firstNames = new Map<string, string>();
  for (const { path, message } of issues) {
    const name = String(path?.[0]?.key);
    if (!firstNames.has(name)) firstNames.set(name, `${name} ${message}.`);
  }
  return [...firstNames.values()];
}

/** Checks rules that involve more than one variable. */
function findConflictingSettings(entries: Readonly<Record<string, string>>): string[] {
  const faults: string[] = [];
  const missingNames = OIDC_VARIABLES.filter((name) => entries[name] === undefined);
  if (missingNames.length > 0 && missingNames.length < OIDC_VARIABLES.length)
    faults.push(
      ...missingNames.map(
        (name) =>
          `${name} is missing. Set OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_COMPANY together.`,
      ),
    );
  if (entries.PASSWORD_SIGN_IN === 'off' && entries.OIDC_ISSUER === undefined)
    faults.push('PASSWORD_SIGN_IN=off needs OIDC_ISSUER. Without it, no one can sign in.');
  if (entries.PASSKEYS === 'true') faults.push(...passkeyFaults(entries));
  return faults;
}

/** Browsers allow passkeys only on a host with a name, and with TLS or on this machine. */
function passkeyFaults({
  PASSWORD_SIGN_IN,
  PUBLIC_URL,
}: Readonly<Record<string, string>>): string[] {
  const faults: string[] = [];
  if (PASSWORD_SIGN_IN === 'off')
    faults.push('PASSKEYS=true needs PASSWORD_SIGN_IN=on: a passkey replaces a password.');
  const url =
    PUBLIC_URL !== undefined && URL.canParse(PUBLIC_URL) ? new URL(PUBLIC_URL) : undefined;
  if (url === undefined || url.hostname === 'localhost') return faults;
  // A URL's host is in brackets if it is an IPv6 address.
  if (url.protocol !== 'https:' || isIP(url.hostname) !== 0 || url.hostname.startsWith('['))
    faults.push(
      'PASSKEYS=true needs a PUBLIC_URL that begins with https:// and has a host name, or localhost.',
    );
  return faults;
}
