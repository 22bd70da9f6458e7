import { setTimeout as wait } from 'node:timers/promises';
import {
  addCheckIns,
  waitForAlarms,
  answerReminder,
  checkAlarms,
  countAlarms,
  moveAlarms,
} from '../lone-workers.mjs';
import { addSubscribers, createKeys, openServerDatabase } from '../people.mjs';
import { signIn } from '../process.mjs';

const FIRST_USER_ID = 1_000_000;
const WORKERS = 1000;
const WATCHERS = 3;
/** A process looks for others' work every two seconds. */
const PICKUP_MS = 2500;

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
  const setup = { start, processes, database, first: FIRST_USER_ID, answered: [], silent: [] };
  setup.post = postInTurn(processes);
  try {
    // No worker watches, so that each alarm has the same few recipients.
    const everyoneTopic = (
      await call('POST', '/admin/topics', { title: 'All', description: 'All' })
    ).id;
    await addSubscribers(database, everyoneTopic, WORKERS, sink.origin, FIRST_USER_ID);
    await addSubscribers(database, topic, WATCHERS, sink.origin, FIRST_USER_ID + WORKERS);
    setup.keys = await createKeys(database, environment);
    await call('PUT', '/admin/check-ins/settings', {
      ...{ enabled: true, graceMinutes: 5, alarmTopicId: topic, policyId: null },
    });
    await addCheckIns(database, { first: FIRST_USER_ID, count: WORKERS });
    const workersPerRound = Math.ceil(WORKERS / rounds);
    for (let firstWorker = 0; firstWorker < WORKERS; firstWorker += workersPerRound)
      await raceServers(setup, firstWorker, Math.min(workersPerRound, WORKERS - firstWorker));
    await waitForAlarms(database);
    const summary = await checkAlarms(database, setup);
    for (const process of processes) await process.end('SIGTERM');
    return `${WORKERS} check-ins, ${rounds} kills, ${summary}`;
  } finally {
    await database.close();
  }
}

/** Two of three answer, and one process dies. */
async function raceServers(setup, firstWorker, count) {
  const { database, processes } = setup;
  const moment = Date.now() + PICKUP_MS;
  await moveAlarms(database, { from: firstWorker, count, moment });
  const kill = async () => {
    await wait(moment - Date.now() + Math.random() * 450 - 50);
    const victim = Math.random() < 0.5 ? 0 : 1;
    await processes[victim].end('SIGKILL');
    processes[victim] = await setup.start();
  };
  const workerRuns = Array.from({ length: count }, (_, nth) => firstWorker + nth).map(
    async (worker) => {
      if (worker % 3 === 0) {
        setup.silent.push(worker);
        return;
      }
      await wait(moment - Date.now() + Math.random() * 60 - 30);
      await answerReminder(setup.post, setup.keys, worker);
      setup.answered.push({ worker, alarms: await countAlarms(database, worker) });
    },
  );
  await Promise.all([kill(), ...workerRuns]);
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
