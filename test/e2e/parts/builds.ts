/** The builds that the stories need, made once per run, or for several, by the build script. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { FIREBASE_CONFIG, FIREBASE_VAPID_KEY } from '../../support/push-services/fcm';

/**
 * `firebase-next` is another version of `firebase` that registers by token; `company` has all ways to sign in.
 * Only `web-push` has other languages.
 */
export type BuildName = 'web-push' | 'firebase' | 'firebase-next' | 'company';

const SETTINGS: Record<BuildName, Record<string, string>> = {
  'web-push': { FIREBASE_CONFIG: '', FIREBASE_VAPID_KEY: '', LANGUAGES: 'de,ar' },
  company: {
    FIREBASE_CONFIG: '',
    FIREBASE_VAPID_KEY: '',
    OIDC_COMPANY: 'Northgrid',
    ADMIN_TOTP: 'optional',
    PASSKEYS: 'true',
  },
  firebase: { FIREBASE_CONFIG: JSON.stringify(FIREBASE_CONFIG), FIREBASE_VAPID_KEY },
  'firebase-next': {
    FIREBASE_CONFIG: JSON.stringify({ ...FIREBASE_CONFIG, measurementId: 'G-NEXT' }),
    FIREBASE_VAPID_KEY,
    FCM_TOKENS: 'true',
  },
};

/** Kept for a later run if `E2E_BUILDS` names a folder. */
const keptFolder = process.env.E2E_BUILDS;
/** Below node_modules, where the server finds its packages. */
const builds = resolve(keptFolder ?? `node_modules/.cache/fieldbell-e2e-${process.pid}`);
if (keptFolder === undefined)
  process.on('exit', () => rmSync(builds, { recursive: true, force: true }));

const finishedBuilds = new Set<BuildName>();

/** @throws with the build's output, if one fails */
export async function createBuilds(names: BuildName[]): Promise<void> {
  await Promise.all(names.map(createBuild));
}

async function createBuild(name: BuildName): Promise<void> {
  const env = {
    ...process.env,
    API_HOST: '',
    LANGUAGES: '',
    BUDGETS: 'report',
    ...SETTINGS[name],
  };
  const givenNames = ['build.mjs', '--if-changed', '--out', join(builds, name)];
  await promisify(execFile)(process.execPath, givenNames, { env }).catch((error) => {
    throw new Error(`The ${name} build failed:\n${error.stdout}${error.stderr}`);
  });
  finishedBuilds.add(name);
}

export function builtFolder(name: BuildName): string {
  if (!finishedBuilds.has(name)) throw new Error(`The ${name} build was not asked for.`);
  return join(builds, name);
}

/**
 * The English scripts with code of a source file, whose own names do not say it.
 * @param source the end of its path
 */
export function scriptsWith(source: string, name: BuildName): string[] {
  const maps = join(builtFolder(name), 'maps');
  const scripts = readdirSync(maps)
    .filter((file) => {
      const { sources } = JSON.parse(readFileSync(join(maps, file), 'utf8')) as {
        sources: string[];
      };
      return sources.some((path) => path.endsWith(source));
    })
    .map((file) => file.replace(/\.map$/, ''));
  if (scripts.length === 0) throw new Error(`No script of ${name} has code of ${source}.`);
  return scripts;
}
