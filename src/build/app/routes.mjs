/** Reads the route tables of `src/routes/` for the build and the hosts' rules. */
import { runBundled } from '../bundling/bundling.mjs';

/** @typedef {{ path: string, access?: string }} BuiltRoute */

/** The tables name screens, which the build does not run. @type {import('esbuild').Plugin} */
const withoutScreens = {
  name: 'without-screens',
  setup(build) {
    build.onLoad({ filter: /\/src\/screens\// }, () => ({ contents: '', loader: 'empty' }));
  },
};

/**
 * The project's routes: the login form, public pages, all others.
 * @param {string} root
 * @returns {Promise<BuiltRoute[]>}
 */
export async function readRoutes(root) {
  /** @type {Record<'publicRoutes' | 'adminRoutes' | 'senderRoutes' | 'signedInRoutes', BuiltRoute[]> & { login: BuiltRoute }} */
  const { login, publicRoutes, adminRoutes, senderRoutes, signedInRoutes } = await runBundled({
    absWorkingDir: root,
    logLevel: 'error', // of screens that export nothing
    stdin: {
      contents: ['public', 'admin', 'senders', 'signed-in']
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
    ...senderRoutes,
    ...signedInRoutes,
  ];
}

/**
 * First segments of paths with a one-time token, such as `register`: logs must omit them.
 * @param {BuiltRoute[]} routes
 */
export const linkPaths = (routes) =>
  routes.flatMap(({ path: pattern }) => /^\/([\w-]+)\/:token\b/.exec(pattern)?.[1] ?? []);

/**
 * The app's paths for hosts: `*` stands for everything below. Below `/admin` the app itself
 * decides.
 * @param {BuiltRoute[]} routes
 */
export function hostedPaths(routes) {
  const paths = routes.flatMap(({ path: pattern, access }) => {
    const [, firstSegment = ''] = pattern.split('/');
    if (access === 'admin') return [`/${firstSegment}`, `/${firstSegment}/*`];
    const prefix = pattern.replace(/\/:.*/, '');
    if (prefix === pattern) return [pattern];
    return pattern.endsWith('?') ? [prefix, `${prefix}/*`] : [`${prefix}/*`];
  });
  return [...new Set(paths)].filter((route) => route !== '/');
}
