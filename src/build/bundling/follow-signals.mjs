/** Real React's side of signals: without their Babel transform nothing is rendered again there. */
import fs from 'node:fs/promises';

/**
 * Makes every component of a `.tsx` follow the signals that it reads: every one, since some read
 * them through functions. Babel is loaded only where this runs: 0.2 s that no other build waits
 * for.
 * @type {import('esbuild').Plugin}
 */
export const followSignals = {
  name: 'follow-signals',
  async setup(build) {
    const [{ default: babel }, { default: transform }] = await Promise.all([
      import('@babel/core'),
      import('@preact/signals-react-transform'),
    ]);
    build.onLoad({ filter: /\/src\/.*\.tsx$/ }, async ({ path: file }) => {
      const made = await babel.transformAsync(await fs.readFile(file, 'utf8'), {
        filename: file,
        configFile: false,
        babelrc: false,
        browserslistConfigFile: false, // package.json leaves that package out
        parserOpts: { plugins: ['jsx', 'typescript'] },
        plugins: [[transform, { mode: 'all' }]],
        sourceMaps: 'inline',
      });
      return { loader: 'tsx', contents: made?.code ?? '' };
    });
  },
};
