/**
 * The loop that empties the outbox: claims as many rows as there are slots for their push services,
 * sends each at once, and records the outcomes in batches. What must survive is in the database, so
 * that any number of processes may run one.
 */
import { databaseFault } from '../../db/errors';
import type { Database, Engine } from '../../db/open';
import type { Claim } from '../../db/outbox/claim';
import { MAX_LOST, claimDue, isSuspect, releaseClaims } from '../../db/outbox/claims';
import { type Settlement, recordOutcomes } from '../../db/outbox/outcomes';
import { describeError, type Log } from '../../lib/log';
import { createBreaker } from './breaker';
import type { ServiceProbe } from '../transport';
import type { Attempted, Given } from './dispatch';
import { createFinder } from './finder';
import { createServiceStates } from './service-states';
import { nextTurn, startLoop, within } from '../../lib/loop';
import { createSlots } from './slots';
import { createTally } from './summary-log';
import { createUpkeep } from './upkeep';
import { createAllowlist } from './allowlist';

interface WorkerSettings {
  db: Database;
  engine: Engine;
  /** Tries one row. Never rejects. */
  attempt: (given: Given) => Promise<Attempted>;
  log: Log;
  /** Milliseconds since 1970: for times in the outbox. */
  now: () => number;
  /** Milliseconds of the monotonic clock: for all waiting. */
  elapsed: () => number;
  isClockSure: () => boolean;
  random: () => number;
  probe: ServiceProbe;
  /** `host` or `host:port`: push services for which the operator vouches. */
  allowedHosts: readonly string[];
  /** Rows in flight at once. */
  concurrency: number;
  /** Milliseconds until a claim runs out; longer than any attempt takes. */
  lease: number;
  /**
   * Milliseconds after which to look again without a call: other processes fill the outbox, too.
   */
  pollEvery: number;
  /** Milliseconds that `stop` waits for pushes in flight. */
  drainWithin: number;
}

export interface Worker {
  /** There may be something to do: look now. */
  wake(): void;
  /** Claims nothing more, waits for pushes in flight, records them, and gives back the rest. */
  stop(): Promise<void>;
}

/** An outcome waits at most this many milliseconds for others to be recorded with. */
const RECORD_WITHIN = 40;
/** On the embedded engine the whole process stands still meanwhile: some milliseconds. */
const RECORD_AT_ONCE = 128;
/**
 * Milliseconds of beginning sends after which others who wait for this process get their turn.
 */
const SLICE = 3;
const DATABASE_PAUSE = 1000;

