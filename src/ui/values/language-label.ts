import type { LANGUAGES, Language } from '../../shared/languages';

/** Such as `German`, in the language of the page. */
export const languageName = (language: Language): string =>
  new Intl.DisplayNames([LOCALE], { type: 'language' }).of(language) ?? language;

/** For those who read the language, and for those who only choose it: `Deutsch (German)`. */
export const languageLabel = ({ code, name }: (typeof LANGUAGES)[number]): string => {
  const translatedName = languageName(code);
  return translatedName === name ? name : `${name} (${translatedName})`;
};
