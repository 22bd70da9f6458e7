import type { Transaction } from 'kysely';
import type { Tables } from './schema';

/**
 * Lets transactions that name the same lock run one after the other, in all server processes, until this one ends.
 * A row that is written is the one lock that both engines have.
 */
export async function takeLock(name: string, transaction: Transaction<Tables>): Promise<void> {
  await transaction
    .insertInto('settings')
    .values({ name: `lock:${name}`, value: '' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((row) => ({ value: row.ref('excluded.value') })))
    .execute();
}
