/** The app's scripts in other languages. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { bundleScripts } from '../app/scripts.mjs';
import { hash, root } from '../bundling/bundling.mjs';
import { readCatalog } from './catalog.mjs';
import { marking } from './mark.mjs';
import { translateCode } from './translate.mjs';

/** @typedef {import('../app/scripts.mjs').Output} Output */

/** Stand for a language's own until its build. */
export const PENDING = {
  LANGUAGE: '"@language@"',
  LOCALE: '"@locale@"',
  COMMA: '"@comma@"',
};

/** For `Intl`: Arabic with Latin digits, as our clock times and phone numbers have. @param {string} code */
const localeOf = (code) => (code === 'ar' ? 'ar-u-nu-latn' : code);

/** A language's translations. @param {string} code */
export function createLookup(code) {
  const catalog = readCatalog(path.join(root, 'src/languages', code));
  return (/** @type {string} */ key) => catalog.get(key)?.translation;
}

/** Between the items of a list: Arabic has its own. @param {string} code */
const commaOf = (code) => (code === 'ar' ? '، ' : ', ');

/** @param {string} text @param {string} code */
export const inLanguage = (text, code) =>
  text
    .replaceAll('@language@', code)
    .replaceAll('@locale@', localeOf(code))
    .replaceAll('@comma@', commaOf(code));

/**
 * Builds once with marks. Resolves with a function that writes the scripts of one language, each
 * named by its content; files without text keep their names, so languages share them.
 * @param {string} out
 * @param {Record<string, string>} define
 * @param {import('../bundling/stacks.mjs').Stack} stack
 * @param {boolean} development
 */
export async function markedScripts(out, define, stack, development) {
  const { marked, plugin } = marking();
  const { outputs, scripts, metafile } = await bundleScripts(
    out,
    { ...define, ...PENDING },
    stack,
    development,
    [plugin],
  );
  const imports = new Map(
    outputs.map(({ file, imports: all }) => [
      path.basename(file),
      all.filter(({ external }) => !external).map((one) => path.basename(one.path)),
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
    const own = new Map(
      [...scripts].map(([name, script]) => [
        name,
        inLanguage(translateCode(script.code, marked, lookup), code),
      ]),
    );
    const contents = new Map([...own].map(([name, text]) => [name, hash(text)]));
    const newNames = new Map(
      [...own.keys()].map((name) => {
        const all = [...(reach.get(name) ?? [])];
        if (!all.some((one) => withText.has(one))) return [name, name];
        const content = hash([name, ...all.sort().map((one) => contents.get(one))].join());
        return [name, name.replace(/-\w+\.js$/, `-${content}.js`)];
      }),
    );
    await Promise.all(
      [...own].map(([name, text]) =>
        fs.writeFile(
          `${out}/app/assets/${newNames.get(name)}`,
          text.replace(/[\w-]+-\w{8}\.js/g, (found) => newNames.get(found) ?? found),
        ),
      ),
    );
    const newName = (/** @type {string} */ file) =>
      file.replace(path.basename(file), newNames.get(path.basename(file)) ?? path.basename(file));
    return outputs.map((output) => ({
      ...output,
      file: newName(output.file),
      imports: output.imports.map((one) => ({ ...one, path: newName(one.path) })),
    }));
  }
  return { write, metafile };
}

/** @param {string} name @param {Map<string, string[]>} imports @param {Set<string>} reachable */
function reachedFrom(name, imports, reachable = new Set()) {
  if (reachable.has(name)) return reachable;
  reachable.add(name);
  for (const one of imports.get(name) ?? []) reachedFrom(one, imports, reachable);
  return reachable;
}
