/** The pushes of a later round: a message is notified again, corrected, or gets its all-clear. */
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import { jsonTable } from '../db/json-table';
import type { MessageRow, RecipientRow, Tables } from '../db/schema';
import { readAudience } from '../subscriptions/audience';
import type { AudienceMember } from '../subscriptions/audience';
import { readStoredAudience } from './lock-message';
import { insertDeliveries, pushesTo } from './sending/ledger';

/**
 * Finds the people who still belong to the message's audience, with their present devices.
 * @param people in order.
 * @param recipients rows of the ledger, of these people at least
 */
export async function readStillWanted(
  message: MessageRow,
  people: readonly number[],
  recipients: readonly Pick<RecipientRow, 'user_id' | 'named'>[],
  transaction: Transaction<Tables>,
): Promise<AudienceMember[]> {
  const [first, last] = [people[0], people.at(-1)];
  if (first === undefined || last === undefined) return [];
  // The ids narrow the query: SQLite would read all people for one.
  const range = { after: first - 1, upTo: last, only: people };
  const { teamIds, ...audience } = readStoredAudience(message);
  // Teams were read when the message was written. Their members may have changed since.
  if (teamIds !== undefined)
    audience.userIds = recipients.flatMap(({ user_id, named }) => (named === 1 ? user_id : []));
  return readAudience(audience, range, transaction, message.id);
}

/**
 * Writes a push for each device.
 * @returns the key for the round's next row
 */
export async function writeRound(
  message: MessageRow,
  members: readonly AudienceMember[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<number> {
  const roundPosition = { round: message.rounds, firstKey: message.next_key };
  const nextKey = await insertDeliveries(
    pushesTo(members, message.id),
    roundPosition,
    transaction,
    now,
  );
  await countPendingPushes(message, members, transaction);
  return nextKey;
}

/**
 * An all-clear does not deliver the message, so states stay. A correction waits for its own pushes;
 * a repeat changes nothing for those whose push was accepted.
 */
async function countPendingPushes(
  message: Pick<MessageRow, 'id' | 'all_clear_at' | 'rounds' | 'revision_round'>,
  members: readonly AudienceMember[],
  transaction: Transaction<Tables>,
): Promise<void> {
  const [first, last] = [members[0], members.at(-1)];
  if (first === undefined || last === undefined) return;
  const { id: messageId, all_clear_at, rounds, revision_round } = message;
  const isCorrection = rounds === revision_round;
  const pendingState = isCorrection
    ? sql`'pending'`
    : sql`case when state = 'accepted' then state else 'pending' end`;
  const counts = members.map(({ userId, devices }) => [userId, devices.length] as const);
  // SQLite needs the range and `materialized`, or it reads one whole list for each row of the other.
  await sql`with given as materialized (
      select cast(key as bigint) as user_id, cast(cast(value as text) as integer) as count from ${jsonTable(counts)})
    update recipients set waiting = waiting + given.count, round_accepted = 0,
      devices = case when devices > given.count then devices else given.count end,
      state = ${all_clear_at === null ? pendingState : sql`state`}
    from given
    where recipients.message_id = ${messageId} and recipients.user_id >= ${first.userId} and recipients.user_id <= ${last.userId}
      and recipients.user_id = given.user_id`.execute(transaction);
}
