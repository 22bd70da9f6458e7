/** Subscriptions by name, beside those that a team gives. */
import type { OnConflictBuilder, Transaction } from 'kysely';
import { idList } from '../db/json-table';
import type { Tables } from '../db/schema';
import { isSubscribedByTeam } from '../memberships/subscribed-by';

/** A person whom a team subscribes is then subscribed by name, too. */
export const addByNameOnConflict = (conflict: OnConflictBuilder<Tables, 'subscriptions'>) =>
  conflict
    .columns(['user_id', 'topic_id'])
    .doUpdateSet({ by_name: 1 })
    .where('subscriptions.by_name', '=', 0);

/** Ends subscriptions by name; who is also in by a team stays in. The caller holds `TEAMS_LOCK`. */
export async function endSubscriptionsByName(
  { topicId, userIds }: { topicId: number; userIds: readonly number[] },
  transaction: Transaction<Tables>,
): Promise<{ user_id: number }[]> {
  const keptRows = await transaction
    .updateTable('subscriptions')
    .set({ by_name: 0 })
    .where('topic_id', '=', topicId)
    .where('by_name', '=', 1)
    .where('user_id', 'in', idList(userIds))
    .where(isSubscribedByTeam)
    .returning('user_id')
    .execute();
  const endedRows = await transaction
    .deleteFrom('subscriptions')
    .where('topic_id', '=', topicId)
    .where('by_name', '=', 1)
    .where('user_id', 'in', idList(userIds))
    .returning('user_id')
    .execute();
  return [...keptRows, ...endedRows];
}
