/** Pending calls of webhooks: finds, claims and settles them. */
import { type SqlBool, type Transaction, sql } from 'kysely';
import { claimRows, isUnclaimed } from '../db/claim-rows';
import type { Database } from '../db/open';
import { type OutcomeCount, addOutcomes } from '../db/step-outcomes';
import type { Tables, WebhookCallRow } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { MAX_WAITING_CALLS } from '../db/webhook-calls';
import type { HttpsResponse } from '../delivery/https/response';
import { backoff, readRetryAfter } from '../lib/backoff';
import { type WebhookChange, isSuccess, recordResponse, responseStatus } from './outcome';
import { runInBatches } from '../lib/loop';
import { outcomesOfDroppedCalls } from './webhooks';
import { DAY_MS } from '../lib/durations';

/** How long a call stays claimed: longer than a call takes. A dead process' calls wait until then. */
const CALL_LEASE_MS = 30_000;

/** A webhook with calls that may begin. */
export interface DueWebhook {
  id: number;
  url: string;
  secret: string;
  isFailing: boolean;
}

/** Reads only the start of each webhook's queue. */
export async function readDueWebhooks(db: Database, now: number): Promise<DueWebhook[]> {
  const rows = await db
    .selectFrom('webhooks')
    .where('off_since', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook_calls')
          .select('webhook_calls.id')
          .whereRef('webhook_calls.webhook_id', '=', 'webhooks.id')
          .where('webhook_calls.due_at', '<=', now)
          .where(isUnclaimed(now)),
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

/** Webhooks with a full queue. */
export async function readFullQueues(db: Database): Promise<number[]> {
  const rows = await db
    .selectFrom('webhook_calls')
    .groupBy('webhook_id')
    .having(({ fn }) => fn.countAll(), '>=', MAX_WAITING_CALLS)
    .select('webhook_id')
    .execute();
  return rows.map(({ webhook_id }) => webhook_id);
}

export const claimCalls = (
  webhookId: number,
  limit: number,
  db: Database,
  now: number,
): Promise<WebhookCallRow[]> => {
  const ofWebhook = sql<SqlBool>`webhook_id = ${webhookId}`;
  const claim = { now, leaseMs: CALL_LEASE_MS, limit };
  return claimRows<WebhookCallRow>('webhook_calls', ofWebhook, claim, db);
};

/** Removes a call whose message is over. */
export const dropCall = (call: WebhookCallRow, db: Database): Promise<void> =>
  inTransaction(db, (transaction) =>
    endCall(call, { outcome: 'not-needed', reason: 'stopped' }, transaction),
  );

/** Counts the outcome in its step, unless another process has ended the call. */
async function endCall(
  { id, message_id: messageId, position, people }: WebhookCallRow,
  outcome: Omit<OutcomeCount, 'people'>,
  transaction: Transaction<Tables>,
): Promise<void> {
  const { numDeletedRows } = await transaction
    .deleteFrom('webhook_calls')
    .where('id', '=', id)
    .executeTakeFirst();
  if (numDeletedRows === 0n || messageId === null || position === null) return;
  await addOutcomes([{ ...outcome, messageId, position, people: people ?? 0 }], transaction);
}

interface SettledCall {
  outcome: 'delivered' | 'retry' | 'given-up';
  change: WebhookChange | undefined;
}

/** Records an attempt in one transaction. Failures are retried for a day, as pushes are. */
export function recordCallOutcome(
  call: WebhookCallRow,
  response: HttpsResponse,
  db: Database,
  now: number,
): Promise<SettledCall> {
  return inTransaction(db, async (transaction) => {
    const result = await recordResponse(call.webhook_id, response, transaction, now);
    const change = result?.change;
    const retryAfter =
      response.kind === 'responded' ? readRetryAfter(response.retryAfter, now) : undefined;
    const dueAt = Math.max(now + backoff(call.attempts), retryAfter ?? 0);
    const isAccepted = isSuccess(response);
    const isDisabled = result === undefined || result.webhook.off_since !== null;
    if (!isAccepted && !isDisabled && dueAt <= call.created_at + DAY_MS) {
      // If the claim expired, another process decides.
      await transaction
        .updateTable('webhook_calls')
        .set({ due_at: dueAt, claimed_until: null })
        .where('id', '=', call.id)
        .where('claimed_until', '=', call.claimed_until)
        .execute();
      return { outcome: 'retry', change };
    }
    await endCall(
      call,
      isAccepted ? { outcome: 'done' } : describeCallFailure(response),
      transaction,
    );
    return { outcome: isAccepted ? 'delivered' : 'given-up', change };
  });
}

function describeCallFailure(response: HttpsResponse): Omit<OutcomeCount, 'people'> {
  const status = responseStatus(response);
  return { outcome: 'failed', reason: status > 0 ? `webhook-answer ${status}` : 'webhook-silent' };
}

/** Calls are tried for a day. Older ones were written for a webhook that was just disabled. */
const CALL_RETENTION_MS = 2 * 24 * 60 * 60 * 1000;
/** Small, so that no writer waits long. */
const CALLS_PER_DELETION = 1000;

export async function deleteOldCalls(
  db: Database,
  now: number,
  stopSignal: AbortSignal,
): Promise<void> {
  const endedBefore = now - CALL_RETENTION_MS;
  await runInBatches(async () => {
    const oldCalls = db
      .selectFrom('webhook_calls')
      .where('created_at', '<', endedBefore)
      .orderBy('created_at')
      .limit(CALLS_PER_DELETION)
      .select('id');
    const deletedCount = await inTransaction(db, async (transaction) => {
      const calls = await transaction
        .deleteFrom('webhook_calls')
        .where('id', 'in', oldCalls)
        .returning(['message_id', 'position', 'people'])
        .execute();
      await addOutcomes(outcomesOfDroppedCalls(calls, 'webhook-off'), transaction);
      return calls.length;
    });
    return deletedCount === CALLS_PER_DELETION;
  }, stopSignal);
}
