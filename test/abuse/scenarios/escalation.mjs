import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startPostgres } from '../../support/processes/postgres.mjs';
import { addSubscribers, makeKeys, openBeside } from '../people.mjs';
import { signIn } from '../process.mjs';

const FIRST = 1_000_000;
/** Who never answers anything. */
const SILENT = 5;
/** As much as clocks of two servers may differ. */
const AHEAD = 5000;
/** A process finds out within two seconds what was written behind its back. */
const NOTICED = 2500;
const CLOCK = pathToFileURL(path.resolve('test/support/processes/clock-ahead.mjs')).href;

/**
 * People answer in the very millisecond in which a step is due, on two processes of which one
 * is killed now and then, and one is at times five seconds ahead. No step comes after an answer that
 * was acknowledged, none twice, none is missing for who had not answered, none comes after the
 * message's end, and none once the database is back that was away for longer than that.
 */
export async function escalationRaces({ start, sink, environment, rounds, quick }) {
  const own = environment.DATABASE_URL ? await startPostgres() : undefined;
  const place = own ? { DATABASE_URL: await own.makeDatabase('escalation') } : {};
  const stage = await setUp({
    start: (more) => start({ ...place, ...more }),
    environment: { ...environment, ...place },
    sink,
    postgres: own,
    answerers: quick ? 20 : 50,
  });
  try {
    const raced = [];
    for (let nth = 0; nth < rounds; nth += 1) raced.push(...(await race(stage)));
    await until(() => isAtRest(stage), 'all steps to be taken');
    const said = await checkRaces(stage, raced);
    const [late, lost] = [await sleepThroughTheEnd(stage), await loseDatabase(stage)];
    await checkNothingHappened(stage, [...late, ...lost]);
    for (const process of stage.processes) await process.end('SIGTERM');
    return `${rounds} kills, ${said}; of ${late.length} that ended without a server and ${lost.length} without a database none went on`;
  } finally {
    await stage.database.close();
    await own?.stop();
  }
}

/** Two servers, people with a device each, and a policy that rings again and then tells a topic. */
async function setUp({ start, environment, sink, postgres, answerers }) {
  const first = await start();
  const call = await signIn(first.address);
  const addTopic = async (title) =>
    (await call('POST', '/admin/topics', { title, description: title })).id;
  const [everyone, duty] = [await addTopic('Everyone'), await addTopic('On duty')];
  const database = await openBeside(environment);
  await addSubscribers(database, everyone, answerers + SILENT, sink.origin, FIRST);
  await addSubscribers(database, duty, 1, sink.origin, FIRST + 1000);
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
    // In the order of their ids, as the people are.
    keys: await makeKeys(database, environment),
    processes: [first, await start()],
    /** How far the second one's clock is ahead. */
    ahead: 0,
    agent: new Agent({ keepAlive: true }),
    number: 0,
  };
}

/**
 * Sends messages to one of the answerers each, by turns to nobody else, to one of the silent people,
 * and to a second one who answers. Waits until all have rung.
 */
async function send(stage, count) {
  const call = await signIn(stage.processes[0].address);
  const messages = [];
  for (let nth = 0; nth < count; nth += 1) {
    const answerers = [nth % stage.answerers];
    if (nth % 3 === 2) answerers.push((nth + 1) % stage.answerers);
    const silent = nth % 3 === 1 ? [stage.answerers + (nth % SILENT)] : [];
    const text = `Message ${(stage.number += 1)}`;
    const { messageId: id } = await call('POST', '/admin/messages', {
      userIds: [...answerers, ...silent].map((person) => FIRST + person),
      message: text,
      answers: ['Got it'],
      policyId: stage.policyId,
    });
    messages.push({ id, text, answerers, silent });
  }
  const ids = listOf(messages);
  await until(
    () =>
      isNone(
        stage,
        `select count(*) as n from recipients where waiting > 0 and message_id in ${ids}`,
      ),
    'all pushes to be accepted',
  );
  return messages;
}

const listOf = (messages) => `(${messages.map(({ id }) => `'${id}'`).join(', ')})`;

/** The first step comes at that time, the second three seconds later. */
async function setDue({ database }, messages, due) {
  const ids = listOf(messages);
  await database.run(
    `update escalation_steps set due_at = ${due} + 3000 * position where message_id in ${ids}`,
  );
  await database.run(
    `update jobs set due_at = ${due} where kind = 'escalation' and subject in ${ids}`,
  );
}

/** One round: answers, steps and a kill within the same moments. */
async function race(stage) {
  const messages = await send(stage, stage.answerers);
  const moment = Date.now() + NOTICED;
  // The process that is ahead takes the steps.
  await setDue(stage, messages, moment + stage.ahead);
  const answers = messages.map(async (message) => {
    const tries = await Promise.all(
      message.answerers.map(async (person, nth) => {
        await wait(moment - Date.now() + Math.random() * 2 - 1);
        return answer(stage, message.id, person, nth + message.answerers[0]);
      }),
    );
    return { ...message, tries: Math.max(...tries), before: await readState(stage, message) };
  });
  const kill = async () => {
    await wait(moment - Date.now() + Math.random() * 450 - 50);
    const victim = Math.random() < 0.5 ? 0 : 1;
    await stage.processes[victim].end('SIGKILL');
    if (victim === 1) stage.ahead = Math.random() < 0.5 ? AHEAD : 0;
    stage.processes[victim] = await stage.start(victim === 1 ? clockAhead(stage.ahead) : {});
  };
  const [, ...raced] = await Promise.all([kill(), ...answers]);
  return raced;
}