export function startWorker(settings: WorkerSettings): Worker {
  const { db, engine, attempt, log, now, elapsed, concurrency, lease, pollEvery, drainWithin } =
    settings;
  const breaker = createBreaker(elapsed, settings.random);
  const slots = createSlots(concurrency, breaker);
  const vouched = createAllowlist(settings.allowedHosts);
  const finder = createFinder({ db, now, elapsed, slots, vouched, pollEvery });
  const upkeep = createUpkeep({ ...settings, breaker });
  const states = createServiceStates({ ...settings, breaker, vouched });
  const inFlight = new Map<Claim, Promise<void>>();
  let settled: Attempted[] = [];
  let stopping = false;
  const tally = createTally(log, elapsed);

  async function sendOne(claim: Claim, since: number): Promise<void> {
    const trust = finder.trustOf(claim.service);
    slots.begin(claim.service, trust);
    const attempted = await attempt({ claim, since, isTrusted: trust === 'proven' });
    slots.end(claim.service, trust, attempted.heard);
    const { recipient, service } = claim;
    if (attempted.word && recipient) states.hear({ ...recipient, service }, attempted.word, trust);
    if (!inFlight.delete(claim)) return; // stop() has given it back
    finder.freed(claim.service);
    // Another one may have its turn.
    if (isSuspect(claim)) finder.wake();
    settled.push(attempted);
    // The first that a service accepts opens its slots for the others that wait.
    if (
      inFlight.size === 0 ||
      settled.length >= concurrency / 2 ||
      (trust !== 'proven' && attempted.heard === 'accepted')
    )
      loop.wake();
  }

  async function record(): Promise<void> {
    while (settled.length > 0) {
      const batch = settled.slice(0, RECORD_AT_ONCE);
      await recordOutcomes(
        db,
        batch.map(({ settlement }) => settlement),
        now(),
      );
      settled = settled.slice(batch.length);
      for (const { settlement } of batch)
        tally.add(settlement.state === 'pending' ? 'postponed' : settlement.state);
      await finder.trust(
        batch
          .filter(({ heard }) => heard === 'accepted')
          .map(({ settlement }) => settlement.claim.service),
      );
      await nextTurn();
    }
    tally.report(inFlight.size === 0);
  }

  async function claimBatch(): Promise<void> {
    const from = await finder.find();
    if (from.length === 0) return;
    const since = elapsed();
    const withoutSuspects = [...inFlight.keys()].some(isSuspect);
    const claims = await claimDue(db, engine, { now: now(), lease, from, withoutSuspects });
    finder.found(from, claims);
    await sendAll(await keepSafe(claims), since);
  }

  /**
   * Rows that were in flight when processes died may be what ended them. One that was so twice is
   * sent only while no other such is, so that a third time says which one it was; that one is set
   * aside.
   */
  async function keepSafe(claims: Claim[]): Promise<Claim[]> {
    const suspects = claims.filter(isSuspect);
    const [next, ...others] = suspects.filter(({ lost }) => lost < MAX_LOST);
    // Before anything else is begun: this process may be the next to die.
    await releaseClaims(db, others);
    await recordOutcomes(db, suspects.filter(({ lost }) => lost >= MAX_LOST).map(setAside), now());
    return claims.filter((each) => each === next || !isSuspect(each));
  }

  function setAside(claim: Claim): Settlement {
    log.error('a push was in flight each time the process died', {
      alert: true,
      delivery: claim.id,
      message: claim.message.id,
      times: claim.lost,
      help: 'It is set aside. What ended the processes is in the last lines before each of their starts.',
    });
    tally.add('failed');
    return {
      claim,
      state: 'failed',
      attempted: false,
      reason: 'process-died',
      failure: { reason: 'unreachable', isOfDevice: false },
    };
  }

  async function sendAll(claims: Claim[], since: number): Promise<void> {
    let began = performance.now();
    for (const [index, claimed] of claims.entries()) {
      if (performance.now() - began > SLICE) {
        await nextTurn();
        if (stopping) return releaseClaims(db, claims.slice(index));
        began = performance.now();
      }
      inFlight.set(claimed, sendOne(claimed, since));
    }
  }

  /** @returns milliseconds until the next turn */
  async function takeTurn(): Promise<number> {
    await record();
    await upkeep();
    if (await states.keep()) finder.wake();
    await claimBatch();
    return inFlight.size > 0 || settled.length > 0 ? RECORD_WITHIN : finder.pause();
  }

  async function finish(): Promise<void> {
    await within(drainWithin, Promise.all(inFlight.values()));
    const unsent = [...inFlight.keys()];
    inFlight.clear();
    try {
      await record();
      await releaseClaims(db, unsent);
      await states.keep(true);
    } catch (error) {
      logDatabaseFault(log, error);
    }
  }

  const loop = startLoop(takeTurn, (error) => {
    logDatabaseFault(log, error);
    // Whatever was being looked for when it failed.
    finder.wake();
    return DATABASE_PAUSE;
  });
  return {
    wake() {
      finder.wake();
      loop.wake();
    },
    async stop() {
      stopping = true;
      await loop.stop();
      await finish();
    },
  };
}

/**
 * What was sent stays in memory and is recorded once the database is back; if we die first, it is
 * sent again.
 */
function logDatabaseFault(log: Log, error: unknown): void {
  log.error('delivery cannot reach the outbox', {
    fault: databaseFault(error) ?? 'unexpected',
    ...describeError(error),
  });
}
