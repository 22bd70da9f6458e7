/** What tests learn from what a push service said of their pushes. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { TestFailureReason } from '../../../src/shared/contract';
import { isOnPostgres } from '../lock';
import { tableOfList } from '../json-table';
import type { Tables } from '../schema';

/** Of one push of a test: when it was accepted, or why not so far. */
export interface TestOutcome {
  testId: string;
  acceptedAt: number | null;
  reason: TestFailureReason | null;
}

/**
 * A failure says something only while the push was not accepted, and never takes the place of what
 * the device or its person said. Locks the tests in the order of their ids.
 */
export async function recordTests(
  outcomes: readonly TestOutcome[],
  transaction: Transaction<Tables>,
): Promise<void> {
  if (outcomes.length === 0) return;
  // The last of a test is the latest.
  const latest = new Map(outcomes.map((one) => [one.testId, one]));
  const given = sql`(select value->>0 as id, cast(value->>1 as bigint) as accepted_at, value->>2 as reason
    from ${tableOfList([...latest.values()].map(({ testId, acceptedAt, reason }) => [testId, acceptedAt, reason]))}) as given`;
  if (isOnPostgres(transaction))
    await sql`select 1 from ${given} inner join tests on tests.id = given.id
      order by tests.id for no key update of tests`.execute(transaction);
  const isOpen = sql`(tests.failure_stage is null or tests.failure_stage = 'accepted')`;
  await sql`update tests set
      accepted_at = given.accepted_at,
      failure_stage = case when not ${isOpen} then tests.failure_stage when given.reason is not null then 'accepted' end,
      failure_reason = case when not ${isOpen} then tests.failure_reason else given.reason end
    from ${given} where tests.id = given.id and tests.accepted_at is null`.execute(transaction);
}
