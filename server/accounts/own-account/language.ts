import type { Language } from '../../../src/shared/languages';
import type { Transact } from '../../http/access/authority';

/** @param language null follows the browser @param asked the browser's, if one of ours */
export async function changeLanguage(
  language: Language | null,
  asked: Language | undefined,
  userId: number,
  transact: Transact,
): Promise<{ language: Language | null }> {
  await transact(
    (transaction) =>
      transaction
        .updateTable('users')
        .set({ language, ...(language === null && asked && { browser_language: asked }) })
        .where('id', '=', userId)
        .execute(),
    { isExclusive: true },
  );
  return { language };
}
