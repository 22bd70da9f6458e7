/** The languages of `src/shared/languages.ts`, for the build and the checks. */
import { runBundled } from '../bundling/bundling.mjs';
import { SettingsError } from '../bundling/settings.mjs';

/** @typedef {{ code: string, name: string, dir: 'ltr' | 'rtl' }} Language */

/** @returns {Promise<Language[]>} English first */
export const allLanguages = async () =>
  (await runBundled({ entryPoints: ['src/shared/languages.ts'] })).LANGUAGES;

/** Lists all languages but English, the language of the source. */
export const translatedLanguages = async () =>
  (await allLanguages()).filter(({ code }) => code !== 'en');

/**
 * The languages that a build has besides English.
 * @param {string | undefined} setting `LANGUAGES`: codes such as `de,ar`, `all`, or empty
 * @throws {SettingsError}
 */
export async function builtLanguages(setting = '') {
  const available = await translatedLanguages();
  const requestedCodes = setting
    .split(',')
    .map((code) => code.trim())
    .filter((code) => code && code !== 'en');
  if (requestedCodes.includes('all')) return available;
  const unknownCodes = requestedCodes.filter(
    (requestedCode) => !available.some(({ code }) => code === requestedCode),
  );
  if (unknownCodes.length > 0)
    throw new SettingsError(
      `LANGUAGES contains ${unknownCodes.join(', ')}, but the app has only en, ${available.map(({ code }) => code).join(', ')}.`,
    );
  return available.filter(({ code }) => requestedCodes.includes(code));
}
