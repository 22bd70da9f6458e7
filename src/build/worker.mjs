/** The service worker: bundled by esbuild; workbox-build adds its list of files. */
import fs from 'node:fs/promises';
import esbuild from 'esbuild';
import { injectManifest } from 'workbox-build';
import { keptFiles } from './app/scripts.mjs';
import { common, constants, PRODUCTION } from './bundling/bundling.mjs';

/**
 * Builds the worker into the root of the app in `out`.
 * @param {string} out
 * @param {NodeJS.ProcessEnv} env
 * @param {import('./app/app.mjs').BuiltApp} app
 */
export async function buildWorker(out, env, { outputs, stylesheet, icons, version }) {
  const bundled = `${out}/worker.js`;
  const { metafile } = await esbuild.build({
    ...common,
    entryPoints: [env.FIREBASE_CONFIG ? 'sw/worker-fcm.ts' : 'sw/worker.ts'],
    format: 'iife',
    outfile: bundled,
    define: { ...constants(env, { VERSION: version }), ...PRODUCTION },
  });
  const others = ['badge-96.png', 'icon-192.png', 'index.html', 'logo.svg', 'rescue.js'];
  const precache = [stylesheet, icons, ...keptFiles(outputs), ...others];
  const { count, warnings } = await injectManifest({
    globDirectory: `${out}/app`,
    globPatterns: precache,
    dontCacheBustURLsMatching: /^assets\//,
    swSrc: bundled,
    swDest: `${out}/app/firebase-messaging-sw.js`,
  });
  if (warnings.length > 0 || count !== precache.length)
    throw new Error(['The service worker cannot cache all files.', ...warnings].join('\n'));
  await fs.rm(bundled);
  return { metafile, precache };
}
