import fc from 'fast-check';
import * as assert from 'uvu/assert';
import { claimJobs } from '../../../server/db/jobs/jobs';
import { ALARM_WATCH_JOB, CHECK_IN_JOB } from '../../../server/db/jobs/kinds';
import { alarmWatchSteps } from '../../../server/check-ins/alarm-watch';
import { allClearNoticeSteps } from '../../../server/check-ins/all-clear-notice';
import { checkInSteps } from '../../../server/check-ins/check-in-job';
import { createMessageJobs } from '../../../server/messages/sending/message-jobs';
import { createAudienceHelpers } from '../../support/server/audience';
import { createCheckInHelpers } from '../../support/server/check-ins';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('check-ins against a model');

const MINUTE_MS = 60_000;
const GRACE_MINUTES = 5;
/** Shortly before summer time begins and ends in `TIME_ZONE`, and the server's own time. */
const START_TIMES = ['2026-03-29T00:40:00Z', '2026-10-25T00:40:00Z', undefined] as const;
const TIME_ZONE = 'Europe/Berlin';
/** Milliseconds by which the second process's clock is ahead. */
const CLOCK_AHEAD_MS = 5000;

type ModelAction =
  | { do: 'pass'; minutes: number }
  | { do: 'start'; minutes: number }
  /**
   * `ago` minutes ago, if the phone was offline. `slow`: by how many minutes its clock was slow then,
   * if the app measured the age; the clock is right when it sends.
   */
  | { do: 'ok' | 'help'; ago: number; slow?: number | undefined }
  | { do: 'end' }
  /** An administrator gives the all-clear for one of the alarms that are out. */
  | { do: 'clear'; alarm: 'first' | 'last' }
  /** Someone answers the last alarm, which stops its policy. */
  | { do: 'answer' }
  /** The only person in the alarm's topic mutes it, or unmutes it. */
  | { do: 'mute' }
  /** A process claims the jobs and dies. */
  | { do: 'die' }
  /** Which of two processes works; `both` at once. */
  | { do: 'work'; by: 'first' | 'second' | 'both' };

interface Running {
  minutes: number;
  startedAt: number;
  begunAt: number;
  okAt: number;
  helpAt: number;
  state: 'running' | 'missed' | 'help';
  /** Whether a reminder waits for an answer. */
  isAsked: boolean;
}

/** Ignores times of a clock that was ahead. */
const plausibleTime = (time: number, now: number): number => (time < now + 10_000 ? time : 0);

/** The expected behavior for one person, as simple as possible. */
class Model {
  readonly sent = { missed: 0, help: 0, clear: 0 };
  isTopicMuted = false;
  running: Running | undefined;
  #isAlarmOut = false;
  /** Whether someone else gave the all-clear for the sent alarm. */
  #isCleared = false;
  /** When someone answered the last alarm. */
  #answeredAt: number | undefined;
  #owesHelp = false;
  #owesClear = false;
  /** Who got each alarm that is out, oldest first. */
  #alarmed: ('topic' | 'admins')[] = [];

