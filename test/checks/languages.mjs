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
  compare,
  readCatalog,
  sourceTexts,
  template,
  writeCatalog,
} from '../../src/build/languages/catalog.mjs';
import { translatedLanguages } from '../../src/build/languages/languages.mjs';

const folderOf = (language) => path.join(root, 'src/languages', language);

/** Everything that is wrong, with its place. @param isStrict a missing translation is a fault */
export async function languageFaults(isStrict = true) {
  const texts = sourceTexts(root);
  const found = [];
  for (const { code } of await translatedLanguages()) {
    const { missing, faults, needless } = compare(texts, code, readCatalog(folderOf(code)));
    found.push(
      ...faults,
      ...needless.map(
        ({ key, file }) => `src/languages/${code}/${file}: "${key}" is no text of the app`,
      ),
    );
    if (isStrict)
      found.push(
        ...missing.map(({ key, file, line }) => `${file}:${line} has no ${code}: "${key}"`),
      );
  }
  return found;
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
    const { missing } = compare(texts, values.missing, readCatalog(folderOf(values.missing)));
    console.log(JSON.stringify(template(missing, values.missing), null, 2));
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
    const { missing, faults, needless } = compare(texts, code, readCatalog(folderOf(code)));
    console.log(
      `${code}: ${unique - missing.length} of ${unique} texts, ${needless.length} gone, ${faults.length} faults`,
    );
    for (const fault of faults) console.log(`  ${fault}`);
    if (faults.length) process.exitCode = 1;
  }
}

if (process.argv[1]?.endsWith('languages.mjs')) await main();
