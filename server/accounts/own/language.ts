import type { Language } from '../../../src/shared/languages';
import type { Transact } from '../../http/access/authority';

/** @param language null follows the browser */
export async function changeLanguage(
  language: Language | null,
  userId: number,
  transact: Transact,
): Promise<{ language: Language | null }> {
  await transact(
    (transaction) =>
      transaction.updateTable('users').set({ language }).where('id', '=', userId).execute(),
    { isExclusive: true },
  );
  return { language };
}
