/**
 * Calls webhooks, in the background, of what is written for them (`db/webhook-calls.ts`). A call is
 * made at least once: a process that dies leaves a claim that runs out, and the next one calls with
 * the same id.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { createPause } from '../delivery/queue/sleep';
import { describeError } from '../lib/log';
import type { Services } from '../services';
import { claimCalls, dropCall, readDue, readFull, settleCall } from './calls';
import type { Call, Due } from './calls';
import { logChange } from './outcome';
import { createPlaces } from './places';
import { isWanted } from './wanted';

/** How often it is counted how much waits: that reads all of it. */
const COUNT_MILLISECONDS = 60_000;
/** How soon retries, and what another process left behind, are found. */
const POLL_MILLISECONDS = 2000;

export interface Calling {
  /** There may be something to call: look now. */
  wake(): void;
  /** Makes all calls that are due; resolves when they have ended. */
  callDue(): Promise<void>;
  /** Looks for calls until it is stopped. */
  start(): void;
  /**
   * Begins no more, and waits for those under way.
   * @param within milliseconds after which receivers that do not answer are left alone: they are
   * called again when the claim runs out
   */
  stop(within: number): Promise<void>;
}

/** @param services read when needed, since they hold what this returns */
export function createCalling(services: () => Services): Calling {
  const pause = createPause();
  const places = createPlaces();
  const underWay = new Set<Promise<void>>();
  /** Of which it was logged that as many calls wait as may. */
  let full = new Set<number>();
  let countedAt = -Infinity;
  let isStopping = false;
  let isLeft = false;
  let looking: Promise<unknown> | undefined;

  /** Begins the calls that may begin now. @returns how many */
  async function look(): Promise<number> {
    const { db, config, now, log } = services();
    const engine = config.databaseUrl === undefined ? 'sqlite' : 'postgres';
    let begun = 0;
    if (Math.abs(now() - countedAt) >= COUNT_MILLISECONDS) await tellOfFull();
    const due = await readDue(db, now());
    for (const webhook of due) {
      const limit = places.free(webhook.id, webhook.isFailing);
      if (limit === 0 || isStopping) continue;
      for (const call of await claimCalls(webhook.id, limit, { db, engine, now: now() })) {
        begun += 1;
        places.take(webhook.id);
        const ended = attempt(webhook, call)
          .catch((error: unknown) =>
            log.error('a webhook call could not be recorded', describeError(error)),
          )
          .finally(() => {
            places.leave(webhook.id);
            underWay.delete(ended);
            pause.end();
          });
        underWay.add(ended);
      }
    }
    return begun;
  }

  /** Once of each, until there is room again. */
  async function tellOfFull(): Promise<void> {
    const { db, log, now } = services();
    const ids = await readFull(db);
    countedAt = now();
    for (const webhook of ids)
      if (!full.has(webhook))
        log.error('a webhook does not keep up: further calls are dropped', { webhook });
    full = new Set(ids);
  }

  async function attempt(webhook: Due, call: Call): Promise<void> {
    const { db, now, log, metrics, webhookCaller } = services();
    if (!(await isWanted(call, db, now()))) return dropCall(call, db);
    const answer = await webhookCaller.call(webhook, call);
    if (isLeft) return;
    const { outcome, change } = await settleCall(call, answer, db, now());
    metrics.countWebhookCall(outcome);
    logChange(webhook.id, change, answer, log);
    if (outcome === 'given-up')
      log.warn('webhook call given up', { webhook: webhook.id, call: call.id });
  }

  return {
    wake: () => pause.end(),
    async callDue() {
      while (!isStopping && ((await look()) > 0 || underWay.size > 0))
        if (underWay.size > 0) await Promise.race(underWay);
    },
    start() {
      const keepCalling = async (): Promise<void> => {
        while (!isStopping) {
          await look().catch((error: unknown) =>
            services().log.error('webhooks cannot be called', describeError(error)),
          );
          if (!isStopping) await pause.for(POLL_MILLISECONDS);
        }
      };
      looking = keepCalling();
    },
    async stop(within) {
      isStopping = true;
      pause.end();
      const patience = new AbortController();
      const late = wait(within, undefined, { signal: patience.signal }).catch(() => undefined);
      await Promise.race([Promise.resolve(looking).then(() => Promise.all(underWay)), late]);
      patience.abort();
      isLeft = true;
    },
  };
}
