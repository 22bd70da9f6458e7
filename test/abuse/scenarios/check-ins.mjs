import { setTimeout as wait } from 'node:timers/promises';
import {
  addCheckIns,
  alarmsAreSent,
  answerReminder,
  checkAlarms,
  countAlarms,
  moveAlarms,
} from '../lone-workers.mjs';
import { addSubscribers, makeKeys, openServerDatabase } from '../people.mjs';
import { signIn } from '../process.mjs';

const FIRST = 1_000_000;
const WORKERS = 1000;
const WATCHERS = 3;
/** A process looks for others' work every two seconds. */
const NOTICED = 2500;

/**
 * People who work alone answer in the millisecond in which their alarm is due, on two processes, one
 * of which is killed in that moment. No alarm follows an acknowledged answer, none is missing, none
 * comes twice, and each alarm that was answered gets one all-clear.
 */
export async function testCheckIns({ start, sink, environment, rounds }) {
  const processes = [await start(), await start()];
  const call = await signIn(processes[0].address);
  const topic = (await call('POST', '/admin/topics', { title: 'Control', description: 'Room' })).id;
  const database = await openServerDatabase(environment);
  const setup = { start, processes, database, first: FIRST, answered: [], silent: [] };
  setup.post = postInTurn(processes);
  try {
    // No worker watches, so that each alarm has the same few recipients.
    const others = (await call('POST', '/admin/topics', { title: 'All', description: 'All' })).id;
    await addSubscribers(database, others, WORKERS, sink.origin, FIRST);
    await addSubscribers(database, topic, WATCHERS, sink.origin, FIRST + WORKERS);
    setup.keys = await makeKeys(database, environment);
    await call('PUT', '/admin/check-ins/settings', {
      ...{ enabled: true, graceMinutes: 5, alarmTopicId: topic, policyId: null },
    });
    await addCheckIns(database, { first: FIRST, count: WORKERS });
    const share = Math.ceil(WORKERS / rounds);
    for (let from = 0; from < WORKERS; from += share)
      await raceServers(setup, from, Math.min(share, WORKERS - from));
    await alarmsAreSent(database);
    const summary = await checkAlarms(database, setup);
    for (const process of processes) await process.end('SIGTERM');
    return `${WORKERS} check-ins, ${rounds} kills, ${summary}`;
  } finally {
    await database.close();
  }
}

/** Two of three answer, and one process dies. */
async function raceServers(setup, from, count) {
  const { database, processes } = setup;
  const moment = Date.now() + NOTICED;
  await moveAlarms(database, { from, count, moment });
  const kill = async () => {
    await wait(moment - Date.now() + Math.random() * 450 - 50);
    const victim = Math.random() < 0.5 ? 0 : 1;
    await processes[victim].end('SIGKILL');
    processes[victim] = await setup.start();
  };
  const each = Array.from({ length: count }, (_, nth) => from + nth).map(async (worker) => {
    if (worker % 3 === 0) {
      setup.silent.push(worker);
      return;
    }
    await wait(moment - Date.now() + Math.random() * 60 - 30);
    await answerReminder(setup.post, setup.keys, worker);
    setup.answered.push({ worker, alarms: await countAlarms(database, worker) });
  });
  await Promise.all([kill(), ...each]);
}

/** @returns how a phone posts, to one process after the other */
function postInTurn(processes) {
  let turn = 0;
  return (place, key) =>
    fetch(`${processes[turn++ % 2].address}${place}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: '{}',
    }).then(
      (response) => response.text().then(() => response.status),
      () => undefined,
    );
}