  /** Whether an alarm is out that everyone who got it has muted. */
  get isUnheard(): boolean {
    return (
      this.#isAlarmOut &&
      !this.#isCleared &&
      !this.#alarmed.includes('admins') &&
      (this.isTopicMuted || !this.#alarmed.includes('topic'))
    );
  }
  start(minutes: number, now: number): void {
    const times = { startedAt: now, begunAt: now, okAt: 0, helpAt: 0 };
    this.running ??= { minutes, ...times, state: 'running', isAsked: false };
  }
  /** @param ago by the phone's clock @param age since the press, if the app measured it */
  ok(ago: number, now: number, age?: number): void {
    const checkIn = this.running;
    if (checkIn === undefined) return;
    const isUnknown = now - ago * MINUTE_MS < plausibleTime(checkIn.startedAt, now) - MINUTE_MS;
    const isFresh = isUnknown && age !== undefined && age * MINUTE_MS < 10_000;
    // It may have been pressed before the person was in trouble.
    if (isUnknown && !isFresh && checkIn.state !== 'running') return;
    const earlier = [checkIn.begunAt, checkIn.okAt, ...(isFresh ? [checkIn.helpAt] : [])];
    const at = this.#at(checkIn, isFresh ? 0 : ago, now, earlier, false);
    // What was pressed before the help does not call it off, whatever the clocks say.
    if (
      at < plausibleTime(checkIn.okAt, now) ||
      (!isFresh && now - ago * MINUTE_MS < plausibleTime(checkIn.helpAt, now))
    )
      return;
    // The same press, sent again.
    if (at === checkIn.okAt && checkIn.state === 'running') return;
    checkIn.okAt = at;
    const isOver = at + (checkIn.minutes + GRACE_MINUTES) * MINUTE_MS <= now;
    if (checkIn.state !== 'running' && isOver) return;
    checkIn.begunAt = at;
    this.#becomeQuiet(checkIn);
  }
  /** @param ago by the phone's clock @param age since the press in fact */
  help(ago: number, now: number, age = ago): void {
    const checkIn = this.running;
    if (checkIn === undefined) return;
    let at = this.#at(checkIn, ago, now, [checkIn.begunAt, checkIn.okAt, checkIn.helpAt], true);
    const isLater = at > plausibleTime(checkIn.helpAt, now);
    if (checkIn.state === 'help') checkIn.helpAt = Math.max(plausibleTime(checkIn.helpAt, now), at);
    // Those who cleared or answered the alarm did not know of this call.
    const isAnswered = this.#answeredAt !== undefined && at > plausibleTime(this.#answeredAt, now);
    if (checkIn.state === 'help' && isLater && (this.#isCleared || isAnswered || this.isUnheard))
      this.#owesHelp = true;
    // A clock may be a minute off: only the help that was called off is outdated at once.
    const formerAt = plausibleTime(checkIn.helpAt, now);
    const doubt = at < formerAt + 10_000 ? 0 : MINUTE_MS;
    if (checkIn.state === 'help') return;
    if (at + doubt < plausibleTime(checkIn.okAt, now)) {
      // Help that came after the answer counts, unless it looks like the help that was called off.
      const trueAt = now - age * MINUTE_MS;
      if (Math.abs(at - formerAt) < 10_000 || trueAt < plausibleTime(checkIn.okAt, now)) return;
      at = trueAt;
    }
    checkIn.helpAt = at;
    checkIn.state = 'help';
    this.#owesHelp = true;
    this.#owesClear = false;
  }
  end(): void {
    if (this.running !== undefined) this.#becomeQuiet(this.running);
    this.running = undefined;
  }
  answer(now: number): void {
    this.#answeredAt ??= now;
  }
  /** The first one may be the last one, too. Those before the last one end with it. */
  clear(alarm: 'first' | 'last'): void {
    this.#alarmed = alarm === 'first' ? this.#alarmed.slice(1) : [];
    this.#isCleared = this.#isAlarmOut && this.#alarmed.length === 0;
  }
  work(now: number): void {
    if (this.#owesClear && !this.#isCleared) this.sent.clear += 1;
    if (this.#owesClear) this.#isAlarmOut = this.#isCleared = false;
    if (this.#owesClear) this.#alarmed = [];
    if (this.#owesHelp) this.sent.help += 1;
    if (this.#owesHelp) this.becomeLoud();
    this.#owesClear = this.#owesHelp = false;
    const checkIn = this.running;
    if (checkIn?.state !== 'running') return;
    if (now < checkIn.begunAt + (checkIn.minutes + GRACE_MINUTES) * MINUTE_MS) {
      checkIn.isAsked ||=
        now >= checkIn.begunAt + (checkIn.minutes - Math.min(5, checkIn.minutes / 2)) * MINUTE_MS;
      return;
    }
    checkIn.state = 'missed';
    this.sent.missed += 1;
    this.becomeLoud();
  }
  becomeLoud(): void {
    this.#alarmed.push(this.isTopicMuted ? 'admins' : 'topic');
    this.#isAlarmOut = true;
    this.#isCleared = false;
    this.#answeredAt = undefined;
  }
  #at(
    { startedAt, helpAt }: Running,
    ago: number,
    now: number,
    earlier: number[],
    isHelp: boolean,
  ) {
    const start = plausibleTime(startedAt, now);
    const pressedAt = now - ago * MINUTE_MS;
    // The time of the press is unknown: only an answer to help may be too old.
    const isUnknown = pressedAt < start - MINUTE_MS && (isHelp || !plausibleTime(helpAt, now));
    const at = isUnknown ? now : Math.max(start, pressedAt);
    return now - at < 10_000
      ? Math.max(at, ...earlier.map((time) => plausibleTime(time, now)))
      : at;
  }
  #becomeQuiet(checkIn: Running): void {
    checkIn.state = 'running';
    checkIn.isAsked = false;
    this.#owesHelp = false;
    this.#owesClear = this.#isAlarmOut;
  }
}

const someMinutes = fc.constantFrom(5, 12, 30);
const someTimeAgo = fc.constantFrom(0, 0, 0, 0.05, 0.5, 3, 20, 90);
const someSlow = fc.constantFrom(undefined, undefined, 0, 4, 15, -15);
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('pass'),
      // An hour is possible, too: a computer whose clock ignores summer time.
      minutes: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: -3, max: 20 }) },
        { weight: 1, arbitrary: fc.constantFrom(-60, 60) },
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('work'),
      by: fc.constantFrom('first', 'second', 'both'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('start'), minutes: someMinutes }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('ok'), ago: someTimeAgo, slow: someSlow }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('help'), ago: someTimeAgo, slow: someSlow }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('clear'), alarm: fc.constantFrom('first', 'last') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('end', 'die') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('answer', 'mute') }) },
) as fc.Arbitrary<ModelAction>;

