/**
 * The translations in `src/languages/`: a folder for each language, with a file for each area of the
 * app. A text of several areas is in `common.json`.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { extractTexts } from './extract.mjs';

/** @typedef {string | Record<string, string>} Translation a text, or a plural's forms */
/** @typedef {{ file: string, translation: Translation }} Entry */
/** @typedef {{ key: string, area: string, file: string, line: number, isPlural: boolean }} SourceText */

/** Files that hold no text for people, or only text that is English everywhere (`/api/docs`). */
const FILES_WITHOUT_TEXT =
  /^src\/(build|styles|languages|shared\/contract|platform\/react)\/|\.d\.ts$|^src\/shared\/(common-passwords|contract|help-answers|languages)\.ts$/;

/** The texts of `static/`: the page's title, and the manifest's. */
export const PAGE_TEXTS = {
  title: 'Sign in · Fieldbell',
  language: 'Language',
  manifest: 'Push notifications for the topics you’re subscribed to.',
};

/**
 * Whether a module's texts are translated.
 * @param {string} file
 */
export const isTranslated = (file) =>
  /^(src|sw)\/.*\.tsx?$/.test(file) && !FILES_WITHOUT_TEXT.test(file);

/**
 * The catalog's file for a module: its screen's folder, or its part of the app.
 * @param {string} file
 */
const getArea = (file) => {
  const [part = '', folder = '', screen = ''] = file.split('/');
  if (part === 'sw') return 'worker';
  if (folder === 'screens') return /\./.test(screen) ? 'screens' : screen;
  return /^(state|ui|routes)$/.test(folder) ? folder : 'app';
};

/**
 * @param {string} root
 * @returns {SourceText[]} with their catalog's file; equal ones share theirs
 */
export function sourceTexts(root) {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'sw'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => isTranslated(file) && fs.existsSync(path.join(root, file)))
    .sort();
  const texts = files.flatMap((file) =>
    extractTexts(fs.readFileSync(path.join(root, file), 'utf8'), file).texts.map(
      ({ key, line, kind }) => ({
        key,
        area: getArea(file),
        file,
        line,
        isPlural: kind === 'plural',
      }),
    ),
  );
  for (const key of Object.values(PAGE_TEXTS))
    texts.push({ key, area: 'app', file: 'static/index.html', line: 1, isPlural: false });
  /** @type {Map<string, Set<string>>} */
  const areas = new Map();
  for (const { key, area } of texts) areas.set(key, (areas.get(key) ?? new Set()).add(area));
  return texts.map((text) =>
    (areas.get(text.key)?.size ?? 0) > 1 ? { ...text, area: 'common' } : text,
  );
}

/**
 * @param {string} folder of one language
 * @returns {Map<string, Entry>}
 */
export function readCatalog(folder) {
  const entries = new Map();
  const files = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  for (const file of files.filter((name) => name.endsWith('.json')).sort()) {
    const content = JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8'));
    for (const [key, translation] of Object.entries(content))
      if (!entries.has(key)) entries.set(key, { file, translation });
  }
  return entries;
}

/**
 * The plural forms that whole numbers need.
 * @param {string} language
 * @returns {string[]}
 */
export function listPluralForms(language) {
  const rules = new Intl.PluralRules(language);
  const numbers = Array.from({ length: 201 }, (_, index) => index);
  return [...new Set(numbers.map((number) => rules.select(number)))].sort();
}

/** The name of a device, which some languages leave out. */
const OPTIONAL_PLACEHOLDERS = /\{(deviceWord|phone|word)\}/g;

/**
 * Placeholders and elements of a text, sorted.
 * @param {string} text
 */
const listMarks = (text) =>
  (text.replace(OPTIONAL_PLACEHOLDERS, '').match(/\{\w+\}|<\/?\w+\/?>/g) ?? []).sort().join(' ');

/**
 * The faults of a translation.
 * @param {SourceText} text
 * @param {Translation} translation
 * @param {string} language
 * @returns {string[]}
 */
