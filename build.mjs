/**
 * Builds everything: the app and its worker (dist/app, for a CDN or the companion server) and the
 * server (dist/server). Its parts are in src/build/; the styles are made by src/styles/styles.mjs.
 *
 *   node build.mjs [--watch] [--out DIR] [--on preact|compat|react]
 *
 * Settings of the app come from the environment or `.env`: API_HOST, FIREBASE_CONFIG,
 * FIREBASE_VAPID_KEY, HSTS_INCLUDE_SUBDOMAINS.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import esbuild from 'esbuild';
import workbox from 'workbox-build';
import { buildAside } from './src/build/aside.mjs';
import { budgets } from './src/build/budgets.mjs';
import { constants, stackOf } from './src/build/bundling.mjs';
import { copyStatic, inline, writePage } from './src/build/page.mjs';
import { publicStart, readRoutes, SIGNED_IN, splitRoutes } from './src/build/routes.mjs';
import { fewChunks, holding, onlyAdmin, POLISHED, polish } from './src/build/scripts.mjs';
import { encryptionThread } from './src/build/thread.mjs';
import { watch } from './src/build/watch.mjs';
import { styles } from './src/styles/styles.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));

/** Phones that get Chrome updates at all are far beyond this. */
const TARGET = ['chrome108', 'firefox115', 'safari16.4'];

const hash = (content) =>
  createHash('sha256').update(content).digest('base64url').replace(/[-_]/g, '').slice(0, 8);
const PRODUCTION = { 'process.env.NODE_ENV': '"production"' };
const common = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  target: TARGET,
  jsx: 'automatic',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
};

/** The login form's markup: the app's own component, bundled for Node and run. */
async function prerender(env, stack) {
  const built = await esbuild.build({
    ...common,
    entryPoints: ['src/prerender.tsx'],
    platform: 'node',
    format: 'esm',
    write: false,
    alias: stack.alias,
    plugins: [splitRoutes, ...stack.plugins],
    define: { ...constants(env), ...PRODUCTION },
  });
  return (
    await import(
      `data:text/javascript;base64,${Buffer.from(built.outputFiles[0].contents).toString('base64')}`
    )
  ).markup;
}

async function buildApp(out, env, { stack, prerendered }) {
  const folder = `${out}/app`;
  const routes = await readRoutes(root);
  // The login form is in the page before any script: first paint after 520 instead of 736 ms, for
  // 375 bytes.
  const login = await prerender(env, stack);
  // What it needs of the styles is inlined: a round trip less.
  const [all, critical] = await styles(root, login);
  const stylesheet = `assets/app-${hash(all)}.css`;
  await fs.writeFile(`${folder}/${stylesheet}`, all);

  const { VERSION: _, ...known } = constants(env, { STYLES: `/${stylesheet}` }); // the version is known when the files are
  const { metafile } = await esbuild.build({
    ...common,
    entryPoints: ['src/main.tsx'],
    splitting: true,
    format: 'esm',
    outdir: `${folder}/assets`,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    alias: stack.alias,
    external: ['/rescue.js'],
    plugins: [splitRoutes, fewChunks(routes), ...stack.plugins],
    define: { ...known, ...PRODUCTION },
    sourcemap: 'external',
    banner: { js: POLISHED },
  });
  await esbuild.build({
    ...common,
    entryPoints: ['src/rescue.ts'],
    format: 'esm',
    outfile: `${folder}/rescue.js`,
  });
  const outputs = await polish(metafile, folder, `${out}/maps`);

  const ahead = [
    ['modulepreload', 'script', `/${holding(outputs, SIGNED_IN).file}`],
    ['preload', 'style', `/${stylesheet}`],
  ];
  const parts = {
    styles: critical,
    inline: inline(ahead, publicStart(routes)),
    routes,
    login: prerendered ? login : '',
    script: holding(outputs, 'src/main.tsx').file,
  };
  const page = await writePage(root, folder, parts);
  await copyStatic(root, folder, parts, env);
  const { version } = JSON.parse(await fs.readFile(path.join(root, 'package.json'), 'utf8'));
  return {
    metafile,
    outputs,
    routes,
    version: `${version}-${hash(
      page +
        outputs
          .map(({ file }) => file)
          .sort()
          .join(),
    )}`,
  };
}

