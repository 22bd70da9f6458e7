/** The app's words in other languages, for steps that name controls in English. */
import { readdirSync, readFileSync } from 'node:fs';

type Translation = string | Record<string, string>;

const catalogs = new Map<string, Record<string, Translation>>();

function loadCatalog(language: string): Record<string, Translation> {
  const folder = `src/languages/${language}`;
  const read = (file: string) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'));
  const catalog =
    catalogs.get(language) ??
    (language === 'en' ? {} : Object.assign({}, ...readdirSync(folder).map(read)));
  catalogs.set(language, catalog);
  return catalog;
}

/** `wordsIn('de')('Sign in')`, also for words before an element. Names and other data stay. */
export function createTranslator(language: string): (english: string) => string {
  const catalog = loadCatalog(language);
  return (english) => {
    const key = Object.hasOwn(catalog, english)
      ? english
      : Object.keys(catalog).find((one) => one.startsWith(`${english} <`));
    const translation = catalog[key ?? ''];
    return typeof translation === 'string' ? translation.split(' <')[0]! : english;
  };
}

/** The English of all translations that differ from it. */
export const listEnglishTexts = (language: string): string[] =>
  Object.entries(loadCatalog(language)).flatMap(([key, translation]) =>
    key === translation ? [] : [key],
  );

const VALUE = /\{(\w+)\}/;
const escapePattern = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');

/** The text without its elements. */
const removeElements = (text: string): string => text.replace(/<\/?\w+\/?>/g, '');

/** @param values by name; others match anything */
const toPattern = (text: string, values: Record<string, string> = {}): string =>
  text
    .split(VALUE)
    .map((part, index) => (index % 2 ? (values[part] ?? '.*') : escapePattern(part)))
    .join('');

/**
 * A regular expression for the beginning of a control's name: `Subscribers of` finds
 * `Abonnenten von Storm`, and `Add 4 users` any of the language's plural forms.
 */
export function createNamePattern(language: string, english: string): string {
  const all = Object.entries(loadCatalog(language)).flatMap(([key, translation]) => {
    const values = removeElements(key)
      .split(' | ')
      .map((form) => matchValues(form, english))
      .find((found) => found !== undefined);
    const forms = typeof translation === 'string' ? [translation] : Object.values(translation);
    return values ? forms.map((form) => toPattern(removeElements(form), values)) : [];
  });
  const words = english.trimEnd(); // `Delete ` goes before a name
  const own = escapePattern(createTranslator(language)(words) + english.slice(words.length));
  return [...new Set([own, ...all, escapePattern(english)])].join('|');
}

/** The values of an English text that these words are, or begin. */
function matchValues(key: string, words: string): Record<string, string> | undefined {
  if (key.startsWith(words) && VALUE.test(key)) return {};
  const parts = key.split(VALUE);
  // A text without letters between its values consists of values.
  if (parts.length === 1 || !/\p{L}{2}/u.test(parts.filter((_, index) => index % 2 === 0).join('')))
    return undefined;
  const pattern = parts
    .map((part, index) => (index % 2 ? `(?<${part}_${index}>.+)` : escapePattern(part)))
    .join('');
  const groups = new RegExp(`^${pattern}$`).exec(words)?.groups;
  return groups
    ? Object.fromEntries(
        Object.entries(groups).map(([name, value]) => [
          name.replace(/_\d+$/, ''),
          escapePattern(value),
        ]),
      )
    : undefined;
}