function entryFaults({ key, isPlural }, translation, language) {
  if (!isPlural) {
    if (typeof translation !== 'string')
      return ['must be a single text, because the English text has no plural forms'];
    if (!translation.trim()) return ['is empty'];
    return listMarks(key) === listMarks(translation)
      ? []
      : [
          `must contain ${describePlaceholders(key)}, but contains ${describePlaceholders(translation)}`,
        ];
  }
  if (typeof translation === 'string')
    return [`must have the plural forms ${listPluralForms(language).join(', ')}`];
  const [one = '', other = one] = key.split(' | ');
  const missingForms = listPluralForms(language).filter((form) => !translation[form]?.trim());
  const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const unknown = Object.keys(translation).filter(
    (form) => !categories.some((category) => category === form),
  );
  const oddForms = Object.entries(translation).filter(
    ([form, text]) =>
      listMarks(text) !== listMarks(other) &&
      listMarks(text) !== listMarks(one) &&
      // Only forms of many numbers need the number.
      !(
        isOneNumber(language, form) &&
        listMarks(text) === listMarks(other.replaceAll('{count}', ''))
      ),
  );
  return [
    ...missingForms.map((form) => `has no plural form “${form}”`),
    ...unknown.map((form) => `has a plural form “${form}”, which the language does not use`),
    ...oddForms.map(
      ([form, text]) =>
        `plural form “${form}” must contain ${describePlaceholders(other)}, but contains ${describePlaceholders(text)}`,
    ),
  ];
}

/** @param {string} text */
const describePlaceholders = (text) => listMarks(text) || 'no placeholders';

/**
 * Such as Arabic's zero and two.
 * @param {string} language
 * @param {string} form
 */
const isOneNumber = (language, form) =>
  Array.from({ length: 201 }, (_, number) => number).filter(
    (number) => new Intl.PluralRules(language).select(number) === form,
  ).length === 1;

/**
 * @typedef {{ missing: SourceText[], faults: string[], needless: { key: string, file: string }[] }} Findings
 * @param {SourceText[]} texts
 * @param {string} language
 * @param {Map<string, Entry>} catalog
 * @returns {Findings}
 */
export function compareWithSource(texts, language, catalog) {
  const missingTexts = [
    ...new Map(
      texts.filter(({ key }) => !catalog.has(key)).map((text) => [text.key, text]),
    ).values(),
  ];
  const sources = new Map(texts.map((text) => [text.key, text]));
  const faults = [];
  const needless = [];
  for (const [key, { file, translation }] of catalog) {
    const text = sources.get(key);
    const place = `src/languages/${language}/${file}: "${key}"`;
    if (!text) needless.push({ key, file });
    else
      for (const fault of entryFaults(text, translation, language))
        faults.push(`${place} ${fault}`);
  }
  return { missing: missingTexts, faults, needless };
}

/**
 * Texts without a translation, as a translator fills them in: area, key, empty text or forms.
 * @param {SourceText[]} missingTexts
 * @param {string} language
 * @returns {Record<string, Record<string, Translation>>}
 */
export function createTranslationTemplate(missingTexts, language) {
  /** @type {Record<string, Record<string, Translation>>} */
  const areas = {};
  const sortedTexts = [...missingTexts].sort((a, b) =>
    a.area === b.area ? compareKeys(a.key, b.key) : compareKeys(a.area, b.area),
  );
  for (const { key, area, isPlural } of sortedTexts) {
    areas[area] ??= {};
    areas[area][key] = isPlural
      ? Object.fromEntries(listPluralForms(language).map((form) => [form, '']))
      : '';
  }
  return areas;
}

/**
 * @param {string} a
 * @param {string} b
 */
export const compareKeys = (a, b) => (a < b ? -1 : Number(a > b));

/**
 * Rewrites a language’s files: sorted, each text in its area's file, without texts that are gone.
 * @param {string} folder
 * @param {SourceText[]} texts
 * @param {Map<string, Entry>} catalog
 */
export function writeCatalog(folder, texts, catalog) {
  /** @type {Map<string, Map<string, Translation>>} */
  const areas = new Map();
  for (const { key, area } of texts) {
    const entry = catalog.get(key);
    if (entry) areas.set(area, (areas.get(area) ?? new Map()).set(key, entry.translation));
  }
  fs.mkdirSync(folder, { recursive: true });
  for (const file of fs.readdirSync(folder))
    if (file.endsWith('.json') && !areas.has(file.slice(0, -5))) fs.rmSync(path.join(folder, file));
  for (const [area, entries] of areas) {
    const sortedEntries = Object.fromEntries([...entries].sort(([a], [b]) => compareKeys(a, b)));
    fs.writeFileSync(
      path.join(folder, `${area}.json`),
      `${JSON.stringify(sortedEntries, null, 2)}\n`,
    );
  }
}
