/** The app's scripts: splitting, minifying, and finding them again. */
import fs from 'node:fs/promises';
import path from 'node:path';
import esbuild from 'esbuild';
import { minify } from 'terser';
import { commonOptions, PRODUCTION, root } from '../bundling/bundling.mjs';

export const MAIN_ENTRY = 'src/main.tsx';
/** Loaded by the entry. */
export const SIGNED_IN_ENTRY = 'src/signed-in.tsx';
/** Administrators alone load this entry, which imports their screens. */
export const ADMINISTRATOR_ENTRY = 'src/administrator.tsx';
/** Loaded only by people who may send; it imports their screens. */
export const SENDER_ENTRY = 'src/sender.tsx';
/** Loaded by auditors only. */
const AUDITOR_ENTRY = 'src/auditor.tsx';

/** Leaves out the screens that need a right, and what has no components. @type {import('esbuild').Plugin} */
const withoutRights = {
  name: 'without-rights',
  setup(build) {
    const filter = /\/(administrator|sender|auditor|contract\/[\w-]+|rescue\.js)$/;
    build.onResolve({ filter }, ({ path: file }) => ({ path: file, external: true }));
  },
};

/** The components that people without any right may see: files of `src`. */
export async function listCommonComponents() {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [MAIN_ENTRY],
    bundle: true,
    packages: 'external',
    outdir: 'unwritten',
    write: false,
    metafile: true,
    plugins: [withoutRights],
  });
  return Object.keys(metafile.inputs).filter((file) => file.endsWith('.tsx'));
}

/**
 * esbuild creates one chunk for each set of entries that share code: 38 for a technician's first
 * screen. So every lazy file also imports what is loaded by then, which leaves one set. D1 is 2,000
 * bytes smaller, D2 5,700.
 * @type {import('esbuild').Plugin}
 */
const fewChunks = {
  name: 'few-chunks',
  setup(build) {
    build.onResolve({ filter: /^\./ }, async ({ kind, importer, resolveDir, path: to }) => {
      if (kind !== 'dynamic-import') return undefined;
      const { errors, path: file } = await build.resolve(to, {
        kind: 'import-statement',
        importer,
        resolveDir,
      });
      return errors.length ? { errors } : { namespace: 'later', path: path.relative(root, file) };
    });
    build.onLoad({ filter: /./, namespace: 'later' }, ({ path: file }) => {
      const isBeforeSignIn = file === SIGNED_IN_ENTRY || file.startsWith('src/screens/auth/');
      const entriesBefore = isBeforeSignIn ? [MAIN_ENTRY] : [MAIN_ENTRY, SIGNED_IN_ENTRY];
      const imports = entriesBefore.map((entry) => `import './${entry}';`).join('');
      return { contents: `${imports}export * from './${file}';`, resolveDir: root };
    });
  },
};

/**
 * esbuild's output, with its path below the app's folder.
 * @typedef {import('esbuild').Metafile['outputs'][string] & { file: string }} Output
 */

/**
 * A built file of script, and its source map.
 * @typedef {{ code: string, map?: string | undefined }} Script
 */

/**
 * Builds into `app/assets` of `out`. Source maps are inlined in development, otherwise in `maps`,
 * which is not published.
 * @param {string} out
 * @param {Record<string, string>} define
 * @param {import('../bundling/stacks.mjs').Stack} stack
 * @param {boolean} development
 */
export async function buildScripts(out, define, stack, development) {
  const { scripts, ...built } = await bundleScripts(define, stack, development);
  if (!development) await fs.mkdir(`${out}/maps`, { recursive: true });
  await Promise.all(
    [...scripts].map(async ([name, { code, map }]) => {
      await fs.writeFile(`${out}/app/assets/${name}`, code);
      if (map) await fs.writeFile(`${out}/maps/${name}.map`, map);
    }),
  );
  return built;
}

/**
 * Bundles the scripts like `buildScripts`, but returns them instead of writing them.
 * @param {Record<string, string>} define
 * @param {import('../bundling/stacks.mjs').Stack} stack
 * @param {boolean} development
 * @param {import('esbuild').Plugin[]} plugins more of them
 */
