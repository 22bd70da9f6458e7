import type { ErrorBody } from '../../src/shared/contract';
import type { Language } from '../../src/shared/languages';
import ar from '../languages/ar.json';
import de from '../languages/de.json';
import es from '../languages/es.json';
import fr from '../languages/fr.json';
import pl from '../languages/pl.json';

/** English sentence → translation. Values are `{0}`, `{1}`. */
type Catalog = Readonly<Partial<Record<string, string>>>;

const catalogs: Record<Exclude<Language, 'en'>, Catalog> = { de, es, fr, pl, ar };
const find = (key: string, language: Language): string | undefined => {
  const catalog = language === 'en' ? undefined : catalogs[language];
  return catalog !== undefined && Object.hasOwn(catalog, key) ? catalog[key] : undefined;
};

/** A sentence in a language, or in English without a translation. */
export const translate = (key: string, language: Language, ...values: readonly string[]): string =>
  (find(key, language) ?? key).replace(/\{(\d)\}/g, (mark, at) => values[Number(at)] ?? mark);

/** Rules of the contract put the field's name first: `Username is required.` */
const OF_FIELDS = [
  'is required.',
  'is too long.',
  'must be a single line.',
  'must be a single value.',
  'must be an id.',
  'must be text.',
  'must be a number.',
  'must be true or false.',
  'must be a list.',
  'contains characters that are not allowed.',
];

function translateError(text: string, language: Language): string {
  const rule = OF_FIELDS.find((end) => text.endsWith(` ${end}`));
  if (rule === undefined || find(text, language) !== undefined) return translate(text, language);
  const name = text.slice(0, -rule.length - 1);
  return translate(`{0} ${rule}`, language, translate(name, language));
}

/** The sentences of an error. Paths stay, they are names of fields. */
export const translateErrors = (error: ErrorBody['error'], language: Language) =>
  typeof error === 'string'
    ? translateError(error, language)
    : error.map((one) => ({ ...one, message: translateError(one.message, language) }));
