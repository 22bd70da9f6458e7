/** The languages of `src/shared/languages.ts`, for the build and the checks. */
import { runBundled } from '../bundling/bundling.mjs';

/** @typedef {{ code: string, name: string, dir: 'ltr' | 'rtl' }} Language */

/** @returns {Promise<Language[]>} English first */
export const allLanguages = async () =>
  (await runBundled({ entryPoints: ['src/shared/languages.ts'] })).LANGUAGES;

/** All but English, the source. */
export const translatedLanguages = async () =>
  (await allLanguages()).filter(({ code }) => code !== 'en');
