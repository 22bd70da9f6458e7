/** The app's scripts in other languages. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { bundleScripts } from '../app/scripts.mjs';
import { hashContent, root } from '../bundling/bundling.mjs';
import { readCatalog } from './catalog.mjs';
import { createMarking } from './mark.mjs';
import { translateCode } from './translate.mjs';

/** @typedef {import('../app/scripts.mjs').Output} Output */

/** These constants stand for a language's own values until its scripts are built. */
export const PENDING_CONSTANTS = {
  LANGUAGE: '"@language@"',
  LOCALE: '"@locale@"',
  COMMA: '"@comma@"',
};

/**
 * For `Intl`: Arabic with Latin digits, as our clock times and phone numbers have.
 * @param {string} code
 */
const getLocale = (code) => (code === 'ar' ? 'ar-u-nu-latn' : code);

/**
 * A language's translations.
 * @param {string} code
 */
export function createLookup(code) {
  const catalog = readCatalog(path.join(root, 'src/languages', code));
  return (/** @type {string} */ key) => catalog.get(key)?.translation;
}

/**
 * Between the items of a list: Arabic has its own.
 * @param {string} code
 */
const getComma = (code) => (code === 'ar' ? '، ' : ', ');

/**
 * @param {string} text
 * @param {string} code
 */
export const inLanguage = (text, code) =>
  text
    .replaceAll('@language@', code)
    .replaceAll('@locale@', getLocale(code))
    .replaceAll('@comma@', getComma(code));

/**
 * Builds once with marks. Resolves with a function that writes the scripts of one language, each
 * named by its content; files without text keep their names, so languages share them.
 * @param {string} out
 * @param {Record<string, string>} define
 * @param {import('../bundling/stacks.mjs').Stack} stack
 * @param {boolean} development
 */
export async function markedScripts(out, define, stack, development) {
  const { marked, plugin } = createMarking();
  const { outputs, scripts, metafile } = await bundleScripts(
    { ...define, ...PENDING_CONSTANTS },
    stack,
    development,
    [plugin],
  );
  const imports = new Map(
    outputs.map(({ file, imports: allImports }) => [
      path.basename(file),
      allImports
        .filter(({ external }) => !external)
        .map((imported) => path.basename(imported.path)),
    ]),
  );
  const reach = new Map([...imports.keys()].map((name) => [name, reachedFrom(name, imports)]));
  const withText = new Set(
    [...scripts].flatMap(([name, { code }]) =>
      /@t[:,/]|@(language|locale|comma)@/.test(code) ? [name] : [],
    ),
  );

  /**
   * @param {string} code the language's
   * @returns {Promise<Output[]>}
   */
  async function write(code) {
    const lookup = createLookup(code);
    const ownTexts = new Map(
      [...scripts].map(([name, script]) => [
        name,
        inLanguage(translateCode(script.code, marked, lookup), code),
      ]),
    );
    const contents = new Map([...ownTexts].map(([name, text]) => [name, hashContent(text)]));
    const newNames = new Map(
      [...ownTexts.keys()].map((name) => {
        const reachedNames = [...(reach.get(name) ?? [])];
        if (!reachedNames.some((reachedName) => withText.has(reachedName))) return [name, name];
        const content = hashContent(
          [name, ...reachedNames.sort().map((reachedName) => contents.get(reachedName))].join(),
        );
        return [name, `${content}.js`];
      }),
    );
    await Promise.all(
      [...ownTexts].map(([name, text]) =>
        fs.writeFile(
          `${out}/app/assets/${newNames.get(name)}`,
          text.replace(/\b\w{8}\.js\b/g, (oldName) => newNames.get(oldName) ?? oldName),
        ),
      ),
    );
    const newName = (/** @type {string} */ file) =>
      file.replace(path.basename(file), newNames.get(path.basename(file)) ?? path.basename(file));
    return outputs.map((output) => ({
      ...output,
      file: newName(output.file),
      imports: output.imports.map((imported) => ({ ...imported, path: newName(imported.path) })),
    }));
  }
  return { write, metafile };
}

/**
 * @param {string} name
 * @param {Map<string, string[]>} imports
 * @param {Set<string>} reachable
 */
function reachedFrom(name, imports, reachable = new Set()) {
  if (reachable.has(name)) return reachable;
  reachable.add(name);
  for (const importedName of imports.get(name) ?? []) reachedFrom(importedName, imports, reachable);
  return reachable;
}
