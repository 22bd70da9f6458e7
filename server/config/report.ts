/** The report of the configuration when the server starts. */
import { present } from './config';
import { VARIABLES } from './variables';
import type { Config } from './config';
import type { Fields } from '../lib/log';

/** Secrets are told of only by whether they are set, and hosts of others not at all. */
export function describeSettings(config: Config, environment: NodeJS.ProcessEnv): Fields {
  const given = present(environment);
  return {
    publicUrl: config.publicUrl,
    host: config.host ?? 'all interfaces',
    database: config.databaseUrl === undefined ? 'sqlite' : 'postgres',
    dataDir: config.dataDir,
    jwtSecret: given.JWT_SECRET === undefined ? 'kept in DATA_DIR' : 'set',
    corsOrigins: config.corsOrigins.join(' ') || 'none',
    trustedProxies: given.TRUSTED_PROXIES ?? 'none',
    pushAllowedHosts: config.pushAllowedHosts.length,
    webhookAllowedHosts: config.webhookAllowedHosts.length,
    fcm: config.serviceAccount === undefined ? 'unset' : 'set',
    mail: config.smtpUrl === undefined ? 'files in DATA_DIR' : 'SMTP',
    auditDays: config.auditDays,
    messageDays: config.messageDays,
    readsPerSecond: config.readsPerSecond,
    drainSeconds: config.drainSeconds,
    oidc:
      config.oidc === undefined
        ? 'unset'
        : config.oidc.trustEmail
          ? 'set, with its e-mail addresses'
          : 'set',
    passwordSignIn: config.passwordSignIn ? 'on' : 'off',
    adminTotp: config.adminTotp,
    metricsToken: config.metricsToken === undefined ? 'unset' : 'set',
    adminPassword: config.adminPassword === undefined ? 'unset' : 'set',
  };
}

/** The build's, which may stand in the same `.env`. */
const OF_THE_BUILD = ['API_HOST', 'FIREBASE_CONFIG', 'FIREBASE_VAPID_KEY', 'STATIC_DIR'];
/** Shorter names are too easily close to those of others, as `HOST` is to `POST`. */
const SHORTEST = 7;

/**
 * Variables that are none of ours but close to one, such as `PUBLIC_URI`, each with the one that
 * was probably meant.
 */
export function findMisspelt(environment: NodeJS.ProcessEnv): [name: string, meant: string][] {
  const known = [...VARIABLES, ...OF_THE_BUILD];
  const unknown = Object.keys(present(environment)).filter(
    (name) => !known.includes(name) && name.length >= SHORTEST,
  );
  return unknown.flatMap((name) => {
    const close = name.length < 10 ? 1 : 2;
    const meant = known.find(
      (each) => each.length >= SHORTEST && distance(name.toUpperCase(), each) <= close,
    );
    return meant === undefined ? [] : [[name, meant]];
  });
}

/** Letters to add, drop or change until one text is the other (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...one].entries()) {
    const above = row;
    row = [at + 1];
    for (const [index, each] of [...other].entries()) {
      row.push(
        Math.min(
          (above[index + 1] ?? 0) + 1,
          (row[index] ?? 0) + 1,
          (above[index] ?? 0) + (letter === each ? 0 : 1),
        ),
      );
    }
  }
  return row[other.length] ?? 0;
}
