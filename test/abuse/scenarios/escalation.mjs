import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startPostgres } from '../../support/processes/postgres.mjs';
import { addSubscribers, createKeys, openServerDatabase } from '../people.mjs';
import { signIn } from '../process.mjs';

const FIRST_USER_ID = 1_000_000;
/** People who never answer. */
const SILENT_PEOPLE = 5;
/** Maximum difference between the clocks of two servers. */
const CLOCK_AHEAD_MS = 5000;
/** A process looks for the work of others every two seconds. */
const PICKUP_MS = 2500;
const CLOCK_AHEAD_MODULE = pathToFileURL(
  path.resolve('test/support/processes/clock-ahead.mjs'),
).href;

/**
 * People answer in the millisecond in which a step is due, on two processes, one of which is killed
 * now and then and one is five seconds ahead. No step follows an acknowledged answer or the end,
 * none runs twice, none is missing.
 */
export async function testEscalationRaces({ start, sink, environment, rounds, quick }) {
  const ownPostgres = environment.DATABASE_URL ? await startPostgres() : undefined;
  const ownDatabase = ownPostgres
    ? { DATABASE_URL: await ownPostgres.createDatabase('escalation') }
    : {};
  const setup = await setUp({
    start: (more) => start({ ...ownDatabase, ...more }),
    environment: { ...environment, ...ownDatabase },
    sink,
    postgres: ownPostgres,
    answerers: quick ? 20 : 50,
  });
  try {
    const raced = [];
    for (let nth = 0; nth < rounds; nth += 1) raced.push(...(await raceAnswersAndSteps(setup)));
    await waitUntil(() => isAtRest(setup), 'all steps to be taken');
    const summary = await checkRaces(setup, raced);
    const [late, lost] = [await sleepThroughTheEnd(setup), await loseDatabase(setup)];
    await checkNothingHappened(setup, [...late, ...lost]);
    for (const process of setup.processes) await process.end('SIGTERM');
    return `${rounds} kills, ${summary}; of ${late.length} that ended without a server and ${lost.length} without a database none went on`;
  } finally {
    await setup.database.close();
    await ownPostgres?.stop();
  }
}

async function setUp({ start, environment, sink, postgres, answerers }) {
  const firstServer = await start();
  const call = await signIn(firstServer.address);
  const addTopic = async (title) =>
    (await call('POST', '/admin/topics', { title, description: title })).id;
  const [everyone, duty] = [await addTopic('Everyone'), await addTopic('On duty')];
  const database = await openServerDatabase(environment);
  await addSubscribers(database, everyone, answerers + SILENT_PEOPLE, sink.origin, FIRST_USER_ID);
  await addSubscribers(database, duty, 1, sink.origin, FIRST_USER_ID + 1000);
  const { id: policyId } = await call('POST', '/admin/policies', {
    name: 'At once',
    steps: [
      { after: 60, action: 'repeat' },
      { after: 120, action: 'notify', topicId: duty },
    ],
  });
  return {
    start,
    environment,
    postgres,
    policyId,
    answerers,
    database,
    keys: await createKeys(database, environment),
    processes: [firstServer, await start()],
    ahead: 0,
    agent: new Agent({ keepAlive: true }),
    number: 0,
  };
}

/**
 * Sends each message to one answerer. Every second of three messages also goes to a silent person,
 * every third to a second answerer. Resolves when the push service has accepted all pushes.
 */
async function send(setup, count) {
  const call = await signIn(setup.processes[0].address);
  const messages = [];
  for (let nth = 0; nth < count; nth += 1) {
    const answerers = [nth % setup.answerers];
    if (nth % 3 === 2) answerers.push((nth + 1) % setup.answerers);
    const silent = nth % 3 === 1 ? [setup.answerers + (nth % SILENT_PEOPLE)] : [];
    const text = `Message ${(setup.number += 1)}`;
    const { messageId: id } = await call('POST', '/admin/messages', {
      userIds: [...answerers, ...silent].map((person) => FIRST_USER_ID + person),
      message: text,
      answers: ['Got it'],
      policyId: setup.policyId,
    });
    messages.push({ id, text, answerers, silent });
  }
  const ids = listOf(messages);
  await waitUntil(
    () =>
      isNone(
        setup,
        `select count(*) as n from recipients where waiting > 0 and message_id in ${ids}`,
      ),
    'all pushes to be accepted',
  );
  return messages;
}

