/**
 * Translations against the app's texts: `node test/checks/languages.mjs` prints counts and faults.
 * `--missing LANGUAGE` prints what to translate as JSON, `--fill LANGUAGE FILE` takes it back filled
 * in, `--tidy` sorts all files and drops texts that are gone, `--where TEXT` names a text's places.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../src/build/bundling/bundling.mjs';
import {
  compareWithSource,
  readCatalog,
  sourceTexts,
  createTranslationTemplate,
  writeCatalog,
} from '../../src/build/languages/catalog.mjs';
import { translatedLanguages } from '../../src/build/languages/languages.mjs';

const folderOf = (language) => path.join(root, 'src/languages', language);

/** Everything that is missing or wrong, with its place. */
export async function languageFaults() {
  const texts = sourceTexts(root);
  const allFaults = comparedTexts(texts);
  for (const { code } of await translatedLanguages()) {
    const { missing, faults, needless } = compareWithSource(
      texts,
      code,
      readCatalog(folderOf(code)),
    );
    allFaults.push(
      ...faults,
      ...needless.map(
        ({ key, file }) => `src/languages/${code}/${file}: "${key}" is no text of the app`,
      ),
    );
    allFaults.push(
      ...missing.map(({ key, file, line }) => `${file}:${line} has no ${code}: "${key}"`),
    );
  }
  return allFaults;
}

const TEXT_COMPARISON = /(?:[!=]== |\bcase )'(\p{Lu}[^']+|[^']+ [^']+)'/gu;

/** Comparisons with a text, which is another one in other languages. */
function comparedTexts(texts) {
  const keys = new Set(texts.map(({ key }) => key));
  return [...new Set(texts.map(({ file }) => file))]
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) =>
      fs
        .readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          [...line.matchAll(TEXT_COMPARISON)]
            .filter(([, text]) => keys.has(text))
            .map(([, text]) => `${file}:${index + 1} compares with the text “${text}”`),
        ),
    );
}

/** Sentences that the server's code says in a person's language. */
const TRANSLATED_CALL =
  /\b(?:translateText|translate)\(\s*(?:'((?=[A-Z{])(?:[^'\\]|\\.)*)'|`([^`$]*)`)/g;
const placesIn = (text) => [...new Set(text.match(/\{\d\}/g))].sort().join();

/** Missing and wrong translations in `server/languages`, with their places. */
export async function serverLanguageFaults() {
  const codes = (await translatedLanguages()).map(({ code }) => code);
  const fileOf = (code) => `server/languages/${code}.json`;
  const read = (/** @type {string} */ file) =>
    fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
  const catalogs = codes.map((code) => [fileOf(code), read(path.join(root, fileOf(code)))]);
  const keys = new Set(catalogs.flatMap(([, catalog]) => Object.keys(catalog)));
  const sources = fs
    .readdirSync(path.join(root, 'server'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'));
  for (const file of sources)
    for (const [, text, other] of fs
      .readFileSync(path.join(root, 'server', file), 'utf8')
      .matchAll(TRANSLATED_CALL))
      keys.add((text ?? other).replaceAll('\\n', '\n').replaceAll("\\'", "'"));
  return catalogs.flatMap(([file, catalog]) =>
    [...keys].flatMap((key) => {
      if (!Object.hasOwn(catalog, key)) return `${file} lacks "${key}"`;
      return placesIn(catalog[key]) === placesIn(key) ? [] : `${file}: other values in "${key}"`;
    }),
  );
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      missing: { type: 'string' },
      fill: { type: 'string' },
      tidy: { type: 'boolean' },
      where: { type: 'string' },
    },
  });
  const texts = sourceTexts(root);
  const { where } = values;
  if (where) {
    for (const { key, file, line } of texts.filter((one) => one.key.includes(where)))
      console.log(`${file}:${line}  ${key}`);
    return;
  }
  if (values.missing) {
    const { missing } = compareWithSource(
      texts,
      values.missing,
      readCatalog(folderOf(values.missing)),
    );
    console.log(JSON.stringify(createTranslationTemplate(missing, values.missing), null, 2));
    return;
  }
  if (values.fill) {
    const catalog = readCatalog(folderOf(values.fill));
    const filled = JSON.parse(fs.readFileSync(positionals[0], 'utf8'));
    for (const [area, entries] of Object.entries(filled))
      for (const [key, translation] of Object.entries(entries))
        if (JSON.stringify(translation).match(/:""|^""/) === null)
          catalog.set(key, { file: `${area}.json`, translation });
    writeCatalog(folderOf(values.fill), texts, catalog);
  }
  const languages = await translatedLanguages();
  if (values.tidy)
    for (const { code } of languages)
      writeCatalog(folderOf(code), texts, readCatalog(folderOf(code)));
  const unique = new Set(texts.map(({ key }) => key)).size;
  for (const { code } of languages) {
    const { missing, faults, needless } = compareWithSource(
      texts,
      code,
      readCatalog(folderOf(code)),
    );
    console.log(
      `${code}: ${unique - missing.length} of ${unique} texts, ${needless.length} gone, ${faults.length} faults`,
    );
    for (const fault of faults) console.log(`  ${fault}`);
    if (faults.length) process.exitCode = 1;
  }
  for (const fault of await serverLanguageFaults()) {
    console.log(fault);
    process.exitCode = 1;
  }
}

if (process.argv[1]?.endsWith('languages.mjs')) await main();
