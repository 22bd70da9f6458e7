/** The app: styles, scripts, the page and what lies beside it. */
import fs from 'node:fs/promises';
import path from 'node:path';
import esbuild from 'esbuild';
import { styles } from '../../styles/styles.mjs';
import { constants, root } from '../bundling/bundling.mjs';
import { common, hash, PRODUCTION } from '../bundling/options.mjs';
import { copyStatic, inline, writePage } from './page.mjs';
import { MAIN, publicStart, readRoutes, SIGNED_IN, splitRoutes } from './routes.mjs';
import { readSettings } from '../bundling/settings.mjs';
import { fewChunks, ownCopies } from './chunks.mjs';
import { holding, POLISHED, polish } from './scripts.mjs';

/** @typedef {import('../bundling/bundling.mjs').Stack} Stack */
/** @typedef {Awaited<ReturnType<typeof buildApp>>} BuiltApp */

/**
 * The login form's markup: the app's own component, bundled for Node and run.
 * @param {NodeJS.ProcessEnv} env
 * @param {Stack} stack
 * @returns {Promise<string>}
 */
async function prerender(env, stack) {
  const {
    outputFiles: [made],
  } = await esbuild.build({
    ...common,
    entryPoints: ['src/prerender.tsx'],
    platform: 'node',
    format: 'esm',
    write: false,
    alias: stack.alias,
    plugins: [splitRoutes, ...stack.plugins],
    define: { ...constants(env), ...PRODUCTION },
  });
  const source = Buffer.from(made?.contents ?? '').toString('base64');
  return (await import(`data:text/javascript;base64,${source}`)).markup;
}

/**
 * The app, into `app/` and `maps/` of the folder `out`.
 * @param {string} out
 * @param {NodeJS.ProcessEnv} env
 * @param {Stack} stack
 * @param {{ development?: boolean, prerendered?: boolean }} how in development, source maps are
 * inside of the scripts, which are not made as small as they could be
 */
export async function buildApp(out, env, stack, { development = false, prerendered = true } = {}) {
  const folder = `${out}/app`;
  const routes = await readRoutes(root);
  // The login form is in the page before any script: first paint after 520 instead of 736 ms, for
  // 375 bytes.
  const login = await prerender(env, stack);
  // What it needs of the styles is inlined: a round trip less.
  const [all, critical] = await styles(root, login);
  const stylesheet = `assets/app-${hash(all)}.css`;
  await fs.writeFile(`${folder}/${stylesheet}`, all);

  // The version is known when the files are.
  const { VERSION: _, ...known } = constants(env, { STYLES: `/${stylesheet}` });
  const { metafile } = await esbuild.build({
    ...common,
    entryPoints: [MAIN],
    splitting: true,
    format: 'esm',
    outdir: `${folder}/assets`,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    alias: stack.alias,
    external: ['/rescue.js'],
    plugins: [splitRoutes, fewChunks(routes), ...stack.plugins, ownCopies(routes)],
    define: { ...known, ...PRODUCTION },
    sourcemap: development ? 'inline' : 'external',
    banner: { js: POLISHED },
  });
  await esbuild.build({
    ...common,
    entryPoints: ['src/rescue.ts'],
    format: 'esm',
    outfile: `${folder}/rescue.js`,
  });
  const outputs = await polish(metafile, folder, development ? undefined : `${out}/maps`);

  /** @type {[rel: string, as: string, href: string][]} */
  const ahead = [
    ['modulepreload', 'script', `/${holding(outputs, SIGNED_IN).file}`],
    ['preload', 'style', `/${stylesheet}`],
  ];
  const parts = {
    styles: critical,
    inline: inline(ahead, publicStart(routes), readSettings(env).company !== ''),
    routes,
    login: prerendered ? login : '',
    script: holding(outputs, MAIN).file,
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
