/** The app's languages, by their own names; a new one is a line here and a folder in `src/languages/`. */
export const LANGUAGES = [
  { code: 'en', name: 'English', dir: 'ltr' },
  { code: 'de', name: 'Deutsch', dir: 'ltr' },
  { code: 'es', name: 'Español', dir: 'ltr' },
  { code: 'fr', name: 'Français', dir: 'ltr' },
  { code: 'pl', name: 'Polski', dir: 'ltr' },
  { code: 'ar', name: 'العربية', dir: 'rtl' },
] as const;

export type Language = (typeof LANGUAGES)[number]['code'];
export const LANGUAGE_CODES: readonly Language[] = LANGUAGES.map(({ code }) => code);

export type Direction = (typeof LANGUAGES)[number]['dir'];
export const getTextDirection = (language: string): Direction =>
  LANGUAGES.find(({ code }) => code === language)?.dir ?? 'ltr';
