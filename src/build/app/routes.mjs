/** What the build reads from the table of routes (`src/routes.ts`), and how it is split. */
import fs from 'node:fs/promises';
import path from 'node:path';
import esbuild from 'esbuild';

/** The app's entry. */
export const MAIN = 'src/main.tsx';
/** The file that brings the signed-in part, in the build after the entry. */
export const SIGNED_IN = 'src/signed-in.tsx';
/** And the one that administrators fetch beside it. */
export const ADMINISTRATOR = 'src/administrator.tsx';

/**
 * A route as the build sees it: its pattern, who may see it (`public` or as in the table), whether
 * the name of the file of lists that it is in, if any, whether the build renders it into index.html, and the
 * source file of its screen.
 * @typedef {{ path: string, access: string, list: string | undefined, prerendered: boolean, file: string }} BuiltRoute
 */

/**
 * In the table's place of a screen: the file that it is in.
 * @type {import('esbuild').Plugin}
 */
const filesForScreens = {
  name: 'files-for-screens',
  setup(build) {
    build.onResolve({ filter: /^\.\/screens\// }, ({ path: to }) => ({
      path: to,
      namespace: 'screen-file',
    }));
    build.onLoad({ filter: /./, namespace: 'screen-file' }, ({ path: to }) => ({
      contents: `export const ${path.basename(to)} = ${JSON.stringify(`src/${to.slice(2)}.tsx`)};`,
    }));
  },
};

/**
 * Runs the table of the project in the folder `root`. Resolves with its routes: the login form, the
 * public ones, all others.
 * @param {string} root
 */
export async function readRoutes(root) {
  const {
    outputFiles: [made],
  } = await esbuild.build({
    entryPoints: [path.join(root, 'src/routes.ts')],
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
    plugins: [filesForScreens],
  });
  const source = Buffer.from(made?.contents ?? '').toString('base64');
  const table = await import(`data:text/javascript;base64,${source}`);
  /** @type {Route[]} */
  const all = [
    { ...table.login, access: 'public', prerendered: true },
    ...table.publicRoutes.map((/** @type {Route} */ route) => ({ ...route, access: 'public' })),
    ...table.adminRoutes,
    ...table.signedInRoutes,
  ];
  return Promise.all(all.map(asBuilt));
}

/**
 * A route as it is in the table, bundled by `filesForScreens`.
 * @typedef {{
 *   path: string,
 *   access: string,
 *   nav?: string,
 *   list?: boolean,
 *   prerendered?: boolean,
 *   screen?: string,
 *   load?: () => Promise<string>,
 * }} Route
 */

/** @param {Route} route @returns {Promise<BuiltRoute>} */
async function asBuilt({ path: pattern, access, nav, list, prerendered = false, screen, load }) {
  const file = screen ?? (await load?.());
  if (!file) throw new Error(`src/routes.ts: ${pattern} needs a screen named like its file.`);
  return { path: pattern, access, list: list ? nav?.toLowerCase() : undefined, prerendered, file };
}

/**
 * The files of the screens of which `wanted` is true, each once.
 * @param {BuiltRoute[]} routes
 * @param {(route: BuiltRoute) => boolean} wanted
 */
export const filesOf = (routes, wanted) => [
  ...new Set(routes.filter(wanted).map(({ file }) => file)),
];

/**
 * esbuild splits by file, so the table would be in the first script as a whole, with every screen
 * that it names. Each file that reads it gets a copy of only those constants that it imports.
 * @type {import('esbuild').Plugin}
 */
export const splitRoutes = {
  name: 'split-routes',
  setup(build) {
    build.onResolve({ filter: /^\.\/routes$/ }, ({ importer, resolveDir }) => ({
      path: path.join(resolveDir, 'routes.ts'),
      suffix: `?for=${path.basename(importer)}`,
      pluginData: importer,
    }));
    build.onLoad({ filter: /\/src\/routes\.ts$/ }, async ({ path: file, pluginData: reader }) => ({
      contents: await only(file, await constantsFor(reader)),
      loader: 'js',
      resolveDir: path.dirname(file),
    }));
  },
};

/**
 * The names that a file imports from the table.
 * @param {string} reader
 */
async function constantsFor(reader) {
  const source = await fs.readFile(reader, 'utf8');
  const [, names] = /^import \{([^}]+)\} from '\.\/routes';$/m.exec(source) ?? [];
  if (!names)
    throw new Error(`${reader} must import the constants of src/routes.ts by their names.`);
  return names;
}

/**
 * The table's code with nothing but these constants.
 * @param {string} table @param {string} names
 */
async function only(table, names) {
  const { outputFiles } = await esbuild.build({
    stdin: {
      contents: `export {${names}} from ${JSON.stringify(table)};`,
      resolveDir: path.dirname(table),
    },
    bundle: true,
    format: 'esm',
    target: 'esnext',
    write: false,
    logLevel: 'silent',
    plugins: [screensOutside],
  });
  return outputFiles[0]?.text ?? '';
}

/**
 * Screens stay imports; those that are not used are left out.
 * @type {import('esbuild').Plugin}
 */
const screensOutside = {
  name: 'screens-outside',
  setup(build) {
    build.onResolve({ filter: /^\.\/screens\// }, ({ path: to }) => ({
      path: to,
      external: true,
      sideEffects: false,
    }));
  },
};

/**
 * How the address of a public page begins, as a regular expression: no other route begins so.
 * @param {BuiltRoute[]} routes
 */
export function publicStart(routes) {
  const start = (/** @type {string} */ pattern) => pattern.slice(1);
  const isPage = (/** @type {BuiltRoute} */ { access, prerendered }) =>
    access === 'public' && !prerendered;
  const others = routes.filter((route) => !isPage(route)).map((route) => start(route.path));
  const shortest = (/** @type {string} */ name) => {
    for (let length = 1; length <= name.length; length++)
      if (!others.some((other) => other.startsWith(name.slice(0, length))))
        return name.slice(0, length);
    throw new Error(`src/routes.ts: another route begins with /${name}.`);
  };
  const starts = new Set(routes.filter(isPage).map((route) => shortest(start(route.path))));
  return [...starts].every(({ length }) => length === 1)
    ? `^\\/[${[...starts].join('')}]`
    : `^\\/(${[...starts].join('|')})`;
}

/**
 * How the paths begin that carry a one-time token, such as `register`: no log has them.
 * @param {BuiltRoute[]} routes
 */
export const linkPaths = (routes) =>
  routes.flatMap(({ path: pattern }) => /^\/([\w-]+)\/:token\b/.exec(pattern)?.[1] ?? []);

/**
 * The app's own paths as hosts know them: `*` stands for all below. What an administrator's screen
 * may be called is the app's business.
 * @param {BuiltRoute[]} routes
 */
export function hostedPaths(routes) {
  const paths = routes.flatMap(({ path: pattern, access }) => {
    const [, first = ''] = pattern.split('/');
    if (access === 'admin') return [`/${first}`, `/${first}/*`];
    const fixed = pattern.replace(/\/:.*/, '');
    if (fixed === pattern) return [pattern];
    return pattern.endsWith('?') ? [fixed, `${fixed}/*`] : [`${fixed}/*`];
  });
  return [...new Set(paths)].filter((one) => one !== '/');
}
