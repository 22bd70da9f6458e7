/** The app in other languages: a page, a manifest and scripts for each. */
import fs from 'node:fs/promises';
import { createChooser, writePage } from '../app/page.mjs';
import { listLoadedFiles } from '../app/scripts.mjs';
import { bundleForNode, PRODUCTION, root, run } from '../bundling/bundling.mjs';
import { PAGE_TEXTS } from './catalog.mjs';
import { createMarking } from './mark.mjs';
import { inLanguage, createLookup, markedScripts, PENDING_CONSTANTS } from './scripts.mjs';
import { translateCode } from './translate.mjs';

/**
 * @typedef {{ code: string, outputs: import('../app/scripts.mjs').Output[] }} Translated
 */

/**
 * Writes the page, manifest and scripts of each language, such as `index.de.html`. Also copies the
 * English page to `index.en.html`, because the other pages link to it.
 * @param {string} out
 * @param {import('./languages.mjs').Language[]} languages
 * @param {{
 * choices: { code: string, name: string }[],
 * known: Record<string, string>,
 * stack: import('../bundling/stacks.mjs').Stack,
 * development: boolean,
 * stylesheet: string,
 * parts: import('../app/page.mjs').Parts,
 * }} how of the English app
 * @returns {Promise<Translated[]>}
 */
export async function buildLanguages(
  out,
  languages,
  { choices, known, stack, development, stylesheet, parts },
) {
  const folder = `${out}/app`;
  await fs.copyFile(`${folder}/index.html`, `${folder}/index.en.html`);
  const { marked, plugin } = createMarking();
  const loginForm = await bundleForNode({
    entryPoints: ['src/prerender.tsx'],
    alias: stack.alias,
    plugins: [plugin, ...stack.plugins],
    define: { VERSION: '""', ...known, ...PRODUCTION, ...PENDING_CONSTANTS },
  });
  const { write } = await markedScripts(out, known, stack, development);
  const manifest = JSON.parse(await fs.readFile(`${root}/static/manifest.json`, 'utf8'));
  const translatedPages = [];
  for (const { code, dir } of languages) {
    const lookup = createLookup(code);
    const text = (/** @type {string} */ key) => String(lookup(key) ?? key);
    const { markup } = await run(inLanguage(translateCode(loginForm, marked, lookup), code));
    const outputs = await write(code);
    translatedPages.push({ code, outputs });
    const ownScripts = {
      ...parts,
      chooser: createChooser(choices, code, text(PAGE_TEXTS.language)),
      login: parts.login && markup,
      ...listLoadedFiles(outputs, stylesheet),
    };
    await writePage(root, folder, ownScripts, `index.${code}.html`, (template) =>
      template
        .replace('<html lang="en"', `<html lang="${code}" dir="${dir}"`)
        .replace(PAGE_TEXTS.title, text(PAGE_TEXTS.title))
        .replace('/manifest.json', `/manifest.${code}.json`),
    );
    await fs.writeFile(
      `${folder}/manifest.${code}.json`,
      JSON.stringify({ ...manifest, lang: code, dir, description: text(PAGE_TEXTS.manifest) }),
    );
  }
  return translatedPages;
}