const clockAhead = (milliseconds) => ({
  NODE_OPTIONS: `--import=${CLOCK}`,
  CLOCK_AHEAD: String(milliseconds),
});

/**
 * Says it until it is acknowledged, as a phone does. @param nth two who answer the same message begin
 * with one process each @returns how often
 */
async function answer(stage, messageId, person, nth) {
  for (let tries = 1; ; tries += 1) {
    const { address } = stage.processes[(nth + tries) % 2];
    const status = await report(address, stage, messageId, person).catch(() => undefined);
    if (status === 200) return tries;
    assert.ok(status === undefined || status === 503, `an answer was refused with ${status}`);
    await wait(20);
  }
}

/** Node's own `fetch` takes longer for fifty at once than all that is to happen then. */
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

/** How often it rang again at those who answer and at others, what tells of it, and its steps. */
async function readState({ database }, { id, text, answerers, silent }) {
  const ringsAt = (people) =>
    `(select count(*) from deliveries where message_id = '${id}' and round > 0 and user_id in (${[-1, ...people.map((person) => FIRST + person)].join(', ')}))`;
  const [row] =
    await database.all(`select ${ringsAt(answerers)} as rung, ${ringsAt(silent)} as other,
    (select count(*) from messages as told where told.text = '${text}' and told.id <> '${id}') as told,
    (select count(*) from escalation_steps where message_id = '${id}' and done_at is not null) as done,
    rounds, stopped from messages where id = '${id}'`);
  const { stopped, rung, other, told, done, rounds } = row;
  // PostgreSQL tells counts as text.
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

async function checkRaces(stage, raced) {
  for (const message of raced) {
    const { before, text, answerers, silent } = message;
    const after = await readState(stage, message);
    const what = `${text}, answered after ${JSON.stringify(before)}: ${JSON.stringify(after)}`;
    assert.equal(after.rung, before.rung, `it rang at who had answered: ${what}`);
    const isTwice = after.rung > answerers.length || after.rounds > 1 || after.told > 1;
    assert.ok(!isTwice, `a step came twice: ${what}`);
    if (silent.length > 0) {
      assert.equal(after.other, 1, `who had not answered was not rung at just once: ${what}`);
      assert.deepEqual([after.done, after.told], [2, 1], `a step is missing: ${what}`);
      assert.equal(after.stopped, null, what);
    } else {
      assert.equal(before.stopped, 'acknowledged', `the last answer did not stop it: ${what}`);
      assert.deepEqual(after, before, `a step came after the last answer: ${what}`);
    }
  }
  const answers = raced.flatMap((message) => message.answerers).length;
  const quicker = raced.filter(({ before }) => before.done).length;
  const again = raced.filter(({ tries }) => tries > 1).length;
  return `${answers} answers at a step's time, of ${raced.length} messages: of ${quicker} the step was quicker, of ${again} they had to be said again; none went on when everybody had answered, no step came twice, none is missing`;
}

/** Messages that end while there is no server, or within the five seconds by which clocks differ. */
async function sleepThroughTheEnd(stage) {
  const messages = await send(stage, 10);
  const [early, late] = [messages.slice(0, 5), messages.slice(5)];
  for (const process of stage.processes) await process.end('SIGKILL');
  const now = Date.now();
  await setDue(stage, messages, now + 1000);
  await setEnd(stage, early, now + 1000 + AHEAD - 500);
  await setEnd(stage, late, now + 2500 + AHEAD);
  await wait(3000);
  stage.processes = [await stage.start(), await stage.start(clockAhead(AHEAD))];
  await until(() => isAtRest(stage), 'the ended ones to be given up');
  return messages;
}

/** The database is away from before a step's time until after the message's end. */
async function loseDatabase(stage) {
  const messages = await send(stage, 10);
  const now = Date.now();
  const end = now + 2 * AHEAD + 4000;
  await setDue(stage, messages, now + AHEAD + 2000);
  await setEnd(stage, messages, end);
  if (stage.postgres) {
    await stage.database.close();
    await stage.postgres.kill();
  } else await stage.database.run('begin immediate');
  await wait(end - Date.now() + 500);
  if (stage.postgres) {
    await stage.postgres.start();
    stage.database = await openBeside(stage.environment);
  } else await stage.database.run('commit');
  await until(() => isAtRest(stage), 'the ended ones to be given up');
  return messages;
}

const setEnd = ({ database }, messages, end) =>
  database.run(`update messages set expires_at = ${end} where id in ${listOf(messages)}`);

async function checkNothingHappened(stage, messages) {
  for (const message of messages) {
    const { stopped, ...counts } = await readState(stage, message);
    const happened = Object.values(counts).some((count) => count > 0);
    assert.ok(!happened, `${message.text} went on after its end: ${JSON.stringify(counts)}`);
    assert.equal(stopped, null);
  }
}

const isNone = async ({ database }, query) => Number((await database.all(query))[0].n) === 0;
const isAtRest = (stage) =>
  isNone(stage, "select count(*) as n from jobs where kind = 'escalation'");

async function until(isSo, what) {
  for (const deadline = Date.now() + 120_000; !(await isSo()); ) {
    assert.ok(Date.now() < deadline, `Waited in vain for ${what}`);
    await wait(20); // another process does the work: there is nothing to wait on but its rows
  }
}
