/** Counts ended pushes in the ledger. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { isOnPostgres } from '../lock';
import { jsonTableOfList } from '../json-table';
import type { DeliveryState, Tables } from '../schema';
import { addOutcomes } from '../step-outcomes';
import type { OutcomeCount } from '../step-outcomes';

export interface EndedPush {
  message_id: string;
  user_id: number;
  state: DeliveryState;
  round: number;
  reason: string | null;
  /** The revision of the text that the push carried; `NO_REVISION` with an all-clear. */
  carried?: number;
}

/** An all-clear's push does not deliver the message. */
export const NO_REVISION = 0;
/** A digest announces its messages, whatever their revision. */
export const ANY_REVISION = 1_000_000;

/**
 * Counts ended pushes in their recipients' rows: one accepted push of the newest text is enough,
 * and the last one without any means `failed`. A digest's pushes count for all its messages,
 * repeats in their step too. Call it last in the transaction, because it locks recipients in the
 * order of (user_id, seq).
 */
export async function countEnded(
  endedPushes: readonly EndedPush[],
  transaction: Transaction<Tables>,
): Promise<void> {
  const people = new Map<
    string,
    [messageId: string, userId: number, count: number, revision: number, goodOfRound: number]
  >();
  const rounds = new Map<string, EndedPush>();
  for (const push of endedPushes) {
    const { message_id, user_id, state, round, carried = NO_REVISION } = push;
    if (state === 'pending') continue;
    const key = `${user_id} ${message_id}`;
    const [, , count, revision, ofRound] = people.get(key) ?? [
      message_id,
      user_id,
      0,
      NO_REVISION,
      0,
    ];
    const acceptedRevision = state === 'accepted' ? carried : NO_REVISION;
    const goodOfRound = ofRound + (round > 0 && acceptedRevision !== NO_REVISION ? 1 : 0);
    const newestRevision = Math.max(revision, acceptedRevision);
    people.set(key, [message_id, user_id, count + 1, newestRevision, goodOfRound]);
    if (round > 0 && (state !== 'skipped' || !rounds.has(key))) rounds.set(key, push);
  }
  if (people.size === 0) return;
  const endedRows = sql`(select cast(value->>0 as text) as message_id, cast(value->>1 as bigint) as user_id,
    cast(value->>2 as integer) as count, cast(value->>3 as integer) as accepted_revision, cast(value->>4 as integer) as good_of_round from ${jsonTableOfList([...people.values()])})`;
  // The message's own row, or the rows of all messages in a digest.
  const selectBy = (column: 'message_id' | 'digest_id') =>
    sql`select entry.user_id, entry.seq, given.count, given.accepted_revision, given.good_of_round from ${endedRows} as given
      inner join recipients as entry on ${sql.ref(`entry.${column}`)} = given.message_id and entry.user_id = given.user_id`;
  const endCounts = sql`(select user_id, seq, sum(count) as count, max(accepted_revision) as accepted_revision, sum(good_of_round) as good_of_round
    from (${selectBy('message_id')} union all ${selectBy('digest_id')}) as found group by user_id, seq) as ended`;
  const isSameRecipient = sql`recipients.user_id = ended.user_id and recipients.seq = ended.seq`;
  if (isOnPostgres(transaction))
    await sql`select 1 from ${endCounts} inner join recipients on ${isSameRecipient}
      order by recipients.user_id, recipients.seq for no key update of recipients`.execute(
      transaction,
    );
  const { rows } = await sql<RoundRow>`update recipients set
      round_accepted = recipients.round_accepted + ended.good_of_round,
      waiting = case when recipients.waiting > ended.count then recipients.waiting - ended.count else 0 end,
      state = case when recipients.state <> 'pending' then recipients.state
        when ended.accepted_revision >= recipients.revision then 'accepted'
        when recipients.waiting <= ended.count then 'failed'
        else recipients.state end
    from ${endCounts} where ${isSameRecipient}
    ${rounds.size > 0 ? sql`returning message_id, recipients.user_id, waiting, round_accepted` : sql``}`.execute(
    transaction,
  );
  await addOutcomes(
    rows.flatMap((row) => {
      const key = `${row.user_id} ${row.message_id}`;
      const lastRound = rounds.get(key);
      const outcome = lastRound && findRoundOutcome(row, lastRound, people.get(key)?.[4] ?? 0);
      return outcome ? [{ messageId: row.message_id, round: lastRound.round, ...outcome }] : [];
    }),
    transaction,
  );
}

interface RoundRow {
  message_id: string;
  user_id: number;
  waiting: number;
  round_accepted: number;
}

/** A person's outcome of a round, once the first accepted push or the last one decides it. */
function findRoundOutcome(
  { waiting, round_accepted }: RoundRow,
  { state, reason }: EndedPush,
  goodPushes: number,
): OutcomeCount | undefined {
  if (goodPushes > 0)
    return round_accepted === goodPushes ? { outcome: 'done', people: 1 } : undefined;
  if (waiting > 0 || round_accepted > 0) return undefined;
  if (state === 'skipped')
    return reason === 'unsubscribed'
      ? { outcome: 'not-possible', reason: 'unsubscribed', people: 1 }
      : { outcome: 'not-needed', reason: 'stopped', people: 1 };
  // The push carried the all-clear instead.
  if (state === 'accepted') return { outcome: 'not-needed', reason: 'stopped', people: 1 };
  if (state === 'gone') return { outcome: 'failed', reason: 'device-gone', people: 1 };
  const isLate = reason === 'expired';
  return { outcome: 'failed', reason: isLate ? 'push-expired' : 'push-refused', people: 1 };
}
