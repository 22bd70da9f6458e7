/** `Send a test`: calls at once and waits for the reply. */
import { randomUUID } from 'node:crypto';
import type { Webhook } from '../../src/shared/contract';
import { recordAudit } from '../audit/record-audit';
import { consumeLimit } from '../http/rate-limits';
import { inTransaction } from '../db/transaction';
import type { Transact } from '../http/access/authority';
import { HttpError, notFoundError } from '../http/errors';
import type { Services } from '../services';
import { logChange, recordResponse } from './outcome';
import { NO_SUCH_WEBHOOK, requireWebhook, webhookHost, toWebhook } from './webhooks';

/** Limits the tests of all webhooks together, so that an account cannot be used to flood others. */
const TEST_CALL_LIMIT = {
  key: ['webhook-test'],
  max: 10,
  windowMs: 60_000,
  isStrict: true,
};

/** @throws HttpError 404; 429 after ten in a minute */
export async function callForTest(
  id: number,
  transact: Transact,
  services: Services,
): Promise<Webhook> {
  const { db, now, log, webhookCaller } = services;
  const webhook = await transact((transaction) => requireWebhook(id, transaction));
  const wait = await consumeLimit([TEST_CALL_LIMIT], db, now());
  if (wait !== undefined)
    throw new HttpError(429, 'Too many webhook tests. Please try again in a minute.', wait);
  // The entry comes before the call: the test was requested, whatever the reply.
  await transact((transaction) =>
    recordAudit({ action: 'webhook.test', on: webhookHost(webhook) }, transaction),
  );
  const body = JSON.stringify({
    type: 'test',
    timestamp: new Date(now()).toISOString(),
    data: {},
  });
  const response = await webhookCaller.call(webhook, { id: randomUUID(), body });
  const result = await inTransaction(db, (transaction) =>
    recordResponse(id, response, transaction, now(), true),
  );
  if (result === undefined) throw notFoundError(NO_SUCH_WEBHOOK);
  logChange(id, result.change, response, log);
  services.wakeWebhooks();
  return toWebhook(result.webhook);
}
