/**
 * The loop that sends the outbox: claims rows by free slots, sends each at once, and records
 * outcomes in batches. All state is in the database, so any number of processes may run it.
 */
import { databaseFault } from '../../db/errors';
import type { Database, Engine } from '../../db/open';
import type { ClaimedPush } from '../../db/outbox/claimed-push';
import {
  MAX_LOST_CLAIMS,
  claimDue,
  isSuspectPush,
  releaseClaims,
} from '../../db/outbox/claim-pushes';
import { type Settlement, recordOutcomes } from '../../db/outbox/outcomes';
import { describeError, type Log } from '../../lib/log';
import { createBreaker } from './breaker';
import type { ServiceProbe } from '../transport';
import type { PushAttempt, DuePush } from './dispatch';
import { createQueueSelector } from './queue-selector';
import { createServiceStates } from './service-states';
import { yieldToEventLoop, startLoop, waitAtMost } from '../../lib/loop';
import { createServiceSlots } from './service-slots';
import { createOutboxMaintenance } from './maintenance';
import { createAllowlist } from './allowlist';

interface WorkerSettings {
  db: Database;
  engine: Engine;
  /** Tries one row. Never rejects. */
  attempt: (push: DuePush) => Promise<PushAttempt>;
  log: Log;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Milliseconds of the monotonic clock. */
  elapsed: () => number;
  isClockSure: () => boolean;
  random: () => number;
  probe: ServiceProbe;
  /** The operator's push services: `host` or `host:port`. */
  allowedHosts: readonly string[];
  /** Rows in flight. */
  concurrency: number;
  /** Milliseconds until a claim expires; longer than any attempt. */
  leaseMs: number;
  /** Milliseconds between looks, because other processes fill the outbox too. */
  pollEveryMs: number;
  /** Milliseconds that `stop` waits for pushes in flight. */
  drainWithinMs: number;
}

export interface Worker {
  /** Looks for rows now. */
  wake(): void;
  /** Stops claiming, waits for pushes in flight, records them, and releases the rest. */
  stop(): Promise<void>;
}

/** Milliseconds that an outcome waits to be recorded with others. */
const RECORD_WITHIN_MS = 40;
/** The embedded engine blocks the process meanwhile, for some milliseconds. */
const RECORD_AT_ONCE = 128;
/** Milliseconds of starting sends before others get their turn. */
const DISPATCH_SLICE_MS = 3;
const DATABASE_PAUSE_MS = 1000;
const REPORT_EVERY_MS = 10_000;

