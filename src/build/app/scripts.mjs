/** The app's scripts once esbuild has made them: what makes them small. Each trick says what it saves. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { minify } from 'terser';
import { root } from '../bundling/bundling.mjs';
import { ADMINISTRATOR, filesOf, MAIN, SIGNED_IN } from './routes.mjs';

/**
 * What esbuild made, with its path below the app's folder.
 * @typedef {import('esbuild').Metafile['outputs'][string] & { file: string }} Output
 */

/**
 * Part of what names are hashed from: other options below must give other names. The comment itself
 * is dropped.
 */
export const POLISHED = '/* polish 4 */';

/**
 * The second half of making scripts small, after esbuild. Resolves with esbuild's outputs as they
 * are then, each with its path below `folder`. Source maps go to the folder `maps`, away from what
 * is published: they are larger than the app, and only its makers read them. Without such a folder,
 * for development, scripts keep the maps inside of them and are not minified again.
 * @param {import('esbuild').Metafile} metafile
 * @param {string} folder
 * @param {string | undefined} maps
 */
export async function polish({ outputs }, folder, maps) {
  const all = Object.entries(outputs).map(([file, output]) => ({
    ...output,
    file: path.relative(folder, path.resolve(root, file)),
  }));
  const facades = await dropFacades(all, folder);
  const kept = all.filter(({ file }) => !facades.includes(file.replace(/\.map$/, '')));
  if (maps)
    await Promise.all(
      kept
        .filter(({ file }) => file.endsWith('.js'))
        .map(({ file }) => minifyAgain(path.join(folder, file), maps)),
    );
  return kept.filter(({ file }) => !file.endsWith('.map'));
}

/**
 * Code that an entry shares lies in a chunk, and the entry's own file only hands on what it
 * exports: `main` and `signed-in`. A page that asks for such a file waits for a second round trip
 * (150 ms on a bad network), so the chunk is asked for itself.
 * @param {Output[]} outputs
 * @param {string} folder
 */
async function dropFacades(outputs, folder) {
  const facades = outputs.filter(
    ({ entryPoint, inputs }) =>
      entryPoint && Object.values(inputs).every(({ bytesInOutput }) => bytesInOutput === 0),
  );
  for (const { file } of facades) {
    const code = await fs.readFile(path.join(folder, file), 'utf8');
    const exported = /import\{(\w+) as (\w+)\}from"\.\/([\w-]+\.js)";.*export\{\2 as (\w+)\}/s.exec(
      code,
    );
    if (!exported && code.includes('export{'))
      throw new Error(`${file} has to export one thing to be left out`);
    if (exported)
      await Promise.all(
        outputs
          .filter((one) => one.file.endsWith('.js'))
          .map((one) => redirect(path.join(folder, one.file), path.basename(file), exported)),
      );
    await Promise.all(
      [file, `${file}.map`].map((name) => fs.rm(path.join(folder, name), { force: true })),
    );
  }
  return facades.map(({ file }) => file);
}

/**
 * Padded to the length it had, so that the source map still holds.
 * @param {string} file
 * @param {string} facade
 * @param {RegExpExecArray} exported
 */
async function redirect(file, facade, [, inChunk, , chunk, name]) {
  const code = await fs.readFile(file, 'utf8');
  const lazy = new RegExp(
    `import\\("\\./${facade}"\\)(.{0,3}\\.then\\((\\w+)=>\\2\\.)${name}\\b`,
    'g',
  );
  const direct = code.replace(lazy, (all, between) =>
    `import("./${chunk}")${between}${inChunk}`.padEnd(all.length),
  );
  if (direct.includes(facade.replace('.js', '.js"')))
    throw new Error(`${path.basename(file)} still asks for ${facade}`);
  await fs.writeFile(file, direct);
}

/**
 * What esbuild leaves: 3% of the brotli bytes. Never `pure_getters`, which drops reads of signals.
 * @param {string} file
 * @param {string} maps
 */
async function minifyAgain(file, maps) {
  await fs.mkdir(maps, { recursive: true });
  const { code, map } = await minify(await fs.readFile(file, 'utf8'), {
    module: true,
    ecma: 2020,
    compress: {
      ecma: 2020,
      passes: 3,
      inline: 1, // of functions only calls of a value: more makes larger scripts
      unsafe_arrows: true,
      unsafe_methods: true,
      keep_fargs: false,
    },
    sourceMap: { content: await fs.readFile(`${file}.map`, 'utf8'), filename: path.basename(file) },
  });
  await Promise.all([
    fs.writeFile(file, code ?? ''),
    fs.writeFile(path.join(maps, `${path.basename(file)}.map`), String(map)),
    fs.rm(`${file}.map`),
  ]);
}

/**
 * The output that holds a source file.
 * @param {Output[]} outputs
 * @param {string} source
 */
export function holding(outputs, source) {
  const found = outputs.find(({ inputs }) => source in inputs);
  if (!found) throw new Error(`${source} is in no script of the app.`);
  return found;
}

/**
 * The files of the output that holds a source file, and of all that it cannot run without.
 * @param {Output[]} outputs
 * @param {string} source
 */
export function withImports(outputs, source) {
  /** @type {Set<string>} */
  const found = new Set();
  const visit = (/** @type {Output | undefined} */ output) => {
    if (!output) throw new Error('A script is imported that the build did not make.');
    if (found.has(output.file)) return;
    found.add(output.file);
    for (const { path: to, kind } of output.imports)
      if (kind === 'import-statement')
        visit(outputs.find(({ file }) => path.basename(file) === path.basename(to)));
  };
  visit(holding(outputs, source));
  return [...found];
}

/**
 * The files that administrators alone need, the dialogs of their screens included: they are fetched
 * when one does, and kept then, instead of precached on every phone.
 * @param {Output[]} outputs
 * @param {import('./routes.mjs').BuiltRoute[]} routes
 */
export function onlyAdmin(outputs, routes) {
  const screens = [ADMINISTRATOR, ...filesOf(routes, ({ access }) => access === 'admin')];
  const byFile = new Map(outputs.map((output) => [output.file, output]));
  const isTheirs = (/** @type {Output} */ { entryPoint, inputs }) =>
    Boolean(entryPoint) && screens.some((file) => file in inputs);
  /** @type {Set<string>} */
  const needed = new Set();
  const reach = (/** @type {Output | undefined} */ output) => {
    if (!output || needed.has(output.file) || isTheirs(output)) return;
    needed.add(output.file);
    for (const { path: to } of output.imports) reach(byFile.get(`assets/${path.basename(to)}`));
  };
  for (const output of outputs)
    if (MAIN in output.inputs || SIGNED_IN in output.inputs) reach(output);
  return outputs
    .map(({ file }) => file)
    .filter((file) => file.endsWith('.js') && !needed.has(file));
}
