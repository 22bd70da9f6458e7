import type { LANGUAGES, Language } from '../../shared/languages';

/** Names a language in the language of the page: `German`. */
export const languageName = (language: Language): string =>
  new Intl.DisplayNames([LOCALE], { type: 'language' }).of(language) ?? language;

/** Names a language for its readers and for people who only choose it: `Deutsch (German)`. */
export const languageLabel = ({ code, name }: (typeof LANGUAGES)[number]): string => {
  const translatedName = languageName(code);
  return translatedName === name ? name : `${name} (${translatedName})`;
};
