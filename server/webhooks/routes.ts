import { POLICIES_LOCK } from '../escalation/policies';
import { readIdempotencyKey, idempotentRequest } from '../http/idempotency';
import { type AddRoute, readId } from '../http/route';
import type { Services } from '../services';
import { callForTest } from './test-call';
import {
  NO_SUCH_WEBHOOK,
  WEBHOOKS_LOCK,
  insertWebhook,
  removeWebhook,
  listWebhooks,
} from './webhooks';
import { HttpError } from '../http/errors';
import { toHref } from '../lib/href';

export function addWebhookRoutes(add: AddRoute, services: Services): void {
  add('GET /api/admin/webhooks', {
    action: 'webhooks.read',
    respond: async () => ({ webhooks: await listWebhooks(services.db) }),
  });
  add('POST /api/admin/webhooks', {
    action: 'webhooks.change',
    status: 201,
    respond: async ({ body: { url: text, events }, user, transact, header }) => {
      const key = readIdempotencyKey(header);
      const url = await requireAddress(text, services);
      const request = idempotentRequest('webhook', user.id, key, { url, events });
      return transact(
        (transaction) => insertWebhook({ url, events }, request, transaction, services.now()),
        { lock: WEBHOOKS_LOCK },
      );
    },
  });
  add('POST /api/admin/webhooks/:id/test', {
    action: 'webhooks.change',
    respond: ({ params, transact }) =>
      callForTest(readId(params.id, NO_SUCH_WEBHOOK), transact, services),
  });
  add('DELETE /api/admin/webhooks/:id', {
    action: 'webhooks.change',
    respond: async ({ params, transact }) => {
      await transact(
        (transaction) => removeWebhook(readId(params.id, NO_SUCH_WEBHOOK), transaction),
        { lock: POLICIES_LOCK },
      );
      return { message: 'The webhook was deleted.' };
    },
  });
}

const ALLOW_HOST_HELP = 'To allow this URL, an operator can add its host to WEBHOOK_ALLOWED_HOSTS.';
const ADDRESS_FAULTS: Record<string, string> = {
  'endpoint-not-https': 'URL must begin with https://.',
  'endpoint-with-userinfo': 'URL must not contain a username or password.',
  'endpoint-port': `URL has a port. ${ALLOW_HOST_HELP}`,
  'endpoint-address': `URL is in a private network. ${ALLOW_HOST_HELP}`,
};

/**
 * Checks the address while the administrator waits. A name that does not resolve is accepted, because
 * each connection checks again.
 * @returns the normalized address
 * @throws HttpError 400
 */
async function requireAddress(text: string, { webhookCaller }: Services): Promise<string> {
  const url = new URL(toHref(text));
  const fault = await webhookCaller.findAddressFault(url);
  if (fault === undefined) return url.href;
  const message = ADDRESS_FAULTS[fault] ?? 'Fieldbell cannot call this address.';
  throw new HttpError(400, [{ message, path: 'url' }]);
}
