/**
 * Calls webhooks in the background with what `db/webhook-calls.ts` stores, at least once: the claim
 * of a dead process expires, and the next attempt has the same id.
 */
import { type JobRunner, POLL_EVERY_MS, createJobRunner } from '../jobs/job-runner';
import type { RunningJobs } from '../jobs/job-runner';
import type { Services } from '../services';
import type { WebhookCallRow } from '../db/schema';
import type { Database } from '../db/open';
import { isStillNeeded } from '../escalation/stop-escalation';
import { claimCalls, dropCall, readDueWebhooks, readFullQueues, recordCallOutcome } from './calls';
import type { DueWebhook } from './calls';
import { logChange } from './outcome';

/** How often queues are counted, which reads all of them. */
const COUNT_EVERY_MS = 60_000;

/** @param services read when needed, since they contain the result */
export function createWebhookJobs(services: () => Services): JobRunner {
  const slots = createCallSlots();
  /** Webhooks whose full queue was logged. */
  let fullWebhooks = new Set<number>();
  let countedAt = -Infinity;

  async function pollJobs(runningJobs: RunningJobs): Promise<number> {
    const { db, now } = services();
    let pauseMs = POLL_EVERY_MS;
    if (Math.abs(now() - countedAt) >= COUNT_EVERY_MS) await logFull();
    for (const webhook of await readDueWebhooks(db, now())) {
      const limit = slots.free(webhook.id, webhook.isFailing);
      if (limit === 0 || runningJobs.isStopping()) continue;
      for (const call of await claimCalls(webhook.id, limit, db, now())) {
        pauseMs = 0;
        slots.acquire(webhook.id);
        runningJobs.begin(
          attemptCall(webhook, call, runningJobs).finally(() => slots.release(webhook.id)),
        );
      }
    }
    return pauseMs;
  }

  /** A full webhook is logged once, until the webhook has room again. */
  async function logFull(): Promise<void> {
    const { db, log, now } = services();
    const ids = await readFullQueues(db);
    countedAt = now();
    for (const webhook of ids)
      if (!fullWebhooks.has(webhook)) log.error('webhook queue full, dropping calls', { webhook });
    fullWebhooks = new Set(ids);
  }

  async function attemptCall(
    webhook: DueWebhook,
    call: WebhookCallRow,
    { isAbandoned }: RunningJobs,
  ): Promise<void> {
    const { db, now, log, metrics, webhookCaller } = services();
    if (!(await isCallStillWanted(call, db, now()))) return dropCall(call, db);
    const response = await webhookCaller.call(webhook, call);
    if (isAbandoned()) return;
    const { outcome, change } = await recordCallOutcome(call, response, db, now());
    metrics.countWebhookCall(outcome);
    logChange(webhook.id, change, response, log);
    if (outcome === 'given-up')
      log.warn('webhook call abandoned', { webhook: webhook.id, call: call.id });
  }

  return createJobRunner(services, 'webhooks', pollJobs);
}

/** A step's call is obsolete once its message was answered or ended. Events never are. */
export async function isCallStillWanted(
  { message_id }: Pick<WebhookCallRow, 'message_id'>,
  db: Database,
  now: number,
): Promise<boolean> {
  if (message_id === null) return true;
  const message = await db
    .selectFrom('messages')
    .where('id', '=', message_id)
    .select(['state', 'stopped', 'expires_at'])
    .executeTakeFirst();
  return message !== undefined && isStillNeeded(message, now);
}

/** Each webhook has one place of its own, so that none waits for another; the rest is shared. */
const MAX_SLOTS_PER_WEBHOOK = 4;
/** Together with the 20 places of their own: 32. */
const SHARED_SLOTS = 12;

interface CallSlots {
  /** How many more calls may begin. A failing webhook has only its own place. */
  free(webhookId: number, isFailing: boolean): number;
  acquire(webhookId: number): void;
  release(webhookId: number): void;
}

export function createCallSlots(): CallSlots {
  const slotsInUse = new Map<number, number>();
  return {
    free(webhookId, isFailing) {
      const ownSlots = slotsInUse.get(webhookId) ?? 0;
      let sharedSlots = 0;
      for (const count of slotsInUse.values()) sharedSlots += count - 1;
      const extraSlots = isFailing
        ? 0
        : Math.min(MAX_SLOTS_PER_WEBHOOK - Math.max(ownSlots, 1), SHARED_SLOTS - sharedSlots);
      return (ownSlots === 0 ? 1 : 0) + Math.max(0, extraSlots);
    },
    acquire: (webhookId) => void slotsInUse.set(webhookId, (slotsInUse.get(webhookId) ?? 0) + 1),
    release(webhookId) {
      const remainingCount = (slotsInUse.get(webhookId) ?? 1) - 1;
      if (remainingCount > 0) slotsInUse.set(webhookId, remainingCount);
      else slotsInUse.delete(webhookId);
    },
  };
}
