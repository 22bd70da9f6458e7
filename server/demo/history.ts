/** Runs the sample's past through the product's own functions, so that all records agree. */
import type { Transaction } from 'kysely';
import type { Config } from '../config/config';
import { actAs } from '../audit/record-audit';
import type { Actor } from '../audit/record-audit';
import { ESCALATION_JOB, MESSAGE_JOB, QUIET_JOB } from '../db/jobs/kinds';
import { nextJobDueAt } from '../db/jobs/jobs';
import type { Database, Engine } from '../db/open';
import { claimDue } from '../db/outbox/claim-pushes';
import { recordOutcomes } from '../db/outbox/outcomes';
import { recordPushService } from '../db/push-outcomes';
import type { Tables } from '../db/schema';
import { inTransaction } from '../db/transaction';
import { settlePush } from '../delivery/queue/settle';
import { readDeviceKey } from '../http/access/device-key';
import { collectInsights } from '../insights/collect-insights';
import { recordReceiptReports } from '../inbox/receipts';
import type { ReceiptReport } from '../inbox/receipt-authors';
import { createMetrics } from '../lib/metrics';
import { createMessageJobs } from '../messages/sending/message-jobs';
import type { Services } from '../services';
import { createWebhookJobs } from '../webhooks/webhook-jobs';
import { reactToPush, choosePushStatus, type PhoneAction, type Phone } from './phones/phone';
import { DAY_MS } from '../lib/durations';

export interface SampleEvent {
  at: number;
  /** This is read when the event happens: an earlier event may add the account. */
  by(): Actor;
  network?: string;
  isSending?: boolean;
  run(transaction: Transaction<Tables>): Promise<unknown>;
}

export interface History {
  services: Services;
  phones: Map<number, Phone>;
  /** Runs all events in order until `end`. Resolves with what phones report later. */
  runLive(events: readonly SampleEvent[], end: number): Promise<FutureReport[]>;
}

export interface FutureReport {
  phone: Phone;
  messageId: string;
  action: PhoneAction;
  at: number;
}

/** Insights show 90 days at most. */
const NOTED_DAYS = 90;
const KEPT_DAYS = 365;
const PUSH_LEASE_MS = 30_000;
/** Pushes at once; people in the sample have at most two devices. */
const PUSHES_PER_CLAIM = 1000;
const JOB_KINDS = [MESSAGE_JOB, ESCALATION_JOB, QUIET_JOB];
/** People answer within minutes in the sample's past, and within seconds in the running demo. */
const PACE_FACTOR = 10;
const MAX_TURNS = 10_000;

