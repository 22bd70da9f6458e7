/** What the build and the hosts' rules need of the tables in `src/routes/`. */
import { runBundled } from '../bundling/bundling.mjs';

/** @typedef {{ path: string, access?: string }} BuiltRoute */

/**
 * The tables name screens, which the build does not run.
 * @type {import('esbuild').Plugin}
 */
const withoutScreens = {
  name: 'without-screens',
  setup(build) {
    build.onLoad({ filter: /\/src\/screens\// }, () => ({ contents: '', loader: 'empty' }));
  },
};

/**
 * The routes of the project in the folder `root`: the login form, the public pages, all others.
 * @param {string} root
 * @returns {Promise<BuiltRoute[]>}
 */
export async function readRoutes(root) {
  /** @type {Record<'publicRoutes' | 'adminRoutes' | 'signedInRoutes', BuiltRoute[]> & { login: BuiltRoute }} */
  const { login, publicRoutes, adminRoutes, signedInRoutes } = await runBundled({
    absWorkingDir: root,
    logLevel: 'error', // of screens that export nothing
    stdin: {
      contents: ['public', 'admin', 'signed-in']
        .map((table) => `export * from './src/routes/${table}';`)
        .join(''),
      resolveDir: root,
    },
    plugins: [withoutScreens],
  });
  return [
    { path: login.path },
    ...publicRoutes.map(({ path }) => ({ path, access: 'public' })),
    ...adminRoutes,
    ...signedInRoutes,
  ];
}

/**
 * How the paths begin that carry a one-time token, such as `register`: no log has them.
 * @param {BuiltRoute[]} routes
 */
export const linkPaths = (routes) =>
  routes.flatMap(({ path: pattern }) => /^\/([\w-]+)\/:token\b/.exec(pattern)?.[1] ?? []);

/**
 * The app's own paths as hosts know them: `*` stands for all below. The app decides which paths
 * below `/admin` exist.
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
