/** Records the outcomes of claimed rows. */
import { type Transaction, sql } from 'kysely';
import type { TestFailureReason } from '../../../src/shared/contract';
import { type DeviceEvent, addReach, updateReach } from '../device-reach/device-reach';
import type { Database } from '../open';
import { removeUnusedPushServices } from '../push-services';
import { jsonTable, jsonTableOfList } from '../json-table';
import type { DeliveryState, Tables } from '../schema';
import { inTransaction } from '../transaction';
import type { ClaimedPush } from './claimed-push';
import { ANY_REVISION, type EndedPush, NO_REVISION, countEnded } from './ended-pushes';
import { addFailingCalls } from './failing-event';
import { deleteGone } from './gone-devices';
import { RETRY_ORDER_START } from './queue-order';
import { isOnPostgres } from '../lock';

/** Why a push was not accepted, as a device test reports it. */
export interface PushFailure {
  reason: TestFailureReason;
  /** The push service rejected this device, rather than having trouble itself. */
  isOfDevice: boolean;
}

/** The outcome of a claimed row. If it was not `attempted`, the attempt is taken back. */
export type Settlement = {
  claim: ClaimedPush;
  reason: string | null;
  /** When the attempt ended, if not just now. Milliseconds since 1970. */
  at?: number;
  /** Absent if the push was accepted, or if the outcome says nothing about the device. */
  failure?: PushFailure;
} & (
  | { state: Exclude<DeliveryState, 'pending'>; attempted: boolean }
  /** Retried, not before `dueAt` (milliseconds since 1970). */
  | { state: 'pending'; attempted: boolean; dueAt: number }
);

/**
 * Records settlements in one transaction: in the outbox, the ledger, tests and reach; deletes
 * `gone` devices. An end counts even if another process has claimed the row since, a retry does
 * not.
 */
export async function recordOutcomes(
  db: Database,
  settlements: readonly Settlement[],
  now: number,
): Promise<void> {
  if (settlements.length === 0) return;
  const values = settlements.map((settlement): [number, unknown] => {
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
  const events = settlements.flatMap((settlement) => {
    const event = toDeviceEvent(settlement, now);
    return event ? [{ row: settlement.claim.id, event }] : [];
  });
  await inTransaction(db, async (transaction) => {
    const goneRecipients = settlements.flatMap(({ state, claim }) =>
      state === 'gone' && claim.recipient ? [claim.recipient] : [],
    );
    const goneDevices = await deleteGone(goneRecipients, now, transaction);
    await addReach(
      events.map(({ event }) => event.deviceId),
      transaction,
    );
    const { rows } = await sql<EndedPush & { id: number }>`
      with settled as (
        select cast(key as bigint) as id, cast(value->>0 as bigint) as claimed_until, value->>1 as state, value->>2 as reason,
          cast(value->>3 as bigint) as due_at, cast(value->>4 as integer) as attempted
        from ${jsonTable(values)})
      update deliveries set
        state = settled.state,
        reason = settled.reason,
        due_at = coalesce(settled.due_at, deliveries.due_at),
        sort_key = coalesce(${sql.lit(RETRY_ORDER_START)} + settled.due_at, deliveries.sort_key),
        attempts = deliveries.attempts - 1 + settled.attempted,
        lost = case when settled.attempted = 1 then 0 else deliveries.lost end,
        claimed_until = null,
        updated_at = ${now}
      from settled
      where deliveries.id = settled.id and deliveries.state = 'pending'
        and (settled.state <> 'pending' or deliveries.claimed_until = settled.claimed_until)
      returning deliveries.id, deliveries.message_id, deliveries.user_id, deliveries.state,
        deliveries.round, deliveries.reason`.execute(transaction);
    const carriedRevisions = new Map(
      settlements.map(({ claim }) => [claim.id, carriedRevision(claim)]),
    );
    await countEnded(
      rows.map((row) => ({ ...row, carried: carriedRevisions.get(row.id) ?? NO_REVISION })),
      transaction,
    );
    // Counts only rows written now, because another process may have ended others.
    const writtenIds = new Set(rows.map(({ id }) => id));
    const storedSettlements = settlements.filter(({ claim }) => writtenIds.has(claim.id));
    await recordTests(
      storedSettlements.flatMap((settlement) => toTestOutcomes(settlement, now)),
      transaction,
    );
    const failingDevices = await updateReach(
      events.flatMap(({ row, event }) => (writtenIds.has(row) ? event : [])),
      transaction,
    );
    await removeUnusedPushServices(goneDevices, transaction);
    await addFailingCalls({ failing: failingDevices, gone: goneDevices }, transaction, now);
  });
}

function carriedRevision({ message }: ClaimedPush): number {
  if (message.allClear !== null) return NO_REVISION;
  return message.isDigest ? ANY_REVISION : message.revision;
}

/** The event for the device's reach; none while only the push service is in trouble. */
function toDeviceEvent(
  { claim: { message, recipient }, state, failure, reason, at }: Settlement,
  now: number,
): DeviceEvent | undefined {
  if (recipient === undefined) return undefined;
  const push = { deviceId: recipient.deviceId, id: message.testId ?? message.id, at: at ?? now };
  if (state === 'accepted') return { ...push, kind: 'accepted' };
  if (state === 'gone' || !failure?.isOfDevice) return undefined;
  return { ...push, kind: 'rejected', reason: reason ?? '' };
}

function toTestOutcomes({ claim, state, failure, at }: Settlement, now: number): TestOutcome[] {
  const { testId } = claim.message;
  if (testId === null || (state !== 'accepted' && failure === undefined)) return [];
  return [
    {
      testId,
      acceptedAt: state === 'accepted' ? (at ?? now) : null,
      reason: failure?.reason ?? null,
    },
  ];
}

/** When a test's push was accepted, or why not yet. */
interface TestOutcome {
  testId: string;
  acceptedAt: number | null;
  reason: TestFailureReason | null;
}

/**
 * A failure counts only until the push is accepted, and never replaces what the device or person
 * reported. Locks tests in order of id.
 */
async function recordTests(
  outcomes: readonly TestOutcome[],
  transaction: Transaction<Tables>,
): Promise<void> {
  if (outcomes.length === 0) return;
  // The last outcome of a test counts.
  const latestByTest = new Map(outcomes.map((outcome) => [outcome.testId, outcome]));
  const settledRows = sql`(select value->>0 as id, cast(value->>1 as bigint) as accepted_at, value->>2 as reason
    from ${jsonTableOfList([...latestByTest.values()].map(({ testId, acceptedAt, reason }) => [testId, acceptedAt, reason]))}) as given`;
  if (isOnPostgres(transaction))
    await sql`select 1 from ${settledRows} inner join tests on tests.id = given.id
      order by tests.id for no key update of tests`.execute(transaction);
  const isOpen = sql`(tests.failure_stage is null or tests.failure_stage = 'accepted')`;
  await sql`update tests set
      accepted_at = given.accepted_at,
      failure_stage = case when not ${isOpen} then tests.failure_stage when given.reason is not null then 'accepted' end,
      failure_reason = case when not ${isOpen} then tests.failure_reason else given.reason end
    from ${settledRows} where tests.id = given.id and tests.accepted_at is null`.execute(
    transaction,
  );
}
