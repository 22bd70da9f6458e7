/** The app in other languages: a page, a manifest and scripts for each. */
import fs from 'node:fs/promises';
import { writePage } from '../app/page.mjs';
import { loadedBy } from '../app/scripts.mjs';
import { bundleForNode, PRODUCTION, root, run } from '../bundling/bundling.mjs';
import { PAGE_TEXTS } from './catalog.mjs';
import { translatedLanguages } from './languages.mjs';
import { marking } from './mark.mjs';
import { inLanguage, lookupOf, markedScripts, PENDING } from './scripts.mjs';
import { translate } from './translate.mjs';

/**
 * Writes `index.de.html`, `manifest.de.json` and its scripts for each language. Nothing loads them
 * yet, so a build has only those in `LANGUAGES`.
 * @param {string} out
 * @param {string[]} wanted codes
 * @param {{
 * known: Record<string, string>,
 * stack: import('../bundling/stacks.mjs').Stack,
 * development: boolean,
 * stylesheet: string,
 * parts: import('../app/page.mjs').Parts,
 * }} how of the English app
 */
export async function buildLanguages(
  out,
  wanted,
  { known, stack, development, stylesheet, parts },
) {
  const folder = `${out}/app`;
  const languages = (await translatedLanguages()).filter(({ code }) => wanted.includes(code));
  const { marked, plugin } = marking();
  const form = await bundleForNode({
    entryPoints: ['src/prerender.tsx'],
    alias: stack.alias,
    plugins: [plugin, ...stack.plugins],
    define: { VERSION: '""', ...known, ...PRODUCTION, ...PENDING },
  });
  const { write } = await markedScripts(out, known, stack, development);
  const manifest = JSON.parse(await fs.readFile(`${root}/static/manifest.json`, 'utf8'));
  for (const { code, dir } of languages) {
    const lookup = lookupOf(code);
    const text = (/** @type {string} */ key) => String(lookup(key) ?? key);
    const { markup } = await run(inLanguage(translate(form, marked, lookup), code));
    const own = {
      ...parts,
      login: parts.login && markup,
      ...loadedBy(await write(code), stylesheet),
    };
    await writePage(root, folder, own, `index.${code}.html`, (template) =>
      template
        .replace('<html lang="en">', `<html lang="${code}" dir="${dir}">`)
        .replace(PAGE_TEXTS.title, text(PAGE_TEXTS.title))
        .replace(PAGE_TEXTS.description, text(PAGE_TEXTS.description))
        .replace('/manifest.json', `/manifest.${code}.json`),
    );
    await fs.writeFile(
      `${folder}/manifest.${code}.json`,
      JSON.stringify({ ...manifest, lang: code, dir, description: text(PAGE_TEXTS.manifest) }),
    );
  }
}
