import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { addSubscribers, makeKeys, openBeside } from '../people.mjs';
import { signIn } from '../process.mjs';

const FIRST = 1_000_000;
const WORKERS = 1000;
const WATCHERS = 3;
const HOUR = 3_600_000;
/** A process looks for others' work every two seconds. */
const NOTICED = 2500;

/**
 * People who work alone answer in the millisecond in which their alarm is due, on two processes, one
 * of which is killed in that moment. No alarm follows an acknowledged answer, none is missing, none
 * comes twice, and each alarm that was answered gets one all-clear.
 */
export async function checkIns({ start, sink, environment, rounds }) {
  const processes = [await start(), await start()];
  const call = await signIn(processes[0].address);
  const topic = (await call('POST', '/admin/topics', { title: 'Control', description: 'Room' })).id;
  const database = await openBeside(environment);
  const stage = { start, processes, database, answered: [], silent: [] };
  try {
    // No worker watches, so that each alarm has the same few recipients.
    const others = (await call('POST', '/admin/topics', { title: 'All', description: 'All' })).id;
    await addSubscribers(database, others, WORKERS, sink.origin, FIRST);
    await addSubscribers(database, topic, WATCHERS, sink.origin, FIRST + WORKERS);
    stage.keys = await makeKeys(database, environment);
    await call('PUT', '/admin/check-ins/settings', {
      ...{ enabled: true, graceMinutes: 5, alarmTopicId: topic, policyId: null },
    });
    await addCheckIns(database);
    const share = Math.ceil(WORKERS / rounds);
    for (let from = 0; from < WORKERS; from += share)
      await race(stage, from, Math.min(share, WORKERS - from));
    await until(database, "select count(*) as n from jobs where kind = 'check-in' and due_at < ?");
    const said = await check(stage);
    for (const process of processes) await process.end('SIGTERM');
    return `${WORKERS} check-ins, ${rounds} kills, ${said}`;
  } finally {
    await database.close();
  }
}

/** Running for an hour, with both reminders sent. */
async function addCheckIns(database) {
  const now = Date.now();
  const series = `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${WORKERS}) select i from n) as n`;
  await database.run(`insert into check_ins
    (id, user_id, minutes, grace_minutes, started_at, begun_at, ask_at, due_at, alarm_at, asked)
    select i, ${FIRST - 1} + i, 60, 5, ${now}, ${now}, ${now + HOUR}, ${now + HOUR}, ${now + HOUR}, 2
    from ${series}`);
  await database.run(`insert into jobs (kind, subject, created_at, due_at)
    select 'check-in', cast(i as text), ${now}, ${now + HOUR} from ${series}`);
}

/** Two of three answer, and one process dies. */
async function race(stage, from, count) {
  const { database, processes } = stage;
  const moment = Date.now() + NOTICED;
  const within = `between ${from + 1} and ${from + count}`;
  await database.run(
    `update check_ins set ask_at = ${moment - 2}, due_at = ${moment - 1}, alarm_at = ${moment} where id ${within}`,
  );
  await database.run(
    `update jobs set due_at = ${moment} where kind = 'check-in' and cast(subject as integer) ${within}`,
  );
  const kill = async () => {
    await wait(moment - Date.now() + Math.random() * 450 - 50);
    const victim = Math.random() < 0.5 ? 0 : 1;
    await processes[victim].end('SIGKILL');
    processes[victim] = await stage.start();
  };
  const each = Array.from({ length: count }, (_, nth) => from + nth).map(async (worker) => {
    if (worker % 3 === 0) {
      stage.silent.push(worker);
      return;
    }
    await wait(moment - Date.now() + Math.random() * 60 - 30);
    await answer(stage, worker);
    stage.answered.push({ worker, alarms: await countAlarms(database, worker) });
  });
  await Promise.all([kill(), ...each]);
}

/** Repeats the answer until it is acknowledged, as a phone does. */
async function answer({ processes, keys }, worker) {
  for (let tries = 0; ; tries += 1) {
    const { address } = processes[(worker + tries) % 2];
    const status = await fetch(`${address}/api/check-ins/${worker + 1}/ok`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${keys[worker]}`, 'Content-Type': 'application/json' },
      body: '{}',
    }).then(
      (response) => response.text().then(() => response.status),
      () => undefined,
    );
    if (status === 200) return;
    assert.ok(status === undefined || status === 503, `an answer was refused with ${status}`);
    await wait(20);
  }
}

const countAlarms = async (database, worker) =>
  Number(
    (
      await database.all(
        `select count(*) as n from check_in_messages where kind = 'alarm' and check_in_id = ${worker + 1}`,
      )
    )[0].n,
  );

async function check({ database, answered, silent }) {
  const clears = await database.all(
    "select title, count(*) as n from messages where title like 'All clear: %' group by title",
  );
  const clearsOf = new Map(clears.map(({ title, n }) => [title, Number(n)]));
  for (const { worker, alarms } of answered) {
    const what = `check-in ${worker + 1}`;
    assert.equal(await countAlarms(database, worker), alarms, `${what} rang after its answer`);
    assert.ok(alarms <= 1, `${what} rang twice`);
    assert.equal(
      clearsOf.get(`All clear: subscriber ${FIRST + worker}`) ?? 0,
      alarms,
      `${what} had ${alarms} alarms, and another number of all-clears`,
    );
  }
  for (const worker of silent)
    assert.equal(await countAlarms(database, worker), 1, `alarms of silent ${worker + 1}`);
  const late = answered.filter(({ alarms }) => alarms > 0).length;
  return `${answered.length} answered in the moment of the alarm, ${late} of them after it: 0 alarms after an acknowledged answer, ${late} all-clears; ${silent.length} were silent: ${silent.length} alarms, 0 missing, 0 twice`;
}

async function until(database, query) {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const [{ n }] = await database.all(query.replace('?', String(Date.now())));
    if (Number(n) === 0) return;
    assert.ok(Date.now() < deadline, `${n} check-ins are still due`);
    await wait(50); // another process does the work: there is nothing to wait on but its rows
  }
}
