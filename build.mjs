/**
 * Builds everything: the app and its worker (dist/app, for a CDN or the companion server) and the server (dist/server).
 *
 *   node build.mjs [--watch] [--out DIR]
 *
 * Settings of the app come from the environment or `.env`: API_HOST, FIREBASE_CONFIG, FIREBASE_VAPID_KEY.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { watch as watchFolder } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { Resvg } from '@resvg/resvg-js';
import esbuild from 'esbuild';
import { minify } from 'terser';
import workbox from 'workbox-build';
import { styles } from './src/styles/styles.mjs';
import { budgets } from './test/budgets.mjs';

const root = path.dirname(fileURLToPath(import.meta.url));

const compat = path.join(root, 'src/platform/compat.ts');
/** Source says React, the build says Preact. Tests bundle with the same table. */
export const alias = {
  react: compat,
  'react/jsx-runtime': 'preact/jsx-runtime',
  'react-dom/client': compat,
  '@preact/signals-react': '@preact/signals',
};

/**
 * wouter takes its hooks from a module that makes bundlers keep all of React, through a computed name, and a
 * CommonJS shim with it: 2.5 kB brotli. Ours names what it needs.
 */
export const routerDeps = {
  name: 'router-deps',
  setup(build) {
    build.onResolve({ filter: /\/react-deps\.js$/ }, () => ({ path: path.join(root, 'src/platform/router-deps.ts') }));
  },
};

/** What must never get into the app: real React, and that shim. */
const FORBIDDEN = /node_modules\/(react|react-dom|scheduler|@preact\/signals-react|use-sync-external-store)\//;
/** Files that only administrators load: fetched when one does, and kept then, instead of precached on every phone. */
const ADMIN_SCREENS = /src\/screens\/(Dashboard|Topics|Users|UserSubscriptions)\.tsx$/;
/** Phones that get Chrome updates at all are far beyond this. */
const TARGET = ['chrome108', 'firefox115', 'safari16.4'];

/** The settings that are compiled in, as esbuild's `define`. */
export function constants(env = process.env, more = {}) {
  const values = {
    API_HOST: env.API_HOST ?? '',
    FIREBASE_CONFIG: env.FIREBASE_CONFIG ? JSON.stringify(parse('FIREBASE_CONFIG', env.FIREBASE_CONFIG)) : '', // text: of an object, esbuild would make a file of its own
    FIREBASE_VAPID_KEY: env.FIREBASE_VAPID_KEY ?? '',
    FCM: Boolean(env.FIREBASE_CONFIG),
    VERSION: 'unbuilt',
    STYLES: '',
    ...more,
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]));
}

function parse(name, text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} is not JSON. Paste the configuration object of the Firebase console, with quoted names.`);
  }
}

const hash = (content) => createHash('sha256').update(content).digest('base64url').replace(/[-_]/g, '').slice(0, 8);
const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);
const common = { absWorkingDir: root, bundle: true, minify: true, target: TARGET, jsx: 'automatic', legalComments: 'none', logLevel: 'warning', metafile: true, alias };

/** A module of the source, bundled for Node and imported: how the build runs parts of the app. */
async function run(entry, define) {
  const built = await esbuild.build({ ...common, entryPoints: [entry], platform: 'node', format: 'esm', write: false, define });
  return import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].contents).toString('base64')}`);
}

/**
 * esbuild makes one chunk for each set of entries that share code. If every lazy screen also imports what is loaded before
 * it, all of that is in one file instead of five, and index.html can ask for just that one: `main` before any screen, and
 * `Shell` before what is shown inside it.
 */
const fewChunks = {
  name: 'few-chunks',
  setup(build) {
    build.onLoad({ filter: /src\/screens\/[A-Z]\w+\.tsx$/ }, async ({ path: file }) => {
      const before = ADMIN_SCREENS.test(file) || /(AppManagement|Blocked|InstallSteps|Unsupported)\.tsx$/.test(file) ? './Shell' : '../main';
      return { loader: 'tsx', contents: `${await fs.readFile(file, 'utf8')}\nimport '${before}';` };
    });
  },
};

