/** Webhooks, for administrators. */
import { call } from '../../api/call';
import { withIdempotencyKey } from '../../api/idempotency';
import type { Body, Webhook } from '../../shared/contract';
import {
  newWebhookSchema,
  webhookSchema,
  webhooksSchema,
} from '../../shared/contract/webhooks' with { type: 'example' };

export const WEBHOOKS_FAILED = 'Failed to load webhooks.';
export const WEBHOOK_ADD_FAILED = 'Failed to add the webhook.';
export const WEBHOOK_TEST_FAILED = 'Failed to send a test.';
export const WEBHOOK_DELETE_FAILED = 'Failed to delete the webhook.';

/** The server first waits for the webhook's own response. */
const TEST_TIMEOUT_MS = 40_000;

/**
 * Reads the webhooks, sorted by URL.
 * @throws {ApiError}
 */
export const readWebhooks = async (): Promise<readonly Webhook[]> =>
  (await call('GET /api/admin/webhooks', { fallback: WEBHOOKS_FAILED, like: webhooksSchema }))
    .webhooks;

/**
 * Resolves with the secret; a retry returns the same one.
 * @throws {ApiError}
 */
export const addWebhook = (
  body: Body<'POST /api/admin/webhooks'>,
): Promise<Webhook & { secret: string }> =>
  withIdempotencyKey('POST /api/admin/webhooks', body, (idempotencyKey) =>
    call('POST /api/admin/webhooks', {
      body,
      idempotencyKey,
      fallback: WEBHOOK_ADD_FAILED,
      like: newWebhookSchema,
    }),
  );

/**
 * Calls the webhook and resolves with its updated state.
 * @throws {ApiError}
 */
export const testWebhook = (id: number): Promise<Webhook> =>
  call('POST /api/admin/webhooks/:id/test', {
    params: { id },
    fallback: WEBHOOK_TEST_FAILED,
    like: webhookSchema,
    limit: TEST_TIMEOUT_MS,
  });

/** @throws {ApiError} */
export const deleteWebhook = (id: number): Promise<unknown> =>
  call('DELETE /api/admin/webhooks/:id', { params: { id }, fallback: WEBHOOK_DELETE_FAILED });
