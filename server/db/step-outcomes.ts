/** Counts the outcomes of escalation steps, in the transaction that records them. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { OutcomeReason } from '../../src/shared/contract';
import { jsonTableOfList } from './json-table';
import type { Tables } from './schema';
import type { StepOutcomesTable } from './tables/escalation';

export interface OutcomeCount {
  outcome: StepOutcomesTable['outcome'];
  reason?: OutcomeReason | `webhook-answer ${number}`;
  people: number;
}

/** A step by its position, or a notification by the round of its pushes. */
export type StepOutcomeCount = OutcomeCount & { messageId: string } & (
    | { position: number }
    | { round: number }
  );

/** Adds to the counts. Call it last: transactions lock these rows after all others. */
export async function addOutcomes(
  outcomes: readonly StepOutcomeCount[],
  transaction: Transaction<Tables>,
): Promise<void> {
  const nonEmpty = outcomes.filter(({ people }) => people > 0);
  if (nonEmpty.length === 0) return;
  const outcomeRows = sql`(select value->>0 as message_id, cast(value->>1 as integer) as position, cast(value->>2 as integer) as round,
    value->>3 as outcome, value->>4 as reason, cast(value->>5 as integer) as people from ${jsonTableOfList(
      nonEmpty.map(({ messageId, outcome, reason = '', people, ...step }) => [
        messageId,
        'position' in step ? step.position : null,
        'round' in step ? step.round : null,
        outcome,
        reason,
        people,
      ]),
    )}) as given`;
  await sql`insert into step_outcomes (message_id, position, outcome, reason, people)
    select step.message_id, step.position, given.outcome, given.reason, sum(given.people)
    from ${outcomeRows} inner join escalation_steps as step on step.message_id = given.message_id
      and (step.position = given.position or step.round = given.round)
    where true group by step.message_id, step.position, given.outcome, given.reason
    order by step.message_id, step.position, given.outcome, given.reason
    on conflict (message_id, position, outcome, reason) do update set people = step_outcomes.people + excluded.people`.execute(
    transaction,
  );
}
