/** The service worker. */
import fs from 'node:fs/promises';
import esbuild from 'esbuild';
import { keptFiles } from './app/scripts.mjs';
import { common, constants, hash, PRODUCTION } from './bundling/bundling.mjs';

/**
 * The worker at the root of the app in `out`, with the list of files it keeps: hashed names, and
 * others with a hash as their revision.
 * @param {string} out
 * @param {NodeJS.ProcessEnv} env
 * @param {import('./app/app.mjs').BuiltApp} app
 */
export async function buildWorker(out, env, { outputs, stylesheet, version }) {
  const hashed = [stylesheet, ...keptFiles(outputs)].sort();
  const others = ['badge-96.png', 'icon-192.png', 'index.html', 'logo.svg', 'rescue.js'];
  const precache = [
    ...hashed.map((url) => ({ url, revision: null })),
    ...(await Promise.all(
      others.map(async (url) => ({
        url,
        revision: hash(await fs.readFile(`${out}/app/${url}`)),
      })),
    )),
  ];
  const { metafile } = await esbuild.build({
    ...common,
    entryPoints: [env.FIREBASE_CONFIG ? 'sw/worker-fcm.ts' : 'sw/worker.ts'],
    format: 'iife',
    outfile: `${out}/app/firebase-messaging-sw.js`,
    define: {
      ...constants(env, { VERSION: version }),
      ...PRODUCTION,
      'self.__WB_MANIFEST': JSON.stringify(precache),
    },
  });
  return { metafile, precache: precache.map(({ url }) => url) };
}