/** The worker at the root, with the list of files it keeps. */
async function buildWorker(out, env, { outputs, routes, version }) {
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
  const { warnings } = await workbox.injectManifest({
    ...precache,
    swSrc: bundled,
    swDest: `${out}/app/firebase-messaging-sw.js`,
  });
  if (warnings.length) throw new Error(warnings.join('\n'));
  await fs.rm(bundled);
  const { manifestEntries } = await workbox.getManifest(precache);
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

const buildServer = async (out, version) =>
  esbuild.build({
    ...common,
    entryPoints: ['server/main.ts', 'server/demo.ts', 'server/admin.ts'],
    minify: false,
    sourcemap: 'linked',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    outdir: `${out}/server`,
    splitting: true,
    chunkNames: '[name]-[hash]',
    define: { VERSION: JSON.stringify(version), ...(await encryptionThread(root)) },
  });

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** Brotli and gzip beside every text file, for servers that send them as they are. */
async function compress(folder) {
  const files = (await fs.readdir(folder, { recursive: true })).filter((file) =>
    /\.(html|js|css|json|svg)$/.test(file),
  );
  return Promise.all(
    files.sort().map(async (file) => {
      const content = await fs.readFile(path.join(folder, file));
      const packed = await brotli(content, {
        params: {
          [zlib.constants.BROTLI_PARAM_QUALITY]: 11,
          [zlib.constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        },
      });
      await Promise.all([
        fs.writeFile(path.join(folder, `${file}.br`), packed),
        gzip(content, { level: 9 }).then((zipped) =>
          fs.writeFile(path.join(folder, `${file}.gz`), zipped),
        ),
      ]);
      return { file, bytes: content.length, brotli: packed.length };
    }),
  );
}

/**
 * Builds app/ and server/ and puts them in the place of `out` when they are whole and within the
 * budgets. Resolves with what was built: sizes and esbuild's metafiles.
 */
export const build = ({
  out = path.join(root, 'dist'),
  env = process.env,
  quiet = false,
  stack = stackOf(),
  prerendered = true,
} = {}) => buildAside(out, (folder) => buildInto(folder, { env, quiet, stack, prerendered }));

async function buildInto(out, { env, quiet, ...how }) {
  const started = performance.now();
  await fs.mkdir(`${out}/app/assets`, { recursive: true });
  const app = await buildApp(out, env, how);
  const [worker, server] = await both(buildWorker(out, env, app), buildServer(out, app.version));
  const built = {
    app: app.metafile,
    outputs: app.outputs,
    routes: app.routes,
    worker: worker.metafile,
    server: server.metafile,
    precache: worker.precache,
    version: app.version,
    sizes: await compress(`${out}/app`),
  };
  const kept = how.stack.name === 'preact' ? budgets(built) : [];
  if (!quiet) report(built, kept, performance.now() - started);
  const over = kept.filter(({ bytes, limit }) => bytes > limit);
  if (over.length)
    throw new Error(
      over
        .map(({ name, bytes, limit }) => `${name}: ${bytes} bytes are over the budget of ${limit}`)
        .join('\n'),
    );
  return built;
}

/**
 * What was begun is waited for even if the other failed: it would go on writing into a folder that
 * is being removed.
 */
async function both(...begun) {
  await Promise.allSettled(begun);
  return Promise.all(begun);
}

function report({ sizes, version }, kept, milliseconds) {
  const row = (name, ...columns) =>
    console.log(name.padEnd(44), ...columns.map((column) => String(column).padStart(9)));
  row('file', 'bytes', 'brotli');
  for (const one of sizes) row(one.file, one.bytes, one.brotli);
  if (kept.length) row('\nbudget', 'bytes', 'limit');
  for (const { name, bytes, limit } of kept) row(name, bytes, limit);
  console.log(`\nFieldbell ${version} built in ${(milliseconds / 1000).toFixed(1)} s`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(await fs.realpath(process.argv[1])).href) {
  try {
    process.loadEnvFile('.env');
  } catch {
    // no .env: the environment alone counts
  }
  const out = path.resolve(
    process.argv.includes('--out')
      ? process.argv[process.argv.indexOf('--out') + 1]
      : path.join(root, 'dist'),
  );
  const stack = stackOf(process.argv);
  if (process.argv.includes('--watch'))
    await watch(root, path.join(out, 'server/main.js'), () => build({ out, stack }));
  else await build({ out, stack });
}