export async function bundleScripts(define, stack, development, plugins = []) {
  // The names depend on the path from here to the sources: only a fixed folder gives equal names
  // wherever the build goes.
  const folder = path.join(root, 'dist/app');
  const { metafile, outputFiles } = await esbuild.build({
    ...commonOptions,
    entryPoints: [MAIN_ENTRY],
    splitting: true,
    format: 'esm',
    outdir: `${folder}/assets`,
    entryNames: '[name]-[hash]',
    // Without names of screens: the worker would be 320 bytes larger, and each script that loads others.
    chunkNames: '[hash]',
    alias: stack.alias,
    external: ['/rescue.js'],
    plugins: [fewChunks, ...plugins, ...stack.plugins],
    define: { ...define, ...PRODUCTION },
    sourcemap: development ? 'inline' : 'external',
    write: false,
  });
  const texts = new Map(outputFiles.map(({ path: file, text }) => [path.basename(file), text]));
  /** @type {Map<string, Script>} */
  const scripts = new Map();
  await Promise.all(
    [...texts]
      .filter(([name]) => name.endsWith('.js'))
      .map(async ([name, text]) => {
        const script = development
          ? { code: text }
          : await minifyAgain(name, text, texts.get(`${name}.map`) ?? '');
        scripts.set(name, script);
      }),
  );
  const outputs = Object.entries(metafile.outputs)
    .map(([file, output]) => ({
      ...output,
      file: path.relative(folder, path.resolve(root, file)).split(path.sep).join('/'),
    }))
    .filter(({ file }) => file.endsWith('.js'));
  return { metafile, outputs, scripts };
}

/**
 * After esbuild, Terser saves 2% of D1 and 3% of D2 and D3. Never use its `pure_getters`: it drops
 * reads of signals.
 * @param {string} name
 * @param {string} text
 * @param {string} content the source map
 */
async function minifyAgain(name, text, content) {
  const { code = '', map } = await minify(text, {
    module: true,
    compress: { passes: 2 },
    sourceMap: { content, filename: name },
  });
  return { code, map: String(map) };
}

/**
 * @param {Output | undefined} output
 * @param {string} source
 */
function requireOutput(output, source) {
  if (!output) throw new Error(`${source} was not found in any script of the app.`);
  return output;
}

/**
 * Finds the output that contains a source file.
 * @param {Output[]} outputs
 * @param {string} source
 */
export const outputContaining = (outputs, source) =>
  requireOutput(
    outputs.find(({ inputs }) => source in inputs),
    source,
  );

/**
 * The output that `import()` of a source file loads. Shared code is in a chunk that it imports.
 * @param {Output[]} outputs
 * @param {string} source
 */
export const findEntry = (outputs, source) =>
  requireOutput(
    outputs.find(({ entryPoint }) => entryPoint === `later:${source}`),
    source,
  );

/**
 * The files of an output and everything it imports.
 * @param {Output[]} outputs
 * @param {Output} start
 * @param {(one: Output['imports'][number]) => boolean} isFollowed
 */
export function withImports(
  outputs,
  start,
  isFollowed = ({ kind }) => kind === 'import-statement',
) {
  const byName = new Map(outputs.map((output) => [path.basename(output.file), output]));
  /** @type {Set<string>} */
  const files = new Set();
  const visit = (/** @type {Output} */ output) => {
    if (files.has(output.file)) return;
    files.add(output.file);
    for (const imported of output.imports.filter(({ external }) => !external).filter(isFollowed))
      visit(requireOutput(byName.get(path.basename(imported.path)), imported.path));
  };
  visit(start);
  return [...files];
}

/**
 * The source file that an output is named by: what it loads for, or most of its code.
 * @param {Output} output
 */
export function sourceOf({ entryPoint, inputs }) {
  const [largest = ''] = Object.keys(inputs).sort(
    (a, b) => (inputs[b]?.bytesInOutput ?? 0) - (inputs[a]?.bytesInOutput ?? 0),
  );
  return (entryPoint ?? largest).replace('later:', '');
}

/**
 * A page loads its script, and links to the signed-in part.
 * @param {Output[]} outputs
 * @param {string} stylesheet
 */
export function listLoadedFiles(outputs, stylesheet) {
  // Lazy files import the entry, so the entry's code is in a chunk, which the page loads.
  const script = outputContaining(outputs, MAIN_ENTRY).file;
  const signedIn = withImports(outputs, findEntry(outputs, SIGNED_IN_ENTRY))
    .filter((file) => file !== script)
    .map((file) => `<link rel="modulepreload" href="/${file}">`)
    .join('');
  return {
    script,
    signedIn: `${signedIn}<link rel="preload" as="style" href="/${stylesheet}">`,
  };
}

/** What mailed and printed links open, and a new phone, can do nothing without a network. */
const ONLINE_SCREENS = [
  ...['Register', 'RequestReset', 'ResetPassword', 'VerifyEmail'].map((name) => `auth/${name}`),
  ...['NewPhone', 'PhoneLinkDialog'].map((name) => `new-phone/${name}`),
].map((screen) => `src/screens/${screen}.tsx`);

/**
 * The files that every phone keeps: none that only some people load.
 * @param {Output[]} outputs
 */
export function listKeptFiles(outputs) {
  const otherEntries = [ADMINISTRATOR_ENTRY, SENDER_ENTRY, AUDITOR_ENTRY, ...ONLINE_SCREENS].map(
    (entry) => path.basename(findEntry(outputs, entry).file),
  );
  return withImports(
    outputs,
    outputContaining(outputs, MAIN_ENTRY),
    ({ path: to }) => !otherEntries.includes(path.basename(to)),
  );
}
