import fs from 'node:fs/promises';

/**
 * A plugin: what the app fetches when it is needed goes through `fetchCode`, a variable of the
 * tests' document (`app/dom.ts`). So a test can say which of it cannot be had, or is slow.
 * @type {import('esbuild').Plugin}
 */
export const lostCode = {
  name: 'lost-code',
  setup(build) {
    build.onLoad({ filter: /\/src\/(platform|screens|state)\/.*\.tsx?$/ }, async ({ path }) => {
      const text = await fs.readFile(path, 'utf8');
      if (path.includes('/test/') || !text.includes("import('")) return undefined;
      const contents = text.replace(/\bimport\(('[^']+')\)/g, 'fetchCode($1, () => import($1))');
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};