const listOf = (messages) => `(${messages.map(({ id }) => `'${id}'`).join(', ')})`;

/** Makes the first step of each message due at `due`, and the second three seconds later. */
async function setDue({ database }, messages, due) {
  const ids = listOf(messages);
  await database.run(
    `update escalation_steps set due_at = ${due} + 3000 * position where message_id in ${ids}`,
  );
  await database.run(
    `update jobs set due_at = ${due} where kind = 'escalation' and subject in ${ids}`,
  );
}

/** Answers messages while their steps are due and one server is killed. */
async function raceAnswersAndSteps(setup) {
  const messages = await send(setup, setup.answerers);
  const moment = Date.now() + PICKUP_MS;
  await setDue(setup, messages, moment + setup.ahead);
  const answers = messages.map(async (message) => {
    const tries = await Promise.all(
      message.answerers.map(async (person, nth) => {
        await wait(moment - Date.now() + Math.random() * 2 - 1);
        return answer(setup, message.id, person, nth + message.answerers[0]);
      }),
    );
    return { ...message, tries: Math.max(...tries), before: await readState(setup, message) };
  });
  const kill = async () => {
    await wait(moment - Date.now() + Math.random() * 450 - 50);
    const victim = Math.random() < 0.5 ? 0 : 1;
    await setup.processes[victim].end('SIGKILL');
    if (victim === 1) setup.ahead = Math.random() < 0.5 ? CLOCK_AHEAD_MS : 0;
    setup.processes[victim] = await setup.start(victim === 1 ? clockAhead(setup.ahead) : {});
  };
  const [, ...raced] = await Promise.all([kill(), ...answers]);
  return raced;
}

const clockAhead = (milliseconds) => ({
  NODE_OPTIONS: `--import=${CLOCK_AHEAD_MODULE}`,
  CLOCK_AHEAD: String(milliseconds),
});

/**
 * Repeats an answer until it is acknowledged, as a phone does.
 * @param nth decides which process is asked first
 * @returns how often it was acknowledged
 */
async function answer(setup, messageId, person, nth) {
  for (let tries = 1; ; tries += 1) {
    const { address } = setup.processes[(nth + tries) % 2];
    const status = await report(address, setup, messageId, person).catch(() => undefined);
    if (status === 200) return tries;
    assert.ok(status === undefined || status === 503, `an answer was refused with ${status}`);
    await wait(20);
  }
}

/** Node's `fetch` is too slow for fifty at once. */
const report = (address, { agent, keys }, messageId, person) =>
  new Promise((resolve, reject) => {
    const body = JSON.stringify({
      receipts: [{ messageId, kind: 'acknowledged', answer: 'Got it' }],
    });
    request(`${address}/api/notifications/receipts`, {
      agent,
      method: 'POST',
      headers: { Authorization: `Bearer ${keys[person]}`, 'Content-Type': 'application/json' },
    })
      .on('response', (response) => response.resume().on('end', () => resolve(response.statusCode)))
      .on('error', reject)
      .end(body);
  });

async function readState({ database }, { id, text, answerers, silent }) {
  const ringsAt = (people) =>
    `(select count(*) from deliveries where message_id = '${id}' and round > 0 and user_id in (${[-1, ...people.map((person) => FIRST_USER_ID + person)].join(', ')}))`;
  const [row] =
    await database.all(`select ${ringsAt(answerers)} as rung, ${ringsAt(silent)} as other,
    (select count(*) from messages as told where told.text = '${text}' and told.id <> '${id}') as told,
    (select count(*) from escalation_steps where message_id = '${id}' and done_at is not null) as done,
    rounds, stopped from messages where id = '${id}'`);
  const { stopped, rung, other, told, done, rounds } = row;
  const counts = [rung, other, told, done, rounds].map(Number);
  return {
    stopped,
    rung: counts[0],
    other: counts[1],
    told: counts[2],
    done: counts[3],
    rounds: counts[4],
  };
}

