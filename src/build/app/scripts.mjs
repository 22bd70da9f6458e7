/** The app's scripts: what makes them few and small. Each trick says what it saves. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { minify } from 'terser';
import { root } from '../bundling/bundling.mjs';
import { ADMINISTRATOR, filesOf, SIGNED_IN } from './routes.mjs';

/**
 * What esbuild made, with its path below the app's folder.
 * @typedef {import('esbuild').Metafile['outputs'][string] & { file: string }} Output
 */

const MAIN = 'src/main.tsx';
/**
 * The code of a person's messages, wherever they look: one file, since all of it reads the same
 * state, and a page that has one of these soon has all.
 */
export const INBOX = [
  'src/screens/inbox/Messages.tsx',
  'src/screens/inbox/Message.tsx',
  'src/screens/inbox/NewMessages.tsx',
];

/**
 * What the dashboard, the inbox or an administrator's screen outside the lists shares with the
 * lists, and has no state: both have a copy. In a third file it was 700 bytes more for the lists, which are compressed well together.
 */
const COPIED = [
  'api/shapes/admin.ts',
  'api/get.ts',
  'ui/Choice.tsx',
  'screens/lists/ByHand.tsx',
  'screens/lists/CopyNames.tsx',
  'screens/lists/Download.tsx',
  'screens/lists/Listing.tsx',
  'screens/lists/Tiles.tsx',
  'screens/lists/address.ts',
  'screens/lists/load.ts',
  'screens/lists/pages.ts',
  'screens/setup/PolicyField.tsx',
  'screens/topics/TopicForm.tsx',
  'screens/users/RegistrationLink.tsx',
  'screens/users/filters.ts',
  'state/topics/all-topics.ts',
  'state/sending/audience.ts',
  'state/sending/sending.ts',
  'state/topics/topics.ts',
  'state/users/users.ts',
  'ui/ClientPager.tsx',
  'ui/DialogForm.tsx',
  'ui/GrowingText.tsx',
  'ui/Pager.tsx',
  'ui/Search.tsx',
  'ui/Select.tsx',
  'ui/When.tsx',
  'ui/clipboard.ts',
  'ui/download.ts',
  'ui/open.ts',
  'ui/steady.ts',
].map((file) => path.join(root, 'src', file));

/**
 * The screen's folder, directly in src/screens, in which a file or folder is; undefined elsewhere.
 * @param {string} place
 */
const screenOf = (place) =>
  /^src\/screens\/([^/]+)/.exec(path.relative(root, place).split(path.sep).join('/'))?.[1];

/** The lists that have copies of their own: all others are small together. */
const APART = ['dashboard', 'messages', 'reach', 'setup'];

/**
 * Gives sent messages, and the new message, their own copies of what is `COPIED`.
 * @param {import('./routes.mjs').BuiltRoute[]} routes
 * @returns {import('esbuild').Plugin}
 */
export const ownCopies = (routes) => ({
  name: 'own-copies',
  setup(build) {
    const apart = filesOf(
      routes,
      ({ access, list }) => access === 'admin' && (!list || APART.includes(list)),
    );
    const owners = new Set([...apart, ...INBOX].map((file) => screenOf(path.join(root, file))));
    build.onResolve({ filter: /^\./ }, ({ kind, resolveDir, path: to, pluginData }) => {
      const screen = screenOf(resolveDir);
      const owner = screen && owners.has(screen) ? screen : pluginData?.owner;
      if (kind !== 'import-statement' || !owner) return undefined;
      const name = path.join(resolveDir, to);
      const found = COPIED.find((file) => file === `${name}.ts` || file === `${name}.tsx`);
      return found ? { path: found, suffix: `?for=${owner}`, pluginData: { owner } } : undefined;
    });
    build.onLoad({ filter: /\.tsx?$/ }, async ({ path: file, pluginData }) =>
      pluginData?.owner
        ? {
            contents: await fs.readFile(file, 'utf8'),
            loader: file.endsWith('x') ? 'tsx' : 'ts',
            resolveDir: path.dirname(file),
            pluginData,
          }
        : undefined,
    );
  },
});

/**
 * esbuild makes one chunk for each set of entries that share code. If everything lazy also imports
 * what is loaded before it, all of that is in one file instead of five, and index.html can ask for
 * just that one: `main` before a public page and the signed-in part, and that before whatever is
 * loaded inside it. Lists of one place in the navigation are one file, and so is the inbox: what they
 * share would else come a round trip after each.
 * @param {import('./routes.mjs').BuiltRoute[]} routes
 * @returns {import('esbuild').Plugin}
 */
export const fewChunks = (routes) => ({
  name: 'few-chunks',
  setup(build) {
    const lists = [...new Set(routes.flatMap(({ list }) => list ?? []))];
    const groups = [
      ...lists.map((name) => ({ name, files: filesOf(routes, ({ list }) => list === name) })),
      { name: 'inbox', files: INBOX },
    ];
    const first = [SIGNED_IN, ...filesOf(routes, ({ access }) => access === 'public')];
    build.onResolve({ filter: /^\./ }, async ({ kind, importer, resolveDir, path: to }) => {
      if (kind !== 'dynamic-import') return undefined;
      const { path: found } = await build.resolve(to, {
        kind: 'import-statement',
        importer,
        resolveDir,
      });
      const file = path.relative(root, found);
      const group = groups.find(({ files }) => files.includes(file));
      return {
        namespace: 'lazy',
        path: `./${group ? group.name : file}`,
        pluginData: {
          before: first.includes(file) ? [MAIN] : [MAIN, SIGNED_IN],
          files: group ? group.files : [file],
        },
      };
    });
    build.onLoad({ filter: /./, namespace: 'lazy' }, ({ pluginData }) => {
      /** @type {{ before: string[], files: string[] }} */
      const { before, files } = pluginData;
      const lines = [
        ...before.map((one) => `import './${one}';`),
        ...files.map((one) => `export * from './${one}';`),
      ];
      return { contents: lines.join(''), resolveDir: root };
    });
  },
});

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
