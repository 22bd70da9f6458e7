/** `Send a test`: a call at once, whose answer its sender waits for. */
import { randomUUID } from 'node:crypto';
import type { Webhook } from '../../src/shared/contract';
import { record } from '../audit/record';
import { consumeLimit } from '../http/rate-limits';
import { inTransaction } from '../db/transaction';
import type { Transact } from '../http/access/authority';
import { HttpError, missing } from '../http/errors';
import type { Services } from '../services';
import { logChange, recordAnswer } from './outcome';
import { NO_SUCH_WEBHOOK, findWebhook, hostOf, toWebhook } from './webhooks';

/** Of all webhooks together: an administrator's account must not become a tool to call others with. */
const LIMIT = { key: ['webhook-test'], max: 10, windowMilliseconds: 60_000, isStrict: true };

/** @throws HttpError 404; 429 after ten in a minute */
export async function callForTest(
  id: number,
  transact: Transact,
  services: Services,
): Promise<Webhook> {
  const { db, now, log, webhookCaller } = services;
  const webhook = await transact((transaction) => findWebhook(id, transaction));
  const wait = await consumeLimit([LIMIT], db, now());
  if (wait !== undefined)
    throw new HttpError(429, 'Too many tests of webhooks. Please try again in a minute.', wait);
  // Before the call, which may take its time: it was asked for, whatever is answered.
  await transact((transaction) =>
    record({ action: 'webhook.test', on: hostOf(webhook) }, transaction),
  );
  const body = JSON.stringify({
    type: 'test',
    timestamp: new Date(now()).toISOString(),
    data: {},
  });
  const answer = await webhookCaller.call(webhook, { id: randomUUID(), body });
  const recorded = await inTransaction(db, (transaction) =>
    recordAnswer(id, answer, transaction, now(), true),
  );
  if (recorded === undefined) throw missing(NO_SUCH_WEBHOOK);
  logChange(id, recorded.change, answer, log);
  services.wakeWebhooks();
  return toWebhook(recorded.webhook);
}
