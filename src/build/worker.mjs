/** The service worker: one script with each language's texts and list of files. */
import path from 'node:path';
import { getManifest } from 'workbox-build';
import { listKeptFiles } from './app/scripts.mjs';
import { createConstants, PRODUCTION } from './bundling/bundling.mjs';
import { buildForAll } from './languages/all-languages.mjs';

/**
 * Builds the worker into the root of the app in `out`. Resolves with the files that it keeps: a
 * list for each language.
 * @param {string} out
 * @param {NodeJS.ProcessEnv} env
 * @param {import('./app/app.mjs').BuiltApp} app
 */
export async function buildWorker(out, env, app) {
  const { version, others } = app;
  const sharedFiles = [
    ...app.sharedFiles,
    ...['badge-96.png', 'icon-192.png', 'logo.svg', 'rescue.js'],
  ];
  const sets = [
    { code: 'en', page: 'index.html', outputs: app.outputs },
    ...app.translated.map(({ code, outputs }) => ({ code, page: `index.${code}.html`, outputs })),
  ].map(({ code, page, outputs }) => ({
    code,
    files: [page, ...sharedFiles, ...listKeptFiles(outputs)],
  }));
  /** @type {Record<string, (string | { url: string, revision: string })[]>} */
  const filesByLanguage = {};
  for (const { code, files } of sets)
    filesByLanguage[code] = await withRevisions(`${out}/app`, files);
  const { metafile } = await buildForAll(others, 'self.LANGUAGE', {
    entryPoints: [env.FIREBASE_CONFIG ? 'sw/worker-fcm.ts' : 'sw/worker.ts'],
    format: 'iife',
    outfile: path.resolve(out, 'app/firebase-messaging-sw.js'),
    define: {
      ...createConstants(env, { VERSION: version }),
      ...PRODUCTION,
      KEPT_FILES: JSON.stringify(filesByLanguage),
    },
  });
  return { metafile, sets };
}

/**
 * The files, with revisions of those whose names do not change, as Workbox's precaching takes them.
 * @param {string} folder
 * @param {string[]} files
 */
async function withRevisions(folder, files) {
  const { manifestEntries, count, warnings } = await getManifest({
    globDirectory: folder,
    globPatterns: files,
    dontCacheBustURLsMatching: /^assets\//,
  });
  if (warnings.length > 0 || count !== files.length)
    throw new Error(
      [
        'Some files cannot be added to the list of files that the service worker stores.',
        ...warnings,
      ].join('\n'),
    );
  // 32 bits tell a file from its former versions, and hashes don't compress. Sorted names do.
  return manifestEntries
    .sort((a, b) => (a.url < b.url ? -1 : 1))
    .map(({ url, revision }) => (revision ? { url, revision: revision.slice(0, 8) } : url));
}