async function checkRaces(setup, raced) {
  for (const message of raced) {
    const { before, text, answerers, silent } = message;
    const after = await readState(setup, message);
    const description = `${text}, answered after ${JSON.stringify(before)}: ${JSON.stringify(after)}`;
    assert.equal(after.rung, before.rung, `it notified people who had answered: ${description}`);
    const isTwice = after.rung > answerers.length || after.rounds > 1 || after.told > 1;
    assert.ok(!isTwice, `a step came twice: ${description}`);
    if (silent.length > 0) {
      assert.equal(
        after.other,
        1,
        `who had not answered was not rung at just once: ${description}`,
      );
      assert.deepEqual([after.done, after.told], [2, 1], `a step is missing: ${description}`);
      assert.equal(after.stopped, null, description);
    } else {
      assert.equal(
        before.stopped,
        'acknowledged',
        `the last answer did not stop it: ${description}`,
      );
      assert.deepEqual(after, before, `a step came after the last answer: ${description}`);
    }
  }
  const answers = raced.flatMap((message) => message.answerers).length;
  const stepsBeforeAnswer = raced.filter(({ before }) => before.done).length;
  const repeatedAnswers = raced.filter(({ tries }) => tries > 1).length;
  return `${answers} answers at a step's time, of ${raced.length} messages: of ${stepsBeforeAnswer} the step was quicker, of ${repeatedAnswers} they had to be said again; none went on when everyone had answered, no step came twice, none is missing`;
}

/** Messages end while no server runs, or within the five seconds by which clocks differ. */
async function sleepThroughTheEnd(setup) {
  const messages = await send(setup, 10);
  const [early, late] = [messages.slice(0, 5), messages.slice(5)];
  for (const process of setup.processes) await process.end('SIGKILL');
  const now = Date.now();
  await setDue(setup, messages, now + 1000);
  await setEnd(setup, early, now + 1000 + CLOCK_AHEAD_MS - 500);
  await setEnd(setup, late, now + 2500 + CLOCK_AHEAD_MS);
  await wait(3000);
  setup.processes = [await setup.start(), await setup.start(clockAhead(CLOCK_AHEAD_MS))];
  await waitUntil(() => isAtRest(setup), 'the ended ones to be given up');
  return messages;
}

/** The database is unreachable from before a step is due until after the message's end. */
async function loseDatabase(setup) {
  const messages = await send(setup, 10);
  const now = Date.now();
  const end = now + 2 * CLOCK_AHEAD_MS + 4000;
  await setDue(setup, messages, now + CLOCK_AHEAD_MS + 2000);
  await setEnd(setup, messages, end);
  if (setup.postgres) {
    await setup.database.close();
    await setup.postgres.kill();
  } else await setup.database.run('begin immediate');
  await wait(end - Date.now() + 500);
  if (setup.postgres) {
    await setup.postgres.start();
    setup.database = await openServerDatabase(setup.environment);
  } else await setup.database.run('commit');
  await waitUntil(() => isAtRest(setup), 'the ended ones to be given up');
  return messages;
}

const setEnd = ({ database }, messages, end) =>
  database.run(`update messages set expires_at = ${end} where id in ${listOf(messages)}`);

async function checkNothingHappened(setup, messages) {
  for (const message of messages) {
    const { stopped, ...counts } = await readState(setup, message);
    const happened = Object.values(counts).some((count) => count > 0);
    assert.ok(!happened, `${message.text} went on after its end: ${JSON.stringify(counts)}`);
    assert.equal(stopped, null);
  }
}

const isNone = async ({ database }, query) => Number((await database.all(query))[0].n) === 0;
const isAtRest = (setup) =>
  isNone(setup, "select count(*) as n from jobs where kind = 'escalation'");

async function waitUntil(condition, description) {
  for (const deadline = Date.now() + 120_000; !(await condition()); ) {
    assert.ok(Date.now() < deadline, `Timed out waiting for ${description}`);
    await wait(20); // another process does the work: there is nothing to wait on but its rows
  }
}