export function startWorker(settings: WorkerSettings): Worker {
  const {
    db,
    engine,
    attempt,
    log,
    now,
    elapsed,
    concurrency,
    leaseMs,
    pollEveryMs,
    drainWithinMs,
  } = settings;
  const breaker = createBreaker(elapsed, settings.random);
  const slots = createServiceSlots(concurrency, breaker);
  const allowlist = createAllowlist(settings.allowedHosts);
  const queueSelector = createQueueSelector({ db, now, elapsed, slots, allowlist, pollEveryMs });
  const maintenance = createOutboxMaintenance({ ...settings, breaker });
  const states = createServiceStates({ ...settings, breaker, allowlist });
  const inFlight = new Map<ClaimedPush, Promise<void>>();
  let settledAttempts: PushAttempt[] = [];
  let isStopping = false;
  const outcomeLog = createOutcomeLog(log, elapsed);

  async function sendOne(claim: ClaimedPush, since: number): Promise<void> {
    const trust = queueSelector.getTrust(claim.service);
    slots.begin(claim.service, trust);
    const attemptResult = await attempt({ claim, since, isProven: trust === 'proven' });
    slots.end(claim.service, trust, attemptResult.reply);
    const { recipient, service } = claim;
    if (attemptResult.signal && recipient)
      states.record({ ...recipient, service }, attemptResult.signal, trust);
    if (!inFlight.delete(claim)) return; // stop() has given it back
    queueSelector.recordPushEnd(claim.service);
    // Lets the next suspect have its turn.
    if (isSuspectPush(claim)) queueSelector.wake();
    settledAttempts.push(attemptResult);
    // A service's first accept opens its slots to waiting rows.
    if (
      inFlight.size === 0 ||
      settledAttempts.length >= concurrency / 2 ||
      (trust !== 'proven' && attemptResult.reply === 'accepted')
    )
      loop.wake();
  }

  async function recordSettled(): Promise<void> {
    while (settledAttempts.length > 0) {
      const batch = settledAttempts.slice(0, RECORD_AT_ONCE);
      await recordOutcomes(
        db,
        batch.map(({ settlement }) => settlement),
        now(),
      );
      settledAttempts = settledAttempts.slice(batch.length);
      for (const { settlement } of batch)
        outcomeLog.add(settlement.state === 'pending' ? 'postponed' : settlement.state);
      await queueSelector.recordAccepts(
        batch
          .filter(({ reply }) => reply === 'accepted')
          .map(({ settlement }) => settlement.claim.service),
      );
      await yieldToEventLoop();
    }
    outcomeLog.report(inFlight.size === 0);
  }

  async function claimBatch(): Promise<void> {
    const shares = await queueSelector.selectShares();
    if (shares.length === 0) return;
    const since = elapsed();
    const withoutSuspects = [...inFlight.keys()].some(isSuspectPush);
    const claims = await claimDue(db, engine, {
      now: now(),
      leaseMs,
      from: shares,
      withoutSuspects,
    });
    queueSelector.recordClaims(shares, claims);
    await sendAll(await isolateSuspects(claims), since);
  }

  /**
   * A row in flight in several dead processes may have ended them. Such suspects are sent one at a
   * time, so that the next death identifies one, which is then abandoned.
   */
  async function isolateSuspects(claims: ClaimedPush[]): Promise<ClaimedPush[]> {
    const suspects = claims.filter(isSuspectPush);
    const [nextSuspect, ...otherSuspects] = suspects.filter(
      ({ lostClaims }) => lostClaims < MAX_LOST_CLAIMS,
    );
    // The release comes first, because this process may be the next to die.
    await releaseClaims(db, otherSuspects);
    await recordOutcomes(
      db,
      suspects.filter(({ lostClaims }) => lostClaims >= MAX_LOST_CLAIMS).map(abandon),
      now(),
    );
    return claims.filter((claim) => claim === nextSuspect || !isSuspectPush(claim));
  }

  function abandon(claim: ClaimedPush): Settlement {
    log.error('push set aside: process died while sending', {
      alert: true,
      delivery: claim.id,
      message: claim.message.id,
      times: claim.lostClaims,
      help: 'This push is not retried. The last log lines before each start show why the process died.',
    });
    outcomeLog.add('failed');
    return {
      claim,
      state: 'failed',
      attempted: false,
      reason: 'process-died',
      failure: { reason: 'unreachable', isOfDevice: false },
    };
  }

  async function sendAll(claims: ClaimedPush[], since: number): Promise<void> {
    let startedAt = performance.now();
    for (const [index, claim] of claims.entries()) {
      if (performance.now() - startedAt > DISPATCH_SLICE_MS) {
        await yieldToEventLoop();
        if (isStopping) return releaseClaims(db, claims.slice(index));
        startedAt = performance.now();
      }
      inFlight.set(claim, sendOne(claim, since));
    }
  }

  /** @returns milliseconds until the next turn */
  async function runTurn(): Promise<number> {
    await recordSettled();
    await maintenance();
    if (await states.maintain()) queueSelector.wake();
    await claimBatch();
    return inFlight.size > 0 || settledAttempts.length > 0
      ? RECORD_WITHIN_MS
      : queueSelector.nextLookIn();
  }

  async function finishPendingSends(): Promise<void> {
    await waitAtMost(drainWithinMs, Promise.all(inFlight.values()));
    const unsent = [...inFlight.keys()];
    inFlight.clear();
    try {
      await recordSettled();
      await releaseClaims(db, unsent);
      await states.maintain(true);
    } catch (error) {
      logDatabaseFault(log, error);
    }
  }

  const loop = startLoop(runTurn, (error) => {
    logDatabaseFault(log, error);
    // The search that failed is repeated.
    queueSelector.wake();
    return DATABASE_PAUSE_MS;
  });
  return {
    wake() {
      queueSelector.wake();
      loop.wake();
    },
    async stop() {
      isStopping = true;
      await loop.stop();
      await finishPendingSends();
    },
  };
}

/** Outcomes stay in memory until the database is back. If the process dies, they are resent. */
function logDatabaseFault(log: Log, error: unknown): void {
  log.error('outbox unavailable, retrying', {
    fault: databaseFault(error) ?? 'unexpected',
    ...describeError(error),
  });
}

/** Counts outcomes and logs them together: when all work is done, else every ten seconds. */
export function createOutcomeLog(
  log: Log,
  now: () => number,
): { add(state: string): void; report(done: boolean): void } {
  let counts: Record<string, number> = {};
  let since = now();
  return {
    add(state) {
      counts[state] = (counts[state] ?? 0) + 1;
    },
    report(done) {
      if (Object.keys(counts).length === 0 || (!done && now() - since < REPORT_EVERY_MS)) return;
      log.info('pushes attempted', counts);
      counts = {};
      since = now();
    },
  };
}