export function createHistory(
  { db, config }: { db: Database; config: Config },
  callWebhook: (url: string, at: number) => number,
): History {
  const engine: Engine = config.databaseUrl === undefined ? 'sqlite' : 'postgres';
  const phones = new Map<number, Phone>();
  const random = createChance(1);
  let now = 0;
  const pendingReports: FutureReport[] = [];
  let isBusy = false;
  const doNothing = () => undefined;
  const services: Services = {
    db,
    config,
    log: { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing },
    mail: async () => undefined,
    now: () => now,
    wakePushWorker: doNothing,
    wakeJobs: doNothing,
    wakeMail: doNothing,
    wakeWebhooks: doNothing,
    webhookCaller: {
      findAddressFault: async () => undefined,
      call: async ({ url }) => ({
        ...{ kind: 'responded', retryAfter: undefined, body: '' },
        status: callWebhook(url, now),
      }),
      close: doNothing,
    },
    isStopping: () => false,
    metrics: createMetrics({ db, now: () => now }),
    vapidPublicKey: '',
  };
  const messageJobs = createMessageJobs(() => services);
  const webhookJobs = createWebhookJobs(() => services);

  async function deliverPushes(): Promise<void> {
    const queues = await db.selectFrom('push_services').select('id').execute();
    const queueShares = queues.map(({ id }) => ({ service: id, limit: PUSHES_PER_CLAIM }));
    const claims = await claimDue(db, engine, { now, leaseMs: PUSH_LEASE_MS, from: queueShares });
    const settlements = claims.map((claim) => {
      const { message, recipient } = claim;
      const phone = phones.get(recipient?.deviceId ?? 0);
      const status = phone === undefined ? 410 : choosePushStatus(phone, false);
      const reason = `status-${status}`;
      if (status === 410) return settlePush(claim, { kind: 'gone', reason }, now, random);
      if (status !== 201) return settlePush(claim, { kind: 'failed', reason }, now, random);
      const at = now + Math.round(200 + 600 * random());
      if (phone !== undefined) receivePush(phone, { ...message, isInInbox: !message.isDigest }, at);
      return settlePush(claim, { kind: 'accepted' }, at, random);
    });
    await recordOutcomes(db, settlements, now + 500);
    const acceptedPushes = settlements.filter(({ state }) => state === 'accepted');
    for (const id of new Set(acceptedPushes.map(({ claim }) => claim.service)))
      await recordPushService({ id, state: 'accepting', since: now, acceptedAt: now }, db, now);
    isBusy = true;
  }

  function receivePush(
    phone: Phone,
    {
      id,
      answers,
      round,
      isInInbox,
    }: { id: string; answers: string[]; round: number; isInInbox: boolean },
    acceptedAt: number,
  ): void {
    const push = { id, answers, round, isTest: false, isInInbox };
    for (const action of reactToPush(phone, push, random, PACE_FACTOR))
      pendingReports.push({ phone, messageId: id, action, at: acceptedAt + action.after });
    pendingReports.sort((a, b) => a.at - b.at);
  }

  async function reportUntil(until: number): Promise<void> {
    const nextIndex = pendingReports.findIndex(({ at }) => at > until);
    const reports = pendingReports
      .splice(0, nextIndex === -1 ? pendingReports.length : nextIndex)
      .flatMap(({ phone, messageId, action: { after: _, ...receipt }, at }): ReceiptReport[] => {
        const key = readDeviceKey(`Bearer ${phone.deviceKey}`);
        const receipts = [{ messageId, ...receipt }];
        return key === undefined ? [] : [{ claimed: { key }, receipts, at }];
      });
    if (reports.length > 0)
      await inTransaction(db, (transaction) =>
        recordReceiptReports(reports, transaction, services),
      );
  }

  async function passUntil(until: number): Promise<void> {
    for (let round = 0; round < MAX_TURNS; round += 1) {
      const dueAt = await nextJobDueAt(JOB_KINDS, db, now);
      const stop = Math.max(now, Math.min(until, dueAt ?? until));
      now = stop;
      await reportUntil(stop);
      await webhookJobs.runDue();
      if (dueAt === undefined || dueAt > until) {
        isBusy = pendingReports.length > 0 || dueAt !== undefined;
        now = Math.max(now, until);
        return;
      }
      await messageJobs.runDue();
      await deliverPushes();
    }
    throw new Error('The history of the sample did not finish');
  }

  /** Summarizes each day that is over, as the hourly deletion of old data does. */
  async function recordReceipts(since: number, until: number): Promise<void> {
    for (let day = Math.floor(since / DAY_MS); (day + 1) * DAY_MS <= until; day += 1)
      await collectInsights(db, (day + 1) * DAY_MS - 1, new AbortController().signal, KEPT_DAYS);
  }

  return {
    services,
    phones,
    async runLive(events, end) {
      const inOrder = [...events].sort((a, b) => a.at - b.at);
      let notedTo = Math.max(end - NOTED_DAYS * DAY_MS, inOrder[0]?.at ?? end);
      while (inOrder.length > 0) {
        const [firstEvent] = inOrder;
        if (isBusy && firstEvent !== undefined) await passUntil(firstEvent.at);
        if (firstEvent !== undefined && firstEvent.at > notedTo) {
          await recordReceipts(notedTo, firstEvent.at);
          notedTo = firstEvent.at;
        }
        // Nothing runs in between, so everything up to the next message is one transaction.
        const sendingIndex = isBusy ? 0 : inOrder.findIndex(({ isSending }) => isSending === true);
        const eventsUntilSend = inOrder.splice(
          0,
          sendingIndex === -1 ? inOrder.length : sendingIndex + 1,
        );
        await inTransaction(db, async (transaction) => {
          for (const { at, by, network, run } of eventsUntilSend) {
            now = at;
            actAs({ by: by(), at, ...(network !== undefined && { network }) }, transaction);
            await run(transaction);
          }
        });
        if (eventsUntilSend.some(({ isSending }) => isSending)) await deliverPushes();
      }
      await passUntil(end);
      await recordReceipts(notedTo, end);
      await collectInsights(db, end, new AbortController().signal, KEPT_DAYS);
      return pendingReports;
    },
  };
}

/** Repeatable random numbers (Park and Miller). */
function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}
