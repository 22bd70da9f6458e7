import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { claimJobs } from '../../../server/db/jobs/jobs';
import { HEARTBEAT_JOB } from '../../../server/db/jobs/kinds';
import { inTransaction } from '../../../server/db/transaction';
import { pauseHeartbeat } from '../../../server/heartbeats/heartbeats';
import { heartbeatSteps } from '../../../server/heartbeats/heartbeat-steps';
import { createMessageJobs } from '../../../server/messages/sending/message-jobs';
import { createHeartbeatHelpers } from '../../support/server/heartbeats';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('heartbeats against a model');

/** Milliseconds by which the second process's clock is ahead. */
const CLOCK_AHEAD_MS = 5000;
const OUTAGE_MS = 30_000;
const HOUR_MS = 3_600_000;

type ModelProcess = 'first' | 'second';
type ModelAction =
  | { do: 'pass'; seconds: number }
  /** 0: as last time. */
  | { do: 'beat'; every: number; by: ModelProcess }
  | { do: 'work'; by: ModelProcess | 'both' }
  | { do: 'pause' | 'resume' }
  /** A process claims the job and dies. */
  | { do: 'die' };

/** The expected behavior of one machine, as simple as possible. */
class Model {
  readonly sent = { silent: 0, back: 0 };
  isSilent = false;
  isPaused = false;
  #every = 0;
  #watchedFrom = 0;

  silentFrom(): number {
    const grace = Math.min(Math.max(this.#every / 2, 60_000), HOUR_MS);
    return this.#watchedFrom + this.#every + grace;
  }
  beat(every: number, now: number): void {
    if (this.isSilent) this.sent.back += 1;
    this.isSilent = false;
    this.#every = every * 1000 || this.#every;
    this.#watchedFrom = now;
  }
  resume(now: number): void {
    if (this.isPaused) this.#watchedFrom = now;
    this.isPaused = false;
  }
  work(now: number): void {
    const late = now - this.silentFrom();
    if (this.isSilent || this.isPaused || late < 0) return;
    if (late > OUTAGE_MS) this.#watchedFrom = now + Math.min(this.#every, HOUR_MS) - this.#every;
    else {
      this.isSilent = true;
      this.sent.silent += 1;
    }
  }
}

const someProcess = fc.constantFrom<ModelProcess>('first', 'second');
const someSeconds = fc.constantFrom(-4000, -50, -5, 5, 20, 60, 60, 120, 125, 900, 20_000);
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pass'), seconds: someSeconds }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('work'),
      by: fc.constantFrom('first', 'second', 'both'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('beat'),
      every: fc.constantFrom(0, 0, 60, 60, 600, 14_400),
      by: someProcess,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('pause', 'resume', 'die') }) },
) as fc.Arbitrary<ModelAction>;

test('alerts like its model, whatever machines, processes and clocks do', async () => {
  const heartbeats = createHeartbeatHelpers(server);
  const topic = await server.createTopic('Server room');
  const { db } = server.services;
  const start = server.clock.now;
  const jobsWithClockAhead = createMessageJobs(
    () => ({ ...server.services, now: () => server.clock.now + CLOCK_AHEAD_MS }),
    [heartbeatSteps],
  );
  const work = (who: ModelProcess | 'both') => {
    if (who === 'second') return jobsWithClockAhead.runDue();
    const secondProcess = createMessageJobs(() => server.services, [heartbeatSteps]);
    return Promise.all([server.jobs.runDue(), who === 'both' && secondProcess.runDue()]);
  };

  async function play(deeds: ModelAction[]): Promise<void> {
    server.clock.now = start;
    await heartbeats.createKey(topic);
    const model = new Model();
    const beat = async (every: number, skew: number): Promise<void> => {
      server.clock.now += skew;
      // Limits have their own tests: after a clock was set back, one may hold for a minute.
      await db.deleteFrom('rate_limits').execute();
      const { status } = await heartbeats.sendHeartbeat(
        `pump${every > 0 ? `?every=${every}` : ''}`,
      );
      assert.is(status, 200);
      model.beat(every, server.clock.now);
      server.clock.now -= skew;
    };
    const compare = async (): Promise<void> => {
      const titles = (await heartbeats.readMessages()).map(({ title }) => title);
      const count = (title: string) => titles.filter((one) => one === title).length;
      const sent = { silent: count('pump is silent'), back: count('pump is back') };
      assert.equal(sent, model.sent);
    };
    await beat(60, 0);
    const { id } = await db.selectFrom('heartbeats').select('id').executeTakeFirstOrThrow();
    const pause = (paused: boolean) =>
      inTransaction(db, (transaction) => pauseHeartbeat(id, paused, transaction, server.clock.now));
    for (const each of deeds) {
      const { now } = server.clock;
      if (each.do === 'pass') server.clock.now += each.seconds * 1000;
      else if (each.do === 'beat')
        await beat(each.every, each.by === 'second' ? CLOCK_AHEAD_MS : 0);
      else if (each.do === 'die')
        await claimJobs(db, { kinds: [HEARTBEAT_JOB], now, leaseMs: 10_000, limit: 40 });
      else if (each.do === 'work') {
        // The claims of a dead process expire.
        await db.updateTable('jobs').set({ claimed_until: null }).execute();
        await work(each.by);
        model.work(now + (each.by === 'second' ? CLOCK_AHEAD_MS : 0));
        await compare();
      } else {
        await pause(each.do === 'pause');
        if (each.do === 'resume') model.resume(now);
        else model.isPaused = true;
      }
    }
    // A machine that stays silent is noticed.
    server.clock.now = Math.max(server.clock.now, model.silentFrom());
    await db.updateTable('jobs').set({ claimed_until: null }).execute();
    for (let round = 0; round < 2; round += 1) {
      await work('first');
      model.work(server.clock.now);
      await compare();
      server.clock.now = model.silentFrom();
    }
    assert.ok(model.isSilent || model.isPaused);
    await db.deleteFrom('heartbeats').execute();
    await db.deleteFrom('messages').execute();
  }

  await fc.assert(fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 24 }), play), {
    numRuns: Number(process.env.RUNS ?? 60),
    ...(process.env.SEED && { seed: Number(process.env.SEED) }),
  });
});

test.run();