async function buildApp(out, env) {
  const { markup } = await run('src/prerender.tsx', constants(env));
  const [all, critical] = await styles(root, markup);
  const stylesheet = `assets/app-${hash(all)}.css`;
  const define = { ...constants(env, { STYLES: `/${stylesheet}` }), 'process.env.NODE_ENV': '"production"' };
  delete define.VERSION; // known only when the files are: the worker has it
  const { metafile } = await esbuild.build({ ...common, entryPoints: ['src/main.tsx'], splitting: true, format: 'esm', outdir: `${out}/app/assets`, entryNames: '[name]-[hash]', chunkNames: '[name]-[hash]', plugins: [fewChunks, routerDeps], define, sourcemap: 'linked', banner: { js: MINIFIED_AGAIN } });
  await Promise.all(Object.keys(metafile.outputs).filter((file) => file.endsWith('.js')).map((file) => minifyAgain(path.resolve(root, file))));
  for (const input of Object.keys(metafile.inputs)) if (FORBIDDEN.test(input)) throw new Error(`${input} got into the app: an alias is missing.`);
  await fs.writeFile(`${out}/app/${stylesheet}`, all);

  const outputs = Object.entries(metafile.outputs).map(([file, output]) => ({ ...output, file: path.relative(`${out}/app`, path.resolve(root, file)) }));
  const core = outputs.find(({ inputs }) => 'src/main.tsx' in inputs).file;
  const fill = { styles: critical, inline: INLINE, login: markup, script: core };
  const page = (await fs.readFile(path.join(root, 'static/index.html'), 'utf8')).replace(/\n\s*/g, '\n').replace(/\{\{(\w+)\}\}/g, (_, name) => fill[name]);
  await fs.writeFile(`${out}/app/index.html`, page);
  await copyStatic(out, env, critical);
  return { metafile, admin: onlyAdmin(outputs), version: `${JSON.parse(await fs.readFile(path.join(root, 'package.json'), 'utf8')).version}-${hash(page + outputs.map(({ file }) => file).sort().join())}` };
}

/** Part of what names are hashed from: other options below must give other names. The comment itself is dropped. */
const MINIFIED_AGAIN = '/* terser 1 */';

/** What esbuild leaves: 3% of the brotli bytes. Never `pure_getters`, which drops reads of signals. */
async function minifyAgain(file) {
  const { code, map } = await minify(await fs.readFile(file, 'utf8'), {
    module: true,
    ecma: 2020,
    compress: { ecma: 2020, passes: 3, unsafe_arrows: true, unsafe_methods: true, keep_fargs: false },
    sourceMap: { content: await fs.readFile(`${file}.map`, 'utf8'), filename: path.basename(file), url: `${path.basename(file)}.map` },
  });
  await Promise.all([fs.writeFile(file, code), fs.writeFile(`${file}.map`, map)]);
}

/** Hides the prerendered login form from those who will see something else, before it can be painted. */
const INLINE = `try{(localStorage.jwt_token||/^\\/(re|ve)/.test(location.pathname))&&document.documentElement.setAttribute('data-waiting','')}catch{}`;

/** The files that nobody but an administrator needs: those that only admin screens import. */
function onlyAdmin(outputs) {
  const byFile = new Map(outputs.map((output) => [output.file, output]));
  const reach = (file, seen) => {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const { path: to, kind } of byFile.get(file)?.imports ?? []) if (kind === 'import-statement') reach(`assets/${path.basename(to)}`, seen);
    return seen;
  };
  const isAdmin = ({ entryPoint }) => entryPoint && ADMIN_SCREENS.test(entryPoint);
  const needed = outputs.filter((output) => output.entryPoint && !isAdmin(output)).reduce((seen, { file }) => reach(file, seen), new Set());
  return outputs.map(({ file }) => file).filter((file) => file.endsWith('.js') && !needed.has(file));
}

/** Icons from their drawings, the manifest, and the headers with this page's hashes and hosts. */
async function copyStatic(out, env, critical) {
  const source = (file) => path.join(root, 'static', file);
  const icons = [['logo.svg', 'icon', [192, 512]], ['icon-maskable.svg', 'icon-maskable', [192, 512]], ['badge.svg', 'badge', [96]]];
  for (const [file, name, sizes] of icons) {
    const svg = await fs.readFile(source(file));
    for (const value of sizes) await fs.writeFile(`${out}/app/${name}-${value}.png`, new Resvg(svg, { fitTo: { mode: 'width', value } }).render().asPng());
  }
  for (const file of ['logo.svg', 'manifest.json']) await fs.copyFile(source(file), `${out}/app/${file}`);
  const sha = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const google = env.FIREBASE_CONFIG ? ' https://firebaseinstallations.googleapis.com https://fcmregistrations.googleapis.com' : '';
  const fill = { style: sha(critical), inline: sha(INLINE), connect: (env.API_HOST ? ` ${new URL(env.API_HOST).origin}` : '') + google };
  await fs.writeFile(`${out}/app/_headers`, (await fs.readFile(source('_headers'), 'utf8')).replace(/\{\{(\w+)\}\}/g, (_, name) => fill[name]));
}

