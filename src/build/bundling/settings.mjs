/**
 * The settings that are compiled into the app. An invalid one stops the build with a sentence that
 * names its variable.
 */

/** Every variable that changes a build: `npm start` builds again when one has another value. */
export const BUILD_VARIABLES = [
  'API_HOST',
  'FIREBASE_CONFIG',
  'FIREBASE_VAPID_KEY',
  'FCM_TOKENS',
  'OIDC_COMPANY',
  'ADMIN_TOTP',
  'PASSKEYS',
  'HSTS_INCLUDE_SUBDOMAINS',
  'LANGUAGES',
];

/** What the messaging SDK needs. */
const FIREBASE_FIELDS = ['apiKey', 'projectId', 'messagingSenderId', 'appId'];

/** Names every invalid setting; the trace of a build's code would only hide it. */
export class SettingsError extends Error {}

/**
 * Settings that are not set are empty texts.
 * @param {Record<string, string | undefined>} env
 * @returns {{
 * apiHost: string,
 * firebaseConfig: string,
 * firebaseVapidKey: string,
 * fcmTokens: boolean,
 * company: string,
 * twoFactor: boolean,
 * passkeys: boolean,
 * hstsIncludesSubdomains: boolean,
 * }}
 * @throws {SettingsError}
 */
export function readSettings(env) {
  /** @type {string[]} */
  const faults = [];
  /**
   * @template Value
   * @param {() => Value} work
   * @param {Value} fallback
   */
  const attempt = (work, fallback) => {
    try {
      return work();
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
      return fallback;
    }
  };
  const { FIREBASE_CONFIG: firebaseConfig } = env;
  const settings = {
    apiHost: attempt(() => readApiHost(env.API_HOST), ''),
    firebaseConfig: attempt(
      () => (firebaseConfig ? JSON.stringify(readFirebase(firebaseConfig)) : ''),
      '',
    ),
    firebaseVapidKey: attempt(() => readVapidKey(env.FIREBASE_VAPID_KEY), ''),
    fcmTokens: attempt(() => readSwitch('FCM_TOKENS', env.FCM_TOKENS), false),
    company: attempt(() => readCompany(env.OIDC_COMPANY), ''),
    twoFactor: attempt(() => readTwoFactor(env.ADMIN_TOTP), false),
    passkeys: attempt(() => readSwitch('PASSKEYS', env.PASSKEYS), false),
    hstsIncludesSubdomains: attempt(
      () => readSwitch('HSTS_INCLUDE_SUBDOMAINS', env.HSTS_INCLUDE_SUBDOMAINS),
      false,
    ),
  };
  if (faults.length > 0) throw new SettingsError(faults.join('\n'));
  return settings;
}

/** @param {string | undefined} text */
function readApiHost(text) {
  if (!text) return '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The app appends the paths of calls to this origin.
  if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new Error('API_HOST must be an address such as https://api.example.com, without a path.');
  return url.origin;
}

/** @param {string} text */
function readFirebase(text) {
  let config;
  try {
    config = JSON.parse(text);
  } catch {
    throw new Error(
      'FIREBASE_CONFIG is not JSON. Paste the Firebase console’s configuration object, with quoted keys.',
    );
  }
  const missingFields = FIREBASE_FIELDS.filter(
    (name) => typeof config?.[name] !== 'string' || config[name].trim() === '',
  );
  if (missingFields.length)
    throw new Error(
      `FIREBASE_CONFIG has no ${missingFields.join(', ')}. Paste the Firebase console’s whole configuration object, as JSON.`,
    );
  return config;
}

/**
 * An uncompressed P-256 point (RFC 8292, section 3.2).
 * @param {string | undefined} text
 */
function readVapidKey(text) {
  if (!text) return '';
  const point = /^[\w-]{87}=?$/.test(text) ? Buffer.from(text, 'base64url') : undefined;
  if (point?.length !== 65 || point[0] !== 4)
    throw new Error(
      'FIREBASE_VAPID_KEY must be the public key of the Web Push certificate: 87 characters that begin with B.',
    );
  return text;
}

/**
 * @param {string} name
 * @param {string | undefined} text
 */
function readSwitch(name, text) {
  if (text && !['true', 'false'].includes(text)) throw new Error(`${name} must be true or false.`);
  return text === 'true';
}

/**
 * The server has the same limit (`server/config/variables.ts`).
 * @param {string | undefined} text
 */
function readCompany(text) {
  const company = text?.trim() ?? '';
  if (company.length > 40) throw new Error('OIDC_COMPANY must have at most 40 characters.');
  return company;
}

/**
 * Whether the app can ask administrators for codes; the server decides whether it does.
 * @param {string | undefined} text
 */
function readTwoFactor(text) {
  if (text && !['off', 'optional', 'required'].includes(text))
    throw new Error('ADMIN_TOTP must be off, optional or required.');
  return text === 'optional' || text === 'required';
}
