/** The outcomes of a message's steps, for its sender. */
import { sql } from 'kysely';
import type { OutcomeReason, StepOutcome } from '../../src/shared/contract';
import type { Database } from '../db/open';
import type { WebhookRow } from '../db/schema';

/** Reported reasons per step, most frequent first. */
const MAX_REASONS_PER_STEP = 5;
/** Far more than the few hundred rows of a webhook with ever new statuses. */
const MAX_OUTCOME_ROWS = 5000;

/** Bounds the cost, as a page asks every two seconds. */
const MAX_COUNTED_PEOPLE = 20_000;

const NO_OUTCOME: Omit<StepOutcome, 'reasons'> = {
  people: 0,
  done: 0,
  failed: 0,
  notPossible: 0,
  notNeeded: 0,
  waiting: 0,
  unknown: 0,
};
const OUTCOME_FIELDS = {
  asked: 'people',
  done: 'done',
  failed: 'failed',
  'not-possible': 'notPossible',
  'not-needed': 'notNeeded',
} as const;

/**
 * Reads recorded outcomes by the position of their step.
 * @param isMessageOver nothing is retried any more, so unrecorded outcomes stay unknown
 */
export async function readOutcomes(
  messageId: string,
  isMessageOver: boolean,
  db: Database,
): Promise<Map<number, StepOutcome>> {
  const rows = await db
    .selectFrom('step_outcomes')
    .select(['position', 'outcome', 'reason', 'people'])
    .where('message_id', '=', messageId)
    .orderBy('people', 'desc')
    .orderBy('reason')
    .limit(MAX_OUTCOME_ROWS)
    .execute();
  const outcomes = new Map<number, StepOutcome>();
  for (const { position, outcome, reason, people } of rows) {
    const step = outcomes.get(position) ?? { ...NO_OUTCOME, reasons: [] };
    outcomes.set(position, step);
    const field = OUTCOME_FIELDS[outcome];
    step[field] += people;
    const [code = '', status] = reason.split(' ');
    if (
      (field === 'failed' || field === 'notPossible') &&
      step.reasons.length < MAX_REASONS_PER_STEP
    )
      step.reasons.push({
        outcome: field,
        reason: code as OutcomeReason,
        status: status === undefined ? null : Number(status),
        people,
      });
  }
  for (const step of outcomes.values()) {
    const { people, done, failed, notPossible, notNeeded } = step;
    const remainingCount = Math.max(0, people - done - failed - notPossible - notNeeded);
    step[isMessageOver ? 'unknown' : 'waiting'] = remainingCount;
  }
  return outcomes;
}

/** Adds a failing webhook's last reply to a waiting call. */
export function withWebhookReply(
  outcome: StepOutcome,
  { failing_since, last_status }: Partial<Pick<WebhookRow, 'failing_since' | 'last_status'>>,
): StepOutcome {
  if (outcome.waiting === 0 || failing_since == null) return outcome;
  const status = last_status || null;
  const reason = status === null ? 'webhook-silent' : 'webhook-answer';
  const webhookAnswer = {
    outcome: 'waiting' as const,
    reason,
    status,
    people: outcome.waiting,
  } as const;
  return {
    ...outcome,
    reasons: [webhookAnswer, ...outcome.reasons].slice(0, MAX_REASONS_PER_STEP),
  };
}

/** The outcome for the other topic's message, by its ledger. Undefined if that is gone or large. */
export async function readTopicOutcome(
  messageId: string,
  isMessageOver: boolean,
  db: Database,
): Promise<StepOutcome | undefined> {
  const countInState = (state: string) =>
    sql<number>`coalesce(sum(case when state = ${state} then 1 else 0 end), 0)`;
  const sentOutcome = await db
    .selectFrom('messages')
    .where('id', '=', messageId)
    .select('people')
    .executeTakeFirst();
  if (sentOutcome === undefined || sentOutcome.people > MAX_COUNTED_PEOPLE) return undefined;
  const { people, ...counts } = await db
    .selectFrom('recipients')
    .where('message_id', '=', messageId)
    .select(({ fn }) => [
      fn.countAll<number>().as('people'),
      countInState('accepted').as('done'),
      countInState('failed').as('failed'),
      countInState('muted').as('muted'),
      countInState('unreachable').as('unreachable'),
    ])
    .executeTakeFirstOrThrow();
  const [doneCount, failedCount] = [Number(counts.done), Number(counts.failed)];
  const [mutedCount, unreachableCount] = [Number(counts.muted), Number(counts.unreachable)];
  const remainingCount = people - doneCount - failedCount - mutedCount - unreachableCount;
  const reasons: StepOutcome['reasons'] = (
    [
      ['failed', 'push-refused', failedCount],
      ['notPossible', 'no-device', unreachableCount],
      ['notPossible', 'muted', mutedCount],
    ] as const
  ).flatMap(([outcome, reason, count]) =>
    count > 0 ? [{ outcome, reason, status: null, people: count }] : [],
  );
  return {
    ...NO_OUTCOME,
    people,
    done: doneCount,
    failed: failedCount,
    notPossible: mutedCount + unreachableCount,
    [isMessageOver ? 'unknown' : 'waiting']: remainingCount,
    reasons,
  };
}