const someActions = fc.array(action, { minLength: 3, maxLength: 24 });

/** In the European Union, summer time begins at 01:00 UTC on the last Sunday of March. */
function onTheWall(at: number): string {
  const year = new Date(at).getUTCFullYear();
  const lastSunday = (month: number): number => {
    const last = new Date(Date.UTC(year, month + 1, 0, 1));
    return last.getTime() - last.getUTCDay() * 24 * 60 * MINUTE_MS;
  };
  const isSummer = at >= lastSunday(2) && at < lastSunday(9);
  return new Date(at + (isSummer ? 120 : 60) * MINUTE_MS).toISOString().slice(11, 16);
}

const SENT_AGAIN = 'The earlier alarm no longer reaches anyone.';

test('alerts like its model, whatever people, processes and clocks do', async () => {
  const checkIns = createCheckInHelpers(server);
  const topic = await server.createTopic('Control room');
  const { addDevice, createMember, muteTopic } = createAudienceHelpers(server);
  const watcher = await createMember(1, topic);
  await checkIns.enable(topic, GRACE_MINUTES);
  await addDevice(checkIns.admin());
  const { body: policy } = await server.call('POST /api/admin/policies', {
    as: checkIns.admin(),
    body: { name: 'Night', steps: [{ after: 300, action: 'repeat' }] },
  });
  await server.call('PUT /api/admin/check-ins/settings', {
    as: checkIns.admin(),
    body: {
      ...{ enabled: true, graceMinutes: GRACE_MINUTES, alarmTopicId: topic },
      policyId: policy.id,
    },
  });
  const { db } = server.services;
  const start = server.clock.now;
  const startProcess = (ahead = 0) => {
    // Another view of the database, because each process has its own turns.
    const services = {
      ...server.services,
      db: db.withTables(),
      now: () => server.clock.now + ahead,
    };
    return createMessageJobs(() => services, [checkInSteps, alarmWatchSteps, allClearNoticeSteps]);
  };
  const idOf = async (worker: Person) =>
    (
      await db
        .selectFrom('check_ins')
        .where('user_id', '=', worker.id)
        .where('ended_at', 'is', null)
        .select('id')
        .executeTakeFirst()
    )?.id;

  /** What others got and no one cleared, oldest first. */
  const openAlarms = async (worker: Person): Promise<string[]> => {
    const alarms = await db
      .selectFrom('check_in_messages as sent')
      .innerJoin('check_ins', 'check_ins.id', 'sent.check_in_id')
      .innerJoin('messages', 'messages.id', 'sent.message_id')
      .where('check_ins.user_id', '=', worker.id)
      .where('check_ins.ended_at', 'is', null)
      .where('sent.kind', '=', 'alarm')
      .where('messages.resolved_at', 'is', null)
      .where('messages.all_clear_at', 'is', null)
      .orderBy('messages.created_at')
      .select('messages.id')
      .execute();
    return alarms.map(({ id }) => id);
  };

  async function play(begin: (typeof START_TIMES)[number], deeds: ModelAction[]): Promise<void> {
    server.clock.now = begin === undefined ? start : Date.parse(begin);
    const [first, second, other] = [startProcess(), startProcess(CLOCK_AHEAD_MS), startProcess()];
    const worker = await server.createPerson('TECHNICIAN');
    const model = new Model();
    await db.deleteFrom('account_preferences').execute();
    const as = { as: worker };
    let knownAgainCount = 0;
    const work = async (by: 'first' | 'second' | 'both'): Promise<void> => {
      if (by === 'second') await second.runDue();
      else await Promise.all([first.runDue(), by === 'both' && other.runDue()]);
      model.work(server.clock.now + (by === 'second' ? CLOCK_AHEAD_MS : 0));
    };
    const compare = async (): Promise<void> => {
      let sentAgainCount = 0;
      let missedAgainCount = 0;
      const count = async (title: string): Promise<number> => {
        const messages = await checkIns.readMessages(title);
        const again = messages.filter(({ text }) => text.includes(SENT_AGAIN)).length;
        sentAgainCount += again;
        if (title.endsWith('missed a check-in')) missedAgainCount += again;
        return messages.length - again;
      };
      const name = worker.username;
      const sent = {
        missed: await count(`${name} missed a check-in`),
        help: await count(`${name} needs help`),
        clear: await count(`All clear: ${name}`),
      };
      assert.equal(sent, model.sent);
      if (sentAgainCount > knownAgainCount) {
        knownAgainCount += 1;
        assert.ok(model.isUnheard, 'again only if no one who got it can be notified');
        model.becomeLoud();
      }
      assert.is(sentAgainCount, knownAgainCount, 'once');
      const { told } = await db
        .selectFrom('recipients')
        .innerJoin('messages', 'messages.id', 'recipients.message_id')
        .where('recipients.user_id', '=', worker.id)
        .where('messages.title', '=', 'We’ve sent the alarm')
        .select(({ fn }) => fn.countAll<number>().as('told'))
        .executeTakeFirstOrThrow();
      assert.is(Number(told), model.sent.missed + missedAgainCount, 'the person learns of each');
      const open = (kind: 'alarm' | 'reminder') =>
        db
          .selectFrom('check_in_messages as sent')
          .innerJoin('check_ins', 'check_ins.id', 'sent.check_in_id')
          .where('check_ins.user_id', '=', worker.id)
          .where('sent.kind', '=', kind)
          .where('sent.state', '=', 'open');
      const { running } = model;
      if (running?.state === 'running') {
        const reminder = await open('reminder')
          .leftJoin('messages', 'messages.id', 'sent.message_id')
          .select('messages.title')
          .executeTakeFirst();
        const title = running.isAsked ? 'Are you OK?' : undefined;
        assert.is(
          reminder?.title?.replace('Last reminder: ', ''),
          title,
          'a reminder is out, and none of an alarm',
        );
      }
      // Each alarm names its time as a clock on the wall shows it, also after summer time changed.
      for (const { text, at } of await open('alarm')
        .innerJoin('messages', 'messages.id', 'sent.message_id')
        .where('check_ins.state', '=', 'missed')
        .where('messages.title', 'like', '%missed a check-in')
        .select(['messages.text', 'check_ins.alarm_at as at'])
        .execute())
        assert.match(text, ` didn’t answer by ${onTheWall(at)}.`);
    };
    for (const each of deeds) {
      const { now } = server.clock;
      const id = (await idOf(worker)) ?? 0;
      if (each.do === 'pass') server.clock.now += each.minutes * MINUTE_MS;
      else if (each.do === 'start') {
        model.start(each.minutes, now);
        await server.call('POST /api/check-ins', {
          ...as,
          body: { minutes: each.minutes, timeZone: TIME_ZONE },
        });
      } else if (each.do === 'end') {
        model.end();
        await server.call('POST /api/check-ins/:id/end', { ...as, params: { id }, body: {} });
      } else if (each.do === 'clear') {
        const alarms = await openAlarms(worker);
        const alarm = each.alarm === 'first' ? alarms[0] : alarms.at(-1);
        if (alarm === undefined) continue;
        model.clear(each.alarm);
        const params = { id: alarm };
        const cleared = await server.call('POST /api/admin/messages/:id/all-clear', {
          as: checkIns.admin(),
          params,
          body: {},
        });
        assert.is(cleared.status, 200);
        const laterAlarms = each.alarm === 'first' ? alarms.slice(1) : [];
        assert.equal(await openAlarms(worker), laterAlarms, 'and those before');
      } else if (each.do === 'answer') {
        const { current } = (await server.call('GET /api/check-ins', as)).body;
        const alarm = current?.alarm;
        if (!alarm || alarm.allClearAt !== undefined) continue;
        model.answer(now);
        await server.sendReceipts(watcher, [
          { messageId: alarm.messageId, kind: 'acknowledged', answer: 'On my way' },
        ]);
      } else if (each.do === 'mute') {
        model.isTopicMuted = !model.isTopicMuted;
        await (model.isTopicMuted
          ? muteTopic(watcher, topic)
          : db.deleteFrom('account_preferences').execute());
      } else if (each.do === 'die') {
        const kinds = [CHECK_IN_JOB, ALARM_WATCH_JOB];
        await claimJobs(db, { kinds, now, leaseMs: 10_000, limit: 40 });
      } else if (each.do === 'work') {
        // The claims of a dead process expire.
        await db.updateTable('jobs').set({ claimed_until: null }).execute();
        await work(each.by);
        await compare();
      } else {
        const { ago, slow } = each;
        // The measured age shows that a clock was fast.
        const phoneAgo = ago + Math.max(0, slow ?? 0);
        if (each.do === 'ok') model.ok(phoneAgo, now, slow === undefined ? undefined : ago);
        else model.help(phoneAgo, now, ago);
        const endpoint = `POST /api/check-ins/:id/${each.do}` as const;
        const times = {
          at: new Date(now - (ago + (slow ?? 0)) * MINUTE_MS).toISOString(),
          ...(slow !== undefined && {
            sentAt: new Date(now).toISOString(),
            age: ago * MINUTE_MS,
          }),
        };
        await server.call(endpoint, { ...as, params: { id }, body: times });
      }
    }
    // A person who stays silent is missed. The clock may have been set back by an hour before.
    for (const _ of [1, 2]) {
      server.clock.now = Math.max(server.clock.now, model.running?.begunAt ?? 0) + 60 * MINUTE_MS;
      await db.updateTable('jobs').set({ claimed_until: null }).execute();
      await work('first');
      await compare();
    }
    assert.not.ok(model.isUnheard, 'an open alarm has someone who can be notified');
    if (model.running) assert.is.not(model.running.state, 'running');
    await db.deleteFrom('users').where('id', '=', worker.id).execute();
  }

  await fc.assert(fc.asyncProperty(fc.constantFrom(...START_TIMES), someActions, play), {
    numRuns: Number(process.env.RUNS ?? 60),
    ...(process.env.SEED && { seed: Number(process.env.SEED) }),
  });
});

test.run();
