/** Adds, lists and removes webhooks. */
import type { Transaction } from 'kysely';
import type { Overview, Webhook, WebhookEvent } from '../../src/shared/contract';
import { recordAudit } from '../audit/record-audit';
import { lockForUpdate } from '../db/lock';
import type { Database } from '../db/open';
import type { Tables, WebhookCallRow, WebhookRow } from '../db/schema';
import { addOutcomes } from '../db/step-outcomes';
import type { StepOutcomeCount } from '../db/step-outcomes';
import { countCalls } from '../db/webhook-calls';
import { findPolicyNaming } from '../escalation/policies';
import { generateWebhookSecret } from '../delivery/webhook/signature';
import { conflictError, notFoundError } from '../http/errors';
import { claimOrReadResponse, storeResponse } from '../http/idempotency';
import type { IdempotentRequest } from '../http/idempotency';
import { toTimeOrNull } from '../lib/clock';

/** Each webhook may hold its own place in `webhook-jobs.ts`. */
const MAX_WEBHOOKS = 20;
/** Adding a webhook holds this lock, because the number of webhooks is limited. */
export const WEBHOOKS_LOCK = 'webhooks';
export const NO_SUCH_WEBHOOK = 'This webhook does not exist.';

export const toWebhook = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  events: JSON.parse(row.events) as WebhookEvent[],
  lastStatus: row.last_status,
  lastAt: toTimeOrNull(row.last_at),
  failingSince: toTimeOrNull(row.failing_since),
  offSince: toTimeOrNull(row.off_since),
});

export async function listWebhooks(db: Database): Promise<Webhook[]> {
  const rows = await db.selectFrom('webhooks').selectAll().orderBy('url').execute();
  return rows.map(toWebhook);
}

/** Counts for the overview, and the last success of a webhook that works. */
export async function summarizeWebhooks(
  db: Database,
): Promise<NonNullable<Overview['health']['webhooks']>> {
  const rows = await db
    .selectFrom('webhooks')
    .select(['failing_since', 'off_since', 'last_at'])
    .execute();
  const enabledWebhooks = rows.filter(({ off_since }) => off_since === null);
  const failingWebhooks = enabledWebhooks.filter(({ failing_since }) => failing_since !== null);
  const successTimes = enabledWebhooks.flatMap(({ failing_since, last_at }) =>
    failing_since === null ? (last_at ?? []) : [],
  );
  return {
    failing: failingWebhooks.length,
    off: rows.length - enabledWebhooks.length,
    total: rows.length,
    waiting: rows.length === 0 ? 0 : await countCalls(db),
    succeededAt: toTimeOrNull(successTimes.length > 0 ? Math.max(...successTimes) : null),
  };
}

const readRow = (id: number, db: Database): Promise<WebhookRow | undefined> =>
  db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();

/** @throws HttpError 404 */
export async function requireWebhook(id: number, db: Database): Promise<WebhookRow> {
  const row = await readRow(id, db);
  if (row === undefined) throw notFoundError(NO_SUCH_WEBHOOK);
  return row;
}

/**
 * Adds a webhook. A repeated request returns the same one with its secret, as the first reply may
 * have been lost.
 * @throws HttpError 409 if the address is taken or there are too many
 */
export async function insertWebhook(
  { url, events }: Pick<Webhook, 'url' | 'events'>,
  request: IdempotentRequest | undefined,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Webhook & { secret: string }> {
  const storedResponse = await claimOrReadResponse(request, transaction, now);
  const createdWebhook =
    storedResponse === undefined ? undefined : await readRow(Number(storedResponse), transaction);
  if (createdWebhook !== undefined)
    return { ...toWebhook(createdWebhook), secret: createdWebhook.secret };
  const otherWebhooks = await transaction.selectFrom('webhooks').select('url').execute();
  if (otherWebhooks.some((webhook) => webhook.url === url))
    throw conflictError('A webhook with this URL already exists.', 'url');
  if (otherWebhooks.length >= MAX_WEBHOOKS)
    throw conflictError(`There are already ${MAX_WEBHOOKS} webhooks. Please delete one first.`);
  const secret = generateWebhookSecret();
  const row = await transaction
    .insertInto('webhooks')
    .values({ url, events: JSON.stringify(events), secret })
    .returningAll()
    .executeTakeFirstOrThrow();
  await storeResponse(request, String(row.id), transaction);
  const host = webhookHost(row);
  await recordAudit({ action: 'webhook.add', on: host, detail: events.join(', ') }, transaction);
  return { ...toWebhook(row), secret };
}

/**
 * Removes it with its waiting calls. Call it with `POLICIES_LOCK`.
 * @throws HttpError 404; 409 while a policy calls it
 */
export async function removeWebhook(id: number, transaction: Transaction<Tables>): Promise<void> {
  const row = transaction.selectFrom('webhooks').select('url').where('id', '=', id);
  const webhook = await lockForUpdate(row, transaction).executeTakeFirst();
  if (webhook === undefined) throw notFoundError(NO_SUCH_WEBHOOK);
  const policy = await findPolicyNaming({ url: webhook.url }, transaction);
  if (policy !== undefined)
    throw conflictError(
      `The policy “${policy}” calls this webhook. Please change the policy first.`,
    );
  await dropCalls(id, 'webhook-removed', transaction);
  await transaction.deleteFrom('webhooks').where('id', '=', id).execute();
  await recordAudit({ action: 'webhook.delete', on: webhookHost(webhook) }, transaction);
}

/** The audit log shows only the host: the path may be the receiver's secret. */
export const webhookHost = ({ url }: Pick<Webhook, 'url'>): string => new URL(url).host;

/** Drops all waiting calls, and counts them in their steps. */
export async function dropCalls(
  webhookId: number,
  reason: 'webhook-removed' | 'webhook-off',
  transaction: Transaction<Tables>,
): Promise<void> {
  const calls = await transaction
    .deleteFrom('webhook_calls')
    .where('webhook_id', '=', webhookId)
    .returning(['message_id', 'position', 'people'])
    .execute();
  await addOutcomes(outcomesOfDroppedCalls(calls, reason), transaction);
}

/** The steps' outcomes of dropped calls. */
export const outcomesOfDroppedCalls = (
  calls: readonly Pick<WebhookCallRow, 'message_id' | 'position' | 'people'>[],
  reason: 'webhook-removed' | 'webhook-off',
): StepOutcomeCount[] =>
  calls.flatMap(({ message_id, position, people }) =>
    message_id === null || position === null
      ? []
      : [{ messageId: message_id, position, outcome: 'not-possible', reason, people: people ?? 0 }],
  );
