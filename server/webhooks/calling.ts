/**
 * Calls webhooks, in the background, of what is written for them (`db/webhook-calls.ts`). A call is
 * made at least once: a process that dies leaves a claim that runs out, and the next one calls with
 * the same id.
 */
import { type JobRunner, POLL_MILLISECONDS, createJobRunner } from '../jobs/job-runner';
import type { JobsUnderWay } from '../jobs/job-runner';
import type { Services } from '../services';
import { claimCalls, dropCall, readDue, readFull, settleCall } from './calls';
import type { ClaimedCall, Due } from './calls';
import { logChange } from './outcome';
import { createPlaces } from './places';
import { isWanted } from './wanted';

/** How often it is counted how much waits: that reads all of it. */
const COUNT_MILLISECONDS = 60_000;
/** @param services read when needed, since they hold what this returns */
export function createCalling(services: () => Services): JobRunner {
  const places = createPlaces();
  /** Of which it was logged that as many calls wait as may. */
  let full = new Set<number>();
  let countedAt = -Infinity;

  async function look(underWay: JobsUnderWay): Promise<number> {
    const { db, now } = services();
    let rest = POLL_MILLISECONDS;
    if (Math.abs(now() - countedAt) >= COUNT_MILLISECONDS) await tellOfFull();
    for (const webhook of await readDue(db, now())) {
      const limit = places.free(webhook.id, webhook.isFailing);
      if (limit === 0 || underWay.isStopping()) continue;
      for (const call of await claimCalls(webhook.id, limit, db, now())) {
        rest = 0;
        places.take(webhook.id);
        underWay.begin(attempt(webhook, call, underWay).finally(() => places.leave(webhook.id)));
      }
    }
    return rest;
  }

  /** Once of each, until there is room again. */
  async function tellOfFull(): Promise<void> {
    const { db, log, now } = services();
    const ids = await readFull(db);
    countedAt = now();
    for (const webhook of ids)
      if (!full.has(webhook)) log.error('webhook queue full, dropping calls', { webhook });
    full = new Set(ids);
  }

  async function attempt(webhook: Due, call: ClaimedCall, { isLeft }: JobsUnderWay): Promise<void> {
    const { db, now, log, metrics, webhookCaller } = services();
    if (!(await isWanted(call, db, now()))) return dropCall(call, db);
    const answer = await webhookCaller.call(webhook, call);
    if (isLeft()) return;
    const { outcome, change } = await settleCall(call, answer, db, now());
    metrics.countWebhookCall(outcome);
    logChange(webhook.id, change, answer, log);
    if (outcome === 'given-up')
      log.warn('webhook call given up', { webhook: webhook.id, call: call.id });
  }

  return createJobRunner(services, 'webhooks cannot be called', look);
}
