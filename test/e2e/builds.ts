/** The builds of the product that the stories need: made by its own build script, once a run. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FIREBASE_CONFIG, FIREBASE_VAPID_KEY } from '../support/push-services/fcm';

/** `firebase-next` is a later version of the app of `firebase`. */
export type BuildName = 'web-push' | 'firebase' | 'firebase-next';

const SETTINGS: Record<BuildName, Record<string, string>> = {
  'web-push': { FIREBASE_CONFIG: '', FIREBASE_VAPID_KEY: '' },
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

/** The folder with `app` and `server`. @throws with what the build said, if it fails */
export function builtFolder(name: BuildName): string {
  const folder = join(builds, name);
  if (made.has(name)) return folder;
  const env = { ...process.env, API_HOST: '', ...SETTINGS[name] };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['build.mjs', '--out', folder], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The ${name} build failed:\n${stdout}${stderr}`);
  made.add(name);
  return folder;
}
