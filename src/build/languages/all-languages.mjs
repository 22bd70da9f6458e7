/** Scripts with the texts of all languages: the worker and the rescue have one address for everyone. */
import fs from 'node:fs/promises';
import path from 'node:path';
import esbuild from 'esbuild';
import { commonOptions, root } from '../bundling/bundling.mjs';
import { createMarking } from './mark.mjs';
import { createLookup } from './scripts.mjs';
import { translateForAll } from './translate.mjs';

/**
 * @param {import('./languages.mjs').Language[]} languages besides English
 * @param {string} current an expression for the language, at run time
 * @param {import('esbuild').BuildOptions & { outfile: string }} options
 */
export async function buildForAll(languages, current, options) {
  const { marked, plugin } = createMarking();
  const { metafile, outputFiles } = await esbuild.build({
    ...commonOptions,
    ...options,
    define: {
      ...options.define,
      LANGUAGE: languages.length > 0 ? current : '"en"',
      LOCALE: languages.length > 0 ? current : '"en"',
      COMMA: '", "',
    },
    plugins: languages.length > 0 ? [plugin] : [],
    write: false,
  });
  const lookups = languages.map(({ code }) => ({ code, lookup: createLookup(code) }));
  const [{ text } = { text: '' }] = outputFiles;
  await fs.writeFile(
    path.resolve(root, options.outfile),
    lookups.length > 0 ? translateForAll(text, marked, lookups, current) : text,
  );
  return { metafile };
}
