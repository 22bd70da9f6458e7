/** The calls that wait: which are due, some claimed, and what becomes of each. */
import type { Transaction } from 'kysely';
import { isFree } from '../db/unclaimed';
import { isOnPostgres } from '../db/lock';
import type { Database } from '../db/open';
import type { OutcomeOfStep } from '../db/step-outcomes';
import { addOutcomes } from '../db/step-outcomes';
import type { Tables } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { MAX_WAITING_CALLS } from '../db/webhook-calls';
import type { HttpsAnswer } from '../delivery/https/answer';
import { backoff, readRetryAfter } from '../lib/backoff';
import { isSuccess, recordAnswer, answerStatus } from './outcome';
import type { Change } from './outcome';

const DAY = 24 * 60 * 60 * 1000;
/** Longer than a call takes; what a dead process held is taken up so soon. */
const LEASE_MILLISECONDS = 30_000;

/** A webhook that has calls which may begin now. */
export interface Due {
  id: number;
  url: string;
  secret: string;
  isFailing: boolean;
}

/** Looks at the beginning of each webhook's queue, however long that is. */
export async function readDue(db: Database, now: number): Promise<Due[]> {
  const rows = await db
    .selectFrom('webhooks')
    .where('off_since', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook_calls')
          .select('webhook_calls.id')
          .whereRef('webhook_calls.webhook_id', '=', 'webhooks.id')
          .where('webhook_calls.due_at', '<=', now)
          .where(isFree(now)),
      ),
    )
    .select(['id', 'url', 'secret', 'failing_since'])
    .orderBy('id')
    .execute();
  return rows.map(({ failing_since, ...webhook }) => ({
    ...webhook,
    isFailing: failing_since !== null,
  }));
}

/** Webhooks for which as many calls wait as may: further ones are not kept. */
export async function readFull(db: Database): Promise<number[]> {
  const rows = await db
    .selectFrom('webhook_calls')
    .groupBy('webhook_id')
    .having(({ fn }) => fn.countAll(), '>=', MAX_WAITING_CALLS)
    .select('webhook_id')
    .execute();
  return rows.map(({ webhook_id }) => webhook_id);
}

/** A claimed call. Times are milliseconds since 1970. */
export interface ClaimedCall {
  id: string;
  webhookId: number;
  body: string;
  createdAt: number;
  /** This one included. */
  attempts: number;
  claimedUntil: number;
  /** The step that asked for it, and for how many people; null for an event. */
  messageId: string | null;
  position: number | null;
  people: number | null;
}

/**
 * Claims calls of one webhook, the longest due first. No two callers get the same one, unless a
 * claim ran out in between.
 */
export async function claimCalls(
  webhookId: number,
  limit: number,
  db: Database,
  now: number,
): Promise<ClaimedCall[]> {
  const claimedUntil = now + LEASE_MILLISECONDS;
  const rows = await db
    .with('due', (due) =>
      due
        .selectFrom('webhook_calls')
        .select('id')
        .where('webhook_id', '=', webhookId)
        .where('due_at', '<=', now)
        .where(isFree(now))
        .orderBy('due_at')
        .limit(limit)
        .$if(isOnPostgres(db), (query) => query.forUpdate().skipLocked()),
    )
    .updateTable('webhook_calls')
    .set((row) => ({ claimed_until: claimedUntil, attempts: row('attempts', '+', 1) }))
    .where('id', 'in', (due) => due.selectFrom('due').select('due.id'))
    .returning([
      'id',
      'body',
      'attempts',
      'created_at as createdAt',
      'message_id as messageId',
      'position',
      'people',
    ])
    .execute();
  return rows.map((row) => ({ ...row, webhookId, claimedUntil }));
}

/** It is not made any more, as its message is over. */
export const dropCall = (call: ClaimedCall, db: Database): Promise<void> =>
  inTransaction(db, (transaction) =>
    endCall(call, { outcome: 'not-needed', reason: 'stopped' }, transaction),
  );

/** Counts what became of it in its step, unless another process has ended it before. */
async function endCall(
  { id, messageId, position, people }: ClaimedCall,
  outcome: Omit<OutcomeOfStep, 'people'>,
  transaction: Transaction<Tables>,
): Promise<void> {
  const { numDeletedRows } = await transaction
    .deleteFrom('webhook_calls')
    .where('id', '=', id)
    .executeTakeFirst();
  if (numDeletedRows === 0n || messageId === null || position === null) return;
  await addOutcomes([{ ...outcome, messageId, position, people: people ?? 0 }], transaction);
}

export interface Settled {
  outcome: 'delivered' | 'retry' | 'given-up';
  change: Change | undefined;
}

/**
 * Records what became of an attempt, all of it in one transaction. What fails is tried again for a
 * day, in the pushes' rhythm and not before the receiver asked for it.
 */
export function settleCall(
  call: ClaimedCall,
  answer: HttpsAnswer,
  db: Database,
  now: number,
): Promise<Settled> {
  return inTransaction(db, async (transaction) => {
    const recorded = await recordAnswer(call.webhookId, answer, transaction, now);
    const change = recorded?.change;
    const asked = answer.is === 'answered' ? readRetryAfter(answer.retryAfter, now) : undefined;
    const dueAt = Math.max(now + backoff(call.attempts), asked ?? 0);
    const isGood = isSuccess(answer);
    const isOver = recorded === undefined || recorded.webhook.off_since !== null;
    if (!isGood && !isOver && dueAt <= call.createdAt + DAY) {
      // Not if the claim ran out: then it is for another process to say.
      await transaction
        .updateTable('webhook_calls')
        .set({ due_at: dueAt, claimed_until: null })
        .where('id', '=', call.id)
        .where('claimed_until', '=', call.claimedUntil)
        .execute();
      return { outcome: 'retry', change };
    }
    await endCall(call, isGood ? { outcome: 'done' } : failureOf(answer), transaction);
    return { outcome: isGood ? 'delivered' : 'given-up', change };
  });
}

function failureOf(answer: HttpsAnswer): Omit<OutcomeOfStep, 'people'> {
  const status = answerStatus(answer);
  return { outcome: 'failed', reason: status > 0 ? `webhook-answer ${status}` : 'webhook-silent' };
}
