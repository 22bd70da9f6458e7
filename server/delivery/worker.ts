/**
 * The loop that empties the outbox: claims as many rows as it has hands free, sends each at once, and records the
 * outcomes in batches. Everything it knows is in the database, so that any number of processes may run one.
 */
import { databaseFault } from '../db/errors';
import type { Database, Engine } from '../db/open';
import { claimDue, nextDueAt, recordOutcomes, releaseClaims, type Claim, type Settlement } from '../db/outbox';
import { describeError, type Log } from '../log';
import { createPause, nextTurn } from './pause';
import { createTally } from './tally';

export interface WorkerSettings {
  db: Database;
  engine: Engine;
  /** Tries one row. Never rejects. */
  attempt: (claim: Claim) => Promise<Settlement>;
  log: Log;
  now: () => number;
  /** Rows in flight at once. */
  concurrency: number;
  /** Milliseconds until a claim runs out; longer than any attempt takes. */
  lease: number;
  /** Milliseconds after which to look again though nobody called: other processes fill the outbox too. */
  pollEvery: number;
  /** Milliseconds that `stop` waits for what is in flight. */
  drainWithin: number;
}

export interface Worker {
  /** There may be something to do: look now. */
  wake(): void;
  /** Claims nothing more, waits for what is in flight, records it, and gives back the rest. */
  stop(): Promise<void>;
}

/** An outcome waits at most this many milliseconds for others to be recorded with. */
const RECORD_WITHIN = 40;
/** On the embedded engine the whole process stands still meanwhile: some milliseconds. */
const RECORD_AT_ONCE = 128;
/** Milliseconds of beginning sends after which whoever else waits for this process gets their turn. */
const SLICE = 3;
const DATABASE_PAUSE = 1000;

export function startWorker(settings: WorkerSettings): Worker {
  const { db, engine, attempt, log, now, concurrency, lease, pollEvery, drainWithin } = settings;
  const inFlight = new Set<Claim>();
  let settled: Settlement[] = [];
  let stopping = false;
  let quietUntil = 0;
  const pause = createPause();
  const tally = createTally(log, now);

  async function send(claim: Claim): Promise<void> {
    inFlight.add(claim);
    const settlement = await attempt(claim);
    if (!inFlight.delete(claim)) return; // stop() has given it back
    settled.push(settlement);
    if (inFlight.size === 0 || settled.length >= concurrency / 2) pause.end();
  }

  async function record(): Promise<void> {
    while (settled.length > 0) {
      const batch = settled.slice(0, RECORD_AT_ONCE);
      await recordOutcomes(db, batch, now());
      settled = settled.slice(batch.length);
      for (const { state } of batch) tally.add(state === 'pending' ? 'postponed' : state);
      await nextTurn();
    }
    tally.report(inFlight.size === 0);
  }

  async function claim(): Promise<void> {
    const limit = concurrency - inFlight.size;
    if (now() < quietUntil || limit < concurrency / 4) return;
    // Forgotten before asking, so that a wake() during the question asks once more.
    quietUntil = now() + pollEvery;
    const claims = await claimDue(db, engine, { now: now(), lease, limit });
    await sendAll(claims);
    if (claims.length === limit) quietUntil = 0;
    else if (inFlight.size === 0) quietUntil = Math.min(quietUntil, (await nextDueAt(db)) ?? quietUntil);
  }

  async function sendAll(claims: Claim[]): Promise<void> {
    let began = performance.now();
    for (const [index, claimed] of claims.entries()) {
      if (performance.now() - began > SLICE) {
        await nextTurn();
        if (stopping) return releaseClaims(db, claims.slice(index));
        began = performance.now();
      }
      void send(claimed);
    }
  }

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        await record();
        await claim();
        if (!stopping) await pause.for(inFlight.size > 0 || settled.length > 0 ? RECORD_WITHIN : quietUntil - now());
      } catch (error) {
        logDatabaseFault(log, error);
        await pause.for(DATABASE_PAUSE);
      }
    }
  }

  async function finish(): Promise<void> {
    const drained = Date.now() + drainWithin;
    while (inFlight.size > 0 && Date.now() < drained) await pause.for(drained - Date.now());
    const unsent = [...inFlight];
    inFlight.clear();
    try {
      await record();
      await releaseClaims(db, unsent);
    } catch (error) {
      logDatabaseFault(log, error);
    }
  }

  const running = run();
  return {
    wake() {
      quietUntil = 0;
      pause.end();
    },
    async stop() {
      stopping = true;
      pause.end();
      await running;
      await finish();
    },
  };
}

/** What was sent stays in memory and is recorded once the database is back; if we die first, it is sent again. */
function logDatabaseFault(log: Log, error: unknown): void {
  log.error('delivery cannot reach the outbox', { fault: databaseFault(error) ?? 'unexpected', ...describeError(error) });
}
