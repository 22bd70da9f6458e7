/** What became of rows that were claimed. */
import { sql } from 'kysely';
import type { Database } from '../open';
import { tableOf } from '../rows';
import type { DeliveryState } from '../schema';
import { inTransaction } from '../transaction';
import type { Claim } from './claim';
import { type Ended, countEnded } from './ended';
import { PARKED } from './order';

/** What became of a claimed row. One that was not `attempted` takes its attempt back. */
export type Settlement = { claim: Claim; reason: string | null } & (
  | { state: Exclude<DeliveryState, 'pending'>; attempted: boolean }
  /** To be tried again, not before `dueAt` (milliseconds since 1970). */
  | { state: 'pending'; attempted: boolean; dueAt: number }
);

/**
 * Writes all settlements in one transaction, counts their ends in the ledger, and deletes the
 * devices found `gone`: only while they still hold the token that was tried, because a device may
 * have registered a new one meanwhile. An end is recorded even if the claim ran out and another
 * process holds the row now; a later attempt is not, since it is for that process to decide.
 */
export async function recordOutcomes(
  db: Database,
  settlements: readonly Settlement[],
  now: number,
): Promise<void> {
  if (settlements.length === 0) return;
  const settled = settlements.map((settlement): [number, unknown] => {
    const { claim, state, reason, attempted } = settlement;
    return [
      claim.id,
      [
        claim.claimedUntil,
        state,
        reason,
        state === 'pending' ? settlement.dueAt : null,
        attempted ? 1 : 0,
      ],
    ];
  });
  await inTransaction(db, async (transaction) => {
    // In one order, so that two processes which find the same devices gone never wait for each other.
    const dead = settlements.flatMap(({ state, claim }) =>
      state === 'gone' && claim.recipient ? [claim.recipient] : [],
    );
    for (const { deviceId, tokenHash } of dead.sort((a, b) => a.deviceId - b.deviceId))
      await transaction
        .deleteFrom('devices')
        .where('id', '=', deviceId)
        .where('token_hash', '=', tokenHash)
        .execute();
    const { rows } = await sql<Ended>`
      with settled as (
        select cast(key as bigint) as id, cast(value->>0 as bigint) as claimed_until, value->>1 as state, value->>2 as reason,
          cast(value->>3 as bigint) as due_at, cast(value->>4 as integer) as attempted
        from ${tableOf(settled)})
      update deliveries set
        state = settled.state,
        reason = settled.reason,
        due_at = coalesce(settled.due_at, deliveries.due_at),
        sort_key = coalesce(${sql.lit(PARKED)} + settled.due_at, deliveries.sort_key),
        attempts = deliveries.attempts - 1 + settled.attempted,
        lost = case when settled.attempted = 1 then 0 else deliveries.lost end,
        claimed_until = null,
        updated_at = ${now}
      from settled
      where deliveries.id = settled.id and deliveries.state = 'pending'
        and (settled.state <> 'pending' or deliveries.claimed_until = settled.claimed_until)
      returning deliveries.message_id, deliveries.user_id, deliveries.state`.execute(transaction);
    await countEnded(rows, transaction);
  });
}
