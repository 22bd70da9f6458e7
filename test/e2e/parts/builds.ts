/** The builds of the product that the stories need: made by its own build script, once a run. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { FIREBASE_CONFIG, FIREBASE_VAPID_KEY } from '../../support/push-services/fcm';

/**
 * `firebase-next` is a later version of the app of `firebase`; `company` has the company's sign-in
 * and second steps.
 */
export type BuildName = 'web-push' | 'firebase' | 'firebase-next' | 'company';

const SETTINGS: Record<BuildName, Record<string, string>> = {
  'web-push': { FIREBASE_CONFIG: '', FIREBASE_VAPID_KEY: '' },
  company: {
    FIREBASE_CONFIG: '',
    FIREBASE_VAPID_KEY: '',
    OIDC_COMPANY: 'Northgrid',
    ADMIN_TOTP: 'optional',
  },
  firebase: { FIREBASE_CONFIG: JSON.stringify(FIREBASE_CONFIG), FIREBASE_VAPID_KEY },
  'firebase-next': {
    FIREBASE_CONFIG: JSON.stringify({ ...FIREBASE_CONFIG, measurementId: 'G-NEXT' }),
    FIREBASE_VAPID_KEY,
  },
};

/**
 * Of this run alone: another may be under way. Beneath node_modules, so that the server finds its
 * packages.
 */
const builds = resolve(`node_modules/.cache/fieldbell-e2e-${process.pid}`);
process.on('exit', () => rmSync(builds, { recursive: true, force: true }));

const made = new Set<BuildName>();

/** Makes builds side by side. @throws with what the build said, if one fails */
export async function makeBuilds(names: BuildName[]): Promise<void> {
  await Promise.all(names.map(make));
}

async function make(name: BuildName): Promise<void> {
  const env = { ...process.env, API_HOST: '', ...SETTINGS[name] };
  const given = ['build.mjs', '--out', join(builds, name)];
  await promisify(execFile)(process.execPath, given, { env }).catch((error) => {
    throw new Error(`The ${name} build failed:\n${error.stdout}${error.stderr}`);
  });
  made.add(name);
}

/** The folder with `app` and `server` of a build that was made. */
export function builtFolder(name: BuildName): string {
  if (!made.has(name)) throw new Error(`The ${name} build was not asked for.`);
  return join(builds, name);
}
