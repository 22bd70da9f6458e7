/** The service worker. */
import fs from 'node:fs/promises';
import esbuild from 'esbuild';
import { getManifest } from 'workbox-build/build/get-manifest.js';
import { injectManifest } from 'workbox-build/build/inject-manifest.js';
import { constants } from './bundling/bundling.mjs';
import { common, PRODUCTION } from './bundling/options.mjs';
import { onlyAdmin } from './app/scripts.mjs';

/**
 * The worker at the root of the app in `out`, with the list of files it keeps.
 * @param {string} out
 * @param {NodeJS.ProcessEnv} env
 * @param {import('./app/app.mjs').BuiltApp} app
 */
export async function buildWorker(out, env, { outputs, routes, version }) {
  const bundled = `${out}/worker.js`;
  const { metafile } = await esbuild.build({
    ...common,
    entryPoints: [env.FIREBASE_CONFIG ? 'sw/worker-fcm.ts' : 'sw/worker.ts'],
    format: 'iife',
    outfile: bundled,
    define: { ...constants(env, { VERSION: version }), ...PRODUCTION },
  });
  const precache = {
    globDirectory: `${out}/app`,
    globPatterns: [
      'index.html',
      'rescue.js',
      'logo.svg',
      'icon-192.png',
      'badge-96.png',
      'assets/*.{js,css}',
    ],
    globIgnores: onlyAdmin(outputs, routes),
    dontCacheBustURLsMatching: /^assets\//,
  };
  const { warnings } = await injectManifest({
    ...precache,
    swSrc: bundled,
    swDest: `${out}/app/firebase-messaging-sw.js`,
  });
  if (warnings.length) throw new Error(warnings.join('\n'));
  await fs.rm(bundled);
  const { manifestEntries } = await getManifest(precache);
  return {
    metafile,
    precache: await Promise.all(
      manifestEntries.map(async ({ url }) => ({
        file: url,
        bytes: (await fs.stat(`${out}/app/${url}`)).size,
      })),
    ),
  };
}