/** The worker at the root, with the list of files it keeps. */
async function buildWorker(out, env, { admin, version }) {
  const bundled = `${out}/worker.js`;
  const { metafile } = await esbuild.build({ ...common, entryPoints: ['sw/worker.ts'], format: 'iife', outfile: bundled, define: { ...constants(env, { VERSION: version }), 'process.env.NODE_ENV': '"production"' } });
  const precache = {
    globDirectory: `${out}/app`,
    globPatterns: ['index.html', 'logo.svg', 'icon-192.png', 'badge-96.png', 'assets/*.{js,css}'],
    globIgnores: admin,
    dontCacheBustURLsMatching: /^assets\//,
  };
  const { warnings } = await workbox.injectManifest({ ...precache, swSrc: bundled, swDest: `${out}/app/firebase-messaging-sw.js` });
  if (warnings.length) throw new Error(warnings.join('\n'));
  await fs.rm(bundled);
  const { manifestEntries } = await workbox.getManifest(precache);
  return { metafile, precache: await Promise.all(manifestEntries.map(async ({ url }) => ({ file: url, bytes: (await fs.stat(`${out}/app/${url}`)).size }))) };
}

const buildServer = (out, version) =>
  esbuild.build({ ...common, entryPoints: ['server/main.ts', 'server/demo.ts', 'server/admin.ts'].filter((file) => existing.has(file)), minify: false, sourcemap: 'linked', platform: 'node', target: 'node20', format: 'esm', packages: 'external', outdir: `${out}/server`, splitting: true, chunkNames: '[name]-[hash]', alias: {}, define: { VERSION: JSON.stringify(version) } });
const existing = new Set((await fs.readdir(path.join(root, 'server'))).map((file) => `server/${file}`));

/** Brotli and gzip beside every text file, for servers that send them as they are. */
async function compress(folder) {
  const files = (await fs.readdir(folder, { recursive: true })).filter((file) => /\.(html|js|css|json|svg)$/.test(file));
  return Promise.all(files.sort().map(async (file) => {
    const content = await fs.readFile(path.join(folder, file));
    const packed = await brotli(content, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 11, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: content.length } });
    await Promise.all([fs.writeFile(path.join(folder, `${file}.br`), packed), gzip(content, { level: 9 }).then((zipped) => fs.writeFile(path.join(folder, `${file}.gz`), zipped))]);
    return { file, bytes: content.length, brotli: packed.length };
  }));
}

/** Builds into `out` (app/ and server/) and resolves with what was built: sizes and esbuild's metafiles. */
export async function build({ out = path.join(root, 'dist'), env = process.env, quiet = false } = {}) {
  const started = performance.now();
  await fs.rm(out, { recursive: true, force: true });
  await fs.mkdir(`${out}/app/assets`, { recursive: true });
  const app = await buildApp(out, env);
  const [worker, server] = await Promise.all([buildWorker(out, env, app), buildServer(out, app.version)]);
  const built = { app: app.metafile, worker: worker.metafile, server: server.metafile, precache: worker.precache, version: app.version, sizes: await compress(`${out}/app`) };
  const kept = budgets(built);
  if (!quiet) report(built, kept, performance.now() - started);
  const over = kept.filter(({ bytes, limit }) => bytes > limit);
  if (over.length) throw new Error(over.map(({ name, bytes, limit }) => `${name}: ${bytes} bytes are over the budget of ${limit}`).join('\n'));
  return built;
}

function report({ sizes, version }, kept, milliseconds) {
  const row = (name, ...columns) => console.log(name.padEnd(44), ...columns.map((column) => String(column).padStart(9)));
  row('file', 'bytes', 'brotli');
  for (const { file, bytes, brotli } of sizes) row(file, bytes, brotli);
  row('\nbudget', 'bytes', 'limit');
  for (const { name, bytes, limit } of kept) row(name, bytes, limit);
  console.log(`\nFieldbell ${version} built in ${(milliseconds / 1000).toFixed(1)} s`);
}

/** Builds again and restarts the server whenever a source changes. A build that fails leaves the server as it was. */
async function watch(options) {
  let server;
  const cycle = async () => {
    await build(options);
    const stopped = server && new Promise((resolve) => server.once('exit', resolve));
    server?.kill();
    await stopped;
    server = spawn(process.execPath, ['--enable-source-maps', 'dist/server/main.js'], { cwd: root, stdio: 'inherit' });
  };
  await cycle();
  let cycling = Promise.resolve();
  let timer;
  for (const folder of ['src', 'sw', 'server', 'static']) {
    watchFolder(path.join(root, folder), { recursive: true }, () => {
      clearTimeout(timer); // editors write in bursts
      timer = setTimeout(() => (cycling = cycling.then(cycle).catch((error) => console.error(error.message))), 100);
    });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(await fs.realpath(process.argv[1])).href) {
  try {
    process.loadEnvFile('.env');
  } catch {
    // no .env: the environment alone counts
  }
  const out = process.argv.includes('--out') ? path.resolve(process.argv[process.argv.indexOf('--out') + 1]) : undefined;
  if (process.argv.includes('--watch')) await watch({ out });
  else await build({ out });
}
