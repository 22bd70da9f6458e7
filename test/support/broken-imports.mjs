import fs from 'node:fs/promises';

/**
 * Leads `import()` through `fetchCode` of the tests' document, so that tests can make it fail or
 * wait (`app/broken-imports.ts`).
 * @param {string} source
 */
const divert = (source) =>
  source.replace(/(?<!typeof )\bimport\((['"][^'"]+['"])\)/g, 'fetchCode($1, () => import($1))');

/** @type {import('esbuild').Plugin} */
const lostCode = {
  name: 'broken-imports',
  setup(build) {
    build.onLoad({ filter: /\/src\/(platform|screens|state)\/.*\.tsx?$/ }, async ({ path }) => {
      const text = await fs.readFile(path, 'utf8');
      if (path.includes('/test/') || !text.includes("import('")) return undefined;
      return { contents: divert(text), loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

/**
 * Adds it to the plugins, also to what one of them loads itself.
 * @param {import('esbuild').Plugin[]} plugins
 * @returns {import('esbuild').Plugin[]}
 */
export const withBrokenImports = (plugins) => [
  ...plugins.map(({ name, setup }) => ({
    name,
    setup: (/** @type {import('esbuild').PluginBuild} */ build) =>
      setup({
        ...build,
        onLoad: (options, load) =>
          build.onLoad(options, async (request) => {
            const loaded = await load(request);
            return typeof loaded?.contents === 'string'
              ? { ...loaded, contents: divert(loaded.contents) }
              : loaded;
          }),
      }),
  })),
  lostCode,
];
