import { withoutEmpty } from './config';
import { SECRETS } from './secrets';
import { VARIABLES } from './variables';
import type { Settings } from './config';
import { countChanges } from '../lib/similar-word';
import type { Fields } from '../lib/log';

/** Shows of secrets only whether they are set, and no hosts of others. */
export function describeSettings(config: Settings, environment: NodeJS.ProcessEnv): Fields {
  return {
    publicUrl: config.publicUrl,
    host: config.host ?? 'all interfaces',
    database: config.databaseUrl === undefined ? 'sqlite' : 'postgres',
    dataDir: config.dataDir,
    jwtSecret: config.jwtSecret === undefined ? 'stored in DATA_DIR' : 'set',
    corsOrigins: config.corsOrigins.join(' ') || 'none',
    trustedProxies: withoutEmpty(environment).TRUSTED_PROXIES ?? 'none',
    pushAllowedHosts: config.pushAllowedHosts.length,
    webhookAllowedHosts: config.webhookAllowedHosts.length,
    fcm: config.serviceAccount === undefined ? 'unset' : 'set',
    mail: config.smtpUrl === undefined ? 'written to files in DATA_DIR' : 'SMTP',
    defaultLanguage: config.defaultLanguage,
    auditDays: config.auditDays,
    messageDays: config.messageDays,
    readsPerSecond: config.readsPerSecond,
    drainSeconds: config.drainSeconds,
    logLevel: config.logLevel,
    oidc:
      config.oidc === undefined
        ? 'unset'
        : config.oidc.trustEmail
          ? 'set, and unverified email addresses are trusted'
          : 'set',
    passwordSignIn: config.passwordSignIn ? 'on' : 'off',
    adminTotp: config.adminTotp,
    passkeys: config.passkeys ? 'on' : 'off',
    metricsToken: config.metricsToken === undefined ? 'unset' : 'set',
    adminPassword: config.adminPassword === undefined ? 'unset' : 'set',
  };
}

const BUILD_VARIABLES = [
  'API_HOST',
  'FIREBASE_CONFIG',
  'FIREBASE_VAPID_KEY',
  'FCM_TOKENS',
  'STATIC_DIR',
];
/** Shorter names are too close to other tools', as `HOST` is to `POST`. */
const MIN_NAME_LENGTH = 7;

/** Unknown variables close to one of ours, such as `PUBLIC_URI`, with the probable name. */
export function findMisspelled(environment: NodeJS.ProcessEnv): [name: string, meant: string][] {
  const knownNames = [...VARIABLES, ...SECRETS.map((name) => `${name}_FILE`), ...BUILD_VARIABLES];
  const unknown = Object.keys(withoutEmpty(environment)).filter(
    (name) => !knownNames.includes(name) && name.length >= MIN_NAME_LENGTH,
  );
  return unknown.flatMap((name) => {
    const maxChanges = name.length < 10 ? 1 : 2;
    const suggestion = knownNames.find(
      (each) =>
        each.length >= MIN_NAME_LENGTH &&
        countChanges(name.toUpperCase(), each, maxChanges) <= maxChanges,
    );
    return suggestion === undefined ? [] : [[name, suggestion]];
  });
}

/** Names of RFC 2606 and RFC 6762, which lead nowhere. */
const RESERVED = /(^|[.@])(localhost|(example\.(com|net|org))|example|test|invalid|local)$/i;

/** Whether Apple rejects every push with this contact (BadJwtToken), so that iPhones get none. */
export function isRejectedByApple(vapidSubject: string): boolean {
  const host = vapidSubject.startsWith('mailto:')
    ? vapidSubject.replace(/>$/, '')
    : new URL(vapidSubject).hostname;
  return RESERVED.test(host.slice(-300));
}
