/** How the app's code is split into files: few round trips, and nobody loads what others share. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { root } from '../bundling/bundling.mjs';
import { filesOf, MAIN, SIGNED_IN } from './routes.mjs';

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
  'ui/forms/Choice.tsx',
  'screens/lists/ByHand.tsx',
  'screens/lists/CopyNames.tsx',
  'screens/lists/Download.tsx',
  'screens/lists/Listing.tsx',
  'screens/lists/Tiles.tsx',
  'screens/lists/address.ts',
  'screens/lists/load.ts',
  'screens/lists/pages.ts',
  'screens/sent/Meter.tsx',
  'screens/sent/words.ts',
  'screens/setup/PolicyField.tsx',
  'screens/topics/TopicForm.tsx',
  'screens/users/RegistrationLink.tsx',
  'screens/users/filters.ts',
  'state/topics/all-topics.ts',
  'state/sending/audience.ts',
  'state/sending/sending.ts',
  'state/topics/topics.ts',
  'state/users/users.ts',
  'ui/lists/ClientPager.tsx',
  'ui/forms/DialogForm.tsx',
  'ui/forms/GrowingText.tsx',
  'ui/lists/Pager.tsx',
  'ui/lists/Search.tsx',
  'ui/forms/Select.tsx',
  'ui/values/When.tsx',
  'ui/clipboard.ts',
  'ui/download.ts',
  'ui/lists/focus.ts',
  'ui/forms/open.ts',
  'ui/lists/keep-scroll.ts',
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
