/** People who work alone, for scenarios in which servers or databases fail while alarms are due. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';

const HOUR_MS = 3_600_000;

/** Check-ins 1 … count of the people from `first` on, running for an hour, with both reminders sent. */
export async function addCheckIns(database, { first, count }) {
  const now = Date.now();
  const series = `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) as n`;
  await database.run(`insert into check_ins
    (id, user_id, minutes, grace_minutes, started_at, begun_at, ask_at, due_at, alarm_at, asked)
    select i, ${first - 1} + i, 60, 5, ${now}, ${now}, ${now + HOUR_MS}, ${now + HOUR_MS}, ${now + HOUR_MS}, 2
    from ${series}`);
  await database.run(`insert into jobs (kind, subject, created_at, due_at)
    select 'check-in', cast(i as text), ${now}, ${now + HOUR_MS} from ${series}`);
}

/** Moves alarms, each `apart` milliseconds after the one before it. `from` counts from 0. */
export async function moveAlarms(database, { from, count, moment, apart = 0 }) {
  const within = `between ${from + 1} and ${from + count}`;
  const alarmTime = (id) => `${moment} + (${id} - ${from + 1}) * ${apart}`;
  await database.run(
    `update check_ins set ask_at = ${alarmTime('id')} - 2, due_at = ${alarmTime('id')} - 1, alarm_at = ${alarmTime('id')} where id ${within}`,
  );
  const subject = 'cast(subject as integer)';
  await database.run(
    `update jobs set due_at = ${alarmTime(subject)} where kind = 'check-in' and ${subject} ${within}`,
  );
}

/**
 * Repeats the answer until it is acknowledged, as a phone does.
 * @param {(place: string, key: string) => Promise<number | undefined>} post resolves with the
 * status, or undefined without a response
 * @param {string[]} keys of the people's devices
 */
export async function answerReminder(post, keys, worker) {
  for (;;) {
    const status = await post(`/api/check-ins/${worker + 1}/ok`, keys[worker] ?? '');
    if (status === 200) return;
    assert.ok(status === undefined || status === 503, `an answer was refused with ${status}`);
    await wait(20);
  }
}

export const countAlarms = async (database, worker) =>
  Number(
    (
      await database.all(
        `select count(*) as n from check_in_messages where kind = 'alarm' and check_in_id = ${worker + 1}`,
      )
    )[0].n,
  );

/** Waits until no alarm is due any more. */
export async function waitForAlarms(database) {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const [{ n }] = await database.all(
      `select count(*) as n from jobs where kind = 'check-in' and due_at < ${Date.now()}`,
    );
    if (Number(n) === 0) return;
    assert.ok(Date.now() < deadline, `${n} check-ins are still due`);
    await wait(50); // another process does the work: there is nothing to wait on but its rows
  }
}

/**
 * No alarm follows an acknowledged answer, none is missing, none comes twice, and each alarm that was
 * answered gets one all-clear. `answered` has the alarms at the time of each acknowledgment.
 */
export async function checkAlarms(database, { first, answered, silent }) {
  const clears = await database.all(
    "select title, count(*) as n from messages where title like 'All clear: %' group by title",
  );
  const clearsOf = new Map(clears.map(({ title, n }) => [title, Number(n)]));
  for (const { worker, alarms } of answered) {
    const checkInName = `check-in ${worker + 1}`;
    assert.equal(
      await countAlarms(database, worker),
      alarms,
      `${checkInName} notified after its answer`,
    );
    assert.ok(alarms <= 1, `${checkInName} notified twice`);
    assert.equal(
      clearsOf.get(`All clear: subscriber ${first + worker}`) ?? 0,
      alarms,
      `${checkInName} had ${alarms} alarms, and another number of all-clears`,
    );
  }
  for (const worker of silent)
    assert.equal(await countAlarms(database, worker), 1, `alarms of silent ${worker + 1}`);
  const late = answered.filter(({ alarms }) => alarms > 0).length;
  return `${answered.length} answered about the moment of the alarm, ${late} of them after it: 0 alarms after an acknowledged answer, ${late} all-clears; ${silent.length} were silent: ${silent.length} alarms, 0 missing, 0 twice`;
}
