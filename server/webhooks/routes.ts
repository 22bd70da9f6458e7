import { POLICIES_LOCK } from '../escalation/policies';
import { readIdempotencyKey, repeatable } from '../http/idempotency';
import { readId } from '../http/route';
import type { AddRoute } from '../http/route';
import type { Services } from '../services';
import { requireAddress } from './address';
import { callForTest } from './test-call';
import {
  NO_SUCH_WEBHOOK,
  WEBHOOKS_LOCK,
  insertWebhook,
  removeWebhook,
  listWebhooks,
} from './webhooks';

export function addWebhookRoutes(add: AddRoute, services: Services): void {
  add('GET /api/admin/webhooks', {
    action: 'webhooks.read',
    answer: async () => ({ webhooks: await listWebhooks(services.db) }),
  });
  add('POST /api/admin/webhooks', {
    action: 'webhooks.change',
    status: 201,
    answer: async ({ body: { url: text, events }, user, transact, header }) => {
      const key = readIdempotencyKey(header);
      const url = await requireAddress(text, services);
      const request = repeatable('webhook', user.id, key, { url, events });
      return transact(
        (transaction) => insertWebhook({ url, events }, request, transaction, services.now()),
        { lock: WEBHOOKS_LOCK },
      );
    },
  });
  add('POST /api/admin/webhooks/:id/test', {
    action: 'webhooks.change',
    answer: ({ params, transact }) =>
      callForTest(readId(params.id, NO_SUCH_WEBHOOK), transact, services),
  });
  add('DELETE /api/admin/webhooks/:id', {
    action: 'webhooks.change',
    answer: async ({ params, transact }) => {
      await transact(
        (transaction) => removeWebhook(readId(params.id, NO_SUCH_WEBHOOK), transaction),
        { lock: POLICIES_LOCK },
      );
      return { message: 'The webhook was deleted.' };
    },
  });
}
