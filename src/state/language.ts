/**
 * The language of the page. Before signing in it is the browser's, or the one chosen at the login
 * form; afterwards the account's. The page's own script reads the stored one before anything is shown.
 */
import { call } from '../api/call';
import { LANGUAGE_STORAGE_KEY, readStored, writeStored } from '../platform/storage/storage';
import { LANGUAGES, type Language } from '../shared/languages';

/** Follows a language that was chosen at the login form, until the sign-in. */
const CHOSEN_SUFFIX = ' chosen';

export const LANGUAGE_FAILED = 'Failed to change your language.';

const rootElement = document.documentElement;

/** The build's languages; the list is empty if English is the only language. */
export const listLanguages = () =>
  LANGUAGES.filter(({ code }) => rootElement.dataset.languages?.split('|').includes(code));

/** The first that the browser asks for. */
export function findBrowserLanguage(): Language {
  const codes = listLanguages().map(({ code }) => code);
  const preferred = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  return (
    codes.find(
      (code) => code === preferred.find((tag) => codes.some((builtCode) => builtCode === tag)),
    ) ?? 'en'
  );
}

/**
 * Stores the language, and reloads the page if the language changed.
 * @param language null follows the browser
 */
export function showLanguage(language: Language | null): boolean {
  const isStored = writeStored(LANGUAGE_STORAGE_KEY, language);
  const availableLanguages = listLanguages();
  const nextLanguage =
    availableLanguages.find(({ code }) => code === language)?.code ?? findBrowserLanguage();
  if (availableLanguages.length === 0 || nextLanguage === rootElement.lang) return false;
  if (isStored) location.reload();
  else location.replace(`/index.${nextLanguage}.html#${location.pathname}${location.search}`);
  return true;
}

/** Whether the page starts again in the account's language after a sign-in. */
export function switchLanguage(language: Language | null): boolean {
  if (language !== null || !readStored(LANGUAGE_STORAGE_KEY)?.endsWith(CHOSEN_SUFFIX))
    return showLanguage(language);
  // The account follows the browser, but the person has just chosen.
  saveLanguage(rootElement.lang as Language).then(
    () => showLanguage(rootElement.lang as Language),
    (error: unknown) => console.info('The chosen language was not saved', error),
  );
  return false;
}

/** @throws {ApiError} */
export const saveLanguage = (language: Language | null) =>
  call('PUT /api/account/language', {
    body: { language },
    // The server uses this language if the person chose none.
    ...(language === null && { headers: { 'Accept-Language': findBrowserLanguage() } }),
    fallback: LANGUAGE_FAILED,
  });
