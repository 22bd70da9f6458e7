import type { Language } from '../../../src/shared/languages';
import type { Transact } from '../../http/access/authority';

/**
 * @param language null follows the browser
 * @param requestedLanguage the browser's, if one of ours
 */
export async function changeLanguage(
  language: Language | null,
  requestedLanguage: Language | undefined,
  userId: number,
  transact: Transact,
): Promise<{ language: Language | null }> {
  await transact(
    (transaction) =>
      transaction
        .updateTable('users')
        .set({
          language,
          ...(language === null && requestedLanguage && { browser_language: requestedLanguage }),
        })
        .where('id', '=', userId)
        .execute(),
    { isExclusive: true },
  );
  return { language };
}
