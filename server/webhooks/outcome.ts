/** Records the replies of webhooks. */
import type { Transaction } from 'kysely';
import { lockForUpdate } from '../db/lock';
import type { Tables, WebhookRow } from '../db/schema';
import type { HttpsResponse } from '../delivery/https/response';
import type { Log } from '../lib/log';
import { dropCalls } from './webhooks';
import { DAY_MS } from '../lib/durations';

/** A webhook is disabled after failing for this time. */
const DISABLE_AFTER_MS = 3 * DAY_MS;
const GONE_STATUS = 410;

/** The change that a reply caused; undefined if it caused none. */
export type WebhookChange = 'failing' | 'works' | 'off';

export const responseStatus = (response: HttpsResponse): number =>
  response.kind === 'responded' ? response.status : 0;
export const isSuccess = (response: HttpsResponse): boolean => {
  const status = responseStatus(response);
  return status >= 200 && status < 300;
};

/**
 * Records the last reply. 410 disables a webhook (Standard Webhooks, "Webhook response codes"), as do
 * three days of failures; its calls are dropped. Only a successful test enables it again.
 * @param now when it replied, in milliseconds since 1970
 * @returns undefined if the webhook is gone
 */
export async function recordResponse(
  id: number,
  response: HttpsResponse,
  transaction: Transaction<Tables>,
  now: number,
  isTest = false,
): Promise<{ webhook: WebhookRow; change: WebhookChange | undefined } | undefined> {
  const webhookQuery = transaction.selectFrom('webhooks').selectAll().where('id', '=', id);
  const formerState = await lockForUpdate(webhookQuery, transaction).executeTakeFirst();
  if (formerState === undefined) return undefined;
  const status = responseStatus(response);
  const isAccepted = isSuccess(response) && (isTest || formerState.off_since === null);
  const failingSince = isAccepted ? null : (formerState.failing_since ?? now);
  const isDisabled =
    status === GONE_STATUS || (failingSince !== null && failingSince <= now - DISABLE_AFTER_MS);
  const newState = {
    last_status: status,
    last_at: now,
    failing_since: failingSince,
    off_since: isAccepted ? null : (formerState.off_since ?? (isDisabled ? now : null)),
  };
  await transaction.updateTable('webhooks').set(newState).where('id', '=', id).execute();
  if (newState.off_since !== null) await dropCalls(id, 'webhook-off', transaction);
  return {
    webhook: { ...formerState, ...newState },
    change: findWebhookChange(formerState, newState),
  };
}

type WebhookState = Pick<WebhookRow, 'failing_since' | 'off_since'>;

function findWebhookChange(
  formerState: WebhookState,
  newState: WebhookState,
): WebhookChange | undefined {
  if (formerState.off_since === null && newState.off_since !== null) return 'off';
  if (formerState.failing_since === null && newState.failing_since !== null) return 'failing';
  return formerState.failing_since !== null && newState.failing_since === null
    ? 'works'
    : undefined;
}

/** Logs changes only, so that a failing webhook does not fill the log. */
export function logChange(
  id: number,
  change: WebhookChange | undefined,
  response: HttpsResponse,
  log: Log,
): void {
  const status = responseStatus(response);
  // Our codes and the system's, without addresses.
  const reason = 'reason' in response ? { reason: response.reason } : {};
  const fields = { webhook: id, status, ...reason };
  if (change === 'off')
    log.error('webhook disabled', {
      alert: true,
      ...fields,
      help: 'The webhook answered 410 or failed for three days. A successful test enables it again.',
    });
  else if (change === 'failing') log.warn('webhook fails', fields);
  else if (change === 'works') log.info('webhook works again', fields);
}
