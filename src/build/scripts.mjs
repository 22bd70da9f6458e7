/** The app's scripts: what makes them few and small. Each trick says what it saves. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { minify } from 'terser';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Files that only administrators load: fetched when one does, and kept then, instead of precached on every phone. */
const ADMIN_SCREENS = /src\/screens\/(Dashboard\.tsx|admin\.ts)$/;

/**
 * esbuild makes one chunk for each set of entries that share code. If everything lazy also imports what is loaded before
 * it, all of that is in one file instead of five, and index.html can ask for just that one: `main` before whatever
 * `app.tsx` loads, and `Shell` before whatever is loaded inside it.
 */
export const fewChunks = {
  name: 'few-chunks',
  setup(build) {
    build.onResolve({ filter: /^\./ }, async ({ kind, importer, resolveDir, path: to }) => {
      if (kind !== 'dynamic-import') return undefined;
      const { path: file } = await build.resolve(to, { kind: 'import-statement', importer, resolveDir });
      return { namespace: 'lazy', path: `./${path.relative(root, file)}`, pluginData: importer.endsWith('src/app.tsx') ? ['main'] : ['main', 'screens/Shell'] };
    });
    build.onLoad({ filter: /./, namespace: 'lazy' }, ({ path: file, pluginData: before }) => ({
      contents: `${before.map((one) => `import './src/${one}';`).join('')} export * from '${file}';`,
      resolveDir: root,
    }));
  },
};

/** Part of what names are hashed from: other options below must give other names. The comment itself is dropped. */
export const POLISHED = '/* polish 2 */';

/**
 * The second half of making scripts small, after esbuild. Resolves with esbuild's outputs as they are then, each with its
 * path below `folder`.
 */
export async function polish({ outputs }, folder) {
  const all = Object.entries(outputs).map(([file, output]) => ({ ...output, file: path.relative(folder, path.resolve(root, file)) }));
  const facades = await dropFacades(all, folder);
  const kept = all.filter(({ file }) => !facades.includes(file.replace(/\.map$/, '')));
  await Promise.all(kept.filter(({ file }) => file.endsWith('.js')).map(({ file }) => minifyAgain(path.join(folder, file))));
  return kept;
}

/**
 * Code that an entry shares lies in a chunk, and the entry's own file only hands on what it exports: `main` and `Shell`.
 * Whoever asks for such a file waits for a second round trip (150 ms on a bad network), so the chunk is asked for itself.
 */
async function dropFacades(outputs, folder) {
  const facades = outputs.filter(({ entryPoint, inputs }) => entryPoint && Object.values(inputs).every(({ bytesInOutput }) => bytesInOutput === 0));
  for (const { file } of facades) {
    const code = await fs.readFile(path.join(folder, file), 'utf8');
    const exported = /import\{(\w+) as (\w+)\}from"\.\/([\w-]+\.js)";.*export\{\2 as (\w+)\}/s.exec(code);
    if (!exported && code.includes('export{')) throw new Error(`${file} has to export one thing to be left out`);
    if (exported) await Promise.all(outputs.filter((one) => one.file.endsWith('.js')).map((one) => redirect(path.join(folder, one.file), path.basename(file), exported)));
    await Promise.all([file, `${file}.map`].map((name) => fs.rm(path.join(folder, name))));
  }
  return facades.map(({ file }) => file);
}

/** Padded to the length it had, so that the source map still holds. */
async function redirect(file, facade, [, inChunk, , chunk, name]) {
  const code = await fs.readFile(file, 'utf8');
  const lazy = new RegExp(`import\\("\\./${facade}"\\)(.{0,3}\\.then\\((\\w+)=>\\2\\.)${name}\\b`, 'g');
  const direct = code.replace(lazy, (all, between) => `import("./${chunk}")${between}${inChunk}`.padEnd(all.length));
  if (direct.includes(facade.replace('.js', '.js"'))) throw new Error(`${path.basename(file)} still asks for ${facade}`);
  await fs.writeFile(file, direct);
}

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

/** The output that holds a source file. */
export const holding = (outputs, source) => outputs.find(({ inputs }) => source in inputs);

/** The files that nobody but an administrator needs: those that only admin screens import. */
export function onlyAdmin(outputs) {
  const byFile = new Map(outputs.map((output) => [output.file, output]));
  const reach = (file, seen) => {
    if (seen.has(file)) return seen;
    seen.add(file);
    for (const { path: to, kind } of byFile.get(file)?.imports ?? []) if (kind === 'import-statement') reach(`assets/${path.basename(to)}`, seen);
    return seen;
  };
  const forAll = ({ entryPoint, inputs }) => (entryPoint ? !ADMIN_SCREENS.test(entryPoint) : 'src/main.tsx' in inputs || 'src/screens/Shell.tsx' in inputs);
  const needed = outputs.filter(forAll).reduce((seen, { file }) => reach(file, seen), new Set());
  return outputs.map(({ file }) => file).filter((file) => file.endsWith('.js') && !needed.has(file));
}
