import fc from 'fast-check';
import * as assert from 'uvu/assert';
import type { EscalationStopReason } from '../../../src/shared/contract';
import { createMessageJobs } from '../../../server/messages/sending/message-jobs';
import {
  MINUTE_MS,
  createEscalationHelpers,
  notifyAgainAfter,
} from '../../support/server/escalation';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('escalation against a model');

const PEOPLE_COUNT = 3;
/** Sent to the same people at the same time, so their steps run together. */
const MESSAGE_COUNT = 3;
/** Milliseconds by which the second process's clock is ahead. */
const CLOCK_AHEAD_MS = 5000;
const MESSAGE_LIFETIME_MS = 10 * MINUTE_MS;

type ModelAction =
  | { do: 'pass'; minutes: number }
  | { do: 'answer'; person: number; message: number }
  | { do: 'delete'; person: number }
  | { do: 'cancel'; message: number }
  /** Which of two processes works; `both` at once, by the first one's clock. */
  | { do: 'work'; by: 'first' | 'second' | 'both' };

/** The expected behavior of one message, as simple as possible. */
class Model {
  readonly steps: { due: number; rang: number[] | undefined }[];
  readonly answered = new Set<number>();
  stopped: Exclude<EscalationStopReason, 'expired'> | null = null;
  #at: number | undefined;

  constructor(
    minutes: readonly number[],
    readonly quorum: number | null,
    readonly existingPeople: ReadonlySet<number>,
    readonly sentAt: number,
  ) {
    this.steps = minutes
      .map((after) => ({ due: sentAt + after * MINUTE_MS, rang: undefined }))
      .filter(({ due }) => due < sentAt + MESSAGE_LIFETIME_MS);
    this.#at = this.steps[0]?.due;
  }

  #isEnough(): 'acknowledged' | 'quorum' | null {
    const answeredCount = [...this.existingPeople].filter((person) =>
      this.answered.has(person),
    ).length;
    if (answeredCount > 0 && answeredCount === this.existingPeople.size) return 'acknowledged';
    return this.quorum !== null && answeredCount >= this.quorum ? 'quorum' : null;
  }
  #ends(margin: number, now: number): boolean {
    return this.stopped !== null || now >= this.sentAt + MESSAGE_LIFETIME_MS - margin;
  }

  answer(person: number, now: number): void {
    this.answered.add(person);
    if (!this.#ends(0, now)) this.stopped = this.#isEnough();
  }
  /** @returns whether it can be canceled */
  cancel(now: number): boolean {
    if (this.#ends(0, now) || this.steps.every(({ rang }) => rang)) return false;
    this.stopped = 'cancelled';
    return true;
  }
  work(now: number): void {
    while (this.#at !== undefined && this.#at <= now) {
      const [step, next] = this.steps.filter(({ rang }) => rang === undefined);
      if (step === undefined || this.#ends(5000, now)) return void (this.#at = undefined);
      const enough = this.#isEnough();
      if (enough) return void (this.stopped = enough);
      step.rang = [...this.existingPeople].filter((person) => !this.answered.has(person));
      this.#at = next && Math.max(next.due, now + Math.min(MINUTE_MS, next.due - step.due));
    }
  }
}

interface PlannedPolicy {
  minutes: number[];
  quorum: number | null;
}
const somePlan: fc.Arbitrary<PlannedPolicy> = fc.record({
  minutes: fc
    .uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 })
    .map((minutes) => [...minutes].sort((a, b) => a - b)),
  quorum: fc.option(fc.integer({ min: 1, max: PEOPLE_COUNT })),
});
const somePerson = fc.nat({ max: PEOPLE_COUNT - 1 });
const someMessage = fc.nat({ max: MESSAGE_COUNT - 1 });
const someAction: fc.Arbitrary<ModelAction> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pass'), minutes: fc.integer({ min: -2, max: 5 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('work'),
      by: fc.constantFrom('first', 'second', 'both'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('answer'), person: somePerson, message: someMessage }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete'), person: somePerson }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel'), message: someMessage }) },
) as fc.Arbitrary<ModelAction>;

test('notifies and stops like its model, whatever people, processes and clocks do', async () => {
  const escalation = createEscalationHelpers(server);
  const jobsWithClockAhead = createMessageJobs(() => ({
    ...server.services,
    now: () => server.clock.now + CLOCK_AHEAD_MS,
  }));

  // An administrator's session ends after half a day.
  const start = server.clock.now;

  async function play(policies: PlannedPolicy[], deeds: ModelAction[]): Promise<void> {
    server.clock.now = start;
    const people: Person[] = [];
    for (let nth = 0; nth < PEOPLE_COUNT; nth += 1) people.push(await escalation.createMember(1));
    const userIds = people.map((one) => one.id);
    const existingPeople = new Set(people.keys());
    const expiresAt = new Date(start + MESSAGE_LIFETIME_MS).toISOString();
    const messages: { id: string; model: Model }[] = [];
    for (const { minutes, quorum } of policies)
      messages.push({
        id: await escalation.sendEscalating(
          minutes.map(notifyAgainAfter),
          { userIds, expiresAt },
          quorum,
        ),
        model: new Model(minutes, quorum, existingPeople, start),
      });
    await escalation.acceptAll();
    for (const each of deeds) {
      const { now } = server.clock;
      const { id, model } = messages['message' in each ? each.message % messages.length : 0]!;
      if (each.do === 'pass') server.clock.now += each.minutes * MINUTE_MS;
      else if (each.do === 'answer') {
        if (!existingPeople.has(each.person)) continue;
        assert.is(await escalation.answer(people[each.person]!, id), 200);
        if (!model.answered.has(each.person)) model.answer(each.person, now);
      } else if (each.do === 'delete') {
        existingPeople.delete(each.person);
        const which = userIds[each.person]!;
        await server.services.db.deleteFrom('users').where('id', '=', which).execute();
      } else if (each.do === 'cancel')
        assert.is((await escalation.cancel(id)).status, model.cancel(now) ? 200 : 409);
      else {
        if (each.by === 'second') await jobsWithClockAhead.runDue();
        else
          await Promise.all([
            server.jobs.runDue(),
            each.by === 'both' && createMessageJobs(() => server.services).runDue(),
          ]);
        for (const one of messages)
          one.model.work(each.by === 'second' ? now + CLOCK_AHEAD_MS : now);
        await escalation.acceptAll();
      }
    }
    for (const { id, model } of messages) {
      const rang = model.steps.flatMap((step) => (step.rang ? [step.rang] : []));
      assert.equal(
        (await escalation.readRounds(id)).filter((round) => round.length > 0),
        rang.filter((round) => round.length > 0).map((round) => round.map((nth) => userIds[nth])),
      );
      assert.is((await escalation.readMessageRow(id)).stopped, model.stopped);
      assert.equal(
        (await escalation.readSteps(id)).map(({ done_at, people: rung }) => done_at && rung),
        model.steps.map((step) => step.rang?.length ?? null),
      );
    }
    // There may be a hundred policies at most.
    await server.services.db.deleteFrom('policies').execute();
  }

  await fc.assert(
    fc.asyncProperty(
      fc.array(somePlan, { minLength: 1, maxLength: MESSAGE_COUNT }),
      fc.array(someAction, { minLength: 3, maxLength: 16 }),
      play,
    ),
    {
      numRuns: Number(process.env.RUNS ?? 60),
      ...(process.env.SEED && { seed: Number(process.env.SEED) }),
    },
  );
});

test.run();
