import { sql } from 'kysely';
import type { Language } from '../../src/shared/languages';
import type { Database } from '../db/open';
import type { UserRow } from '../db/schema';
import { readAcceptLanguage } from './accept-language';
import { translate } from './translate';

/** The language of pushes and mails to a person. */
export const languageOfPerson = (
  { language, browser_language }: Pick<UserRow, 'language' | 'browser_language'>,
  { defaultLanguage }: { defaultLanguage: Language },
): Language => language ?? browser_language ?? defaultLanguage;

/** Translates for one person: `say('Hello {0},', name)`. */
export const translatorFor =
  (
    person: Parameters<typeof languageOfPerson>[0],
    config: Parameters<typeof languageOfPerson>[1],
  ) =>
  (key: string, ...values: string[]): string =>
    translate(key, languageOfPerson(person, config), ...values);

/** Stores the browser's language at a sign-in or visit. Writes only if it has changed. */
export async function storeBrowserLanguage(
  { id, browser_language }: Pick<UserRow, 'id'> & Partial<Pick<UserRow, 'browser_language'>>,
  acceptLanguage: string | undefined,
  db: Database,
): Promise<void> {
  const language = readAcceptLanguage(acceptLanguage);
  if (language === undefined || language === browser_language) return;
  await db
    .updateTable('users')
    .set({ browser_language: language })
    .where('id', '=', id)
    .where(sql<boolean>`coalesce(browser_language, '') <> ${language}`)
    .execute();
}
