import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  addCheckIns,
  waitForAlarms,
  answerReminder,
  checkAlarms,
  countAlarms,
  moveAlarms,
} from '../../abuse/lone-workers.mjs';
import { addSubscribers, createKeys, openServerDatabase } from '../../abuse/people.mjs';
import { ABUSE_ADMIN } from '../../abuse/process.mjs';
import { freePort } from '../../support/port.mjs';
import { startPair } from '../postgres-pair.mjs';
import { startHaproxy } from '../programs.mjs';
import { createClient } from '../tls.mjs';

const SERVERS = 3;
const JWT_SECRET = 'one secret that all of them are given';
/** From the loss until sending works again. */
const MAX_OUTAGE_MS = 30_000;
/** Two check-ins a second become due, from just before the loss until the replica has taken over. */
const CHECK_INS = 90;
const ALARM_INTERVAL_MS = 500;
const FIRST_PERSON_ID = 1_000_000;
/** Long enough for claims to run out. */
const MAX_CLAIM_WAIT_MS = 180_000;

/**
 * Three processes behind haproxy, on a primary with a synchronous replica behind PgBouncer. The machine
 * of the primary is lost in the middle of a send, and Patroni promotes the replica: nothing acknowledged
 * is lost, sending goes on, no check-in alerts after an answer or fails to alert without one, and health
 * reports the fault. The lost machine comes back as the replica.
 */
export async function testFailover({ folder, start, sink, certificate, cleanUp, devices }) {
  const pair = await startPair(folder, cleanUp);
  const ports = [];
  for (let count = 0; count < SERVERS; count += 1) ports.push(await freePort());
  // All at once, so that their migrations meet.
  const servers = await Promise.all(
    ports.map((port) =>
      start({
        PORT: String(port),
        DATA_DIR: path.join(folder, String(port)),
        DATABASE_URL: pair.url,
        JWT_SECRET,
        TRUSTED_PROXIES: '127.0.0.1',
      }),
    ),
  );
  const proxy = await startHaproxy(folder, ports, certificate);
  cleanUp(proxy.end);
  const client = createClient(proxy.tlsPort, certificate.ca);
  cleanUp(client.close);
  const call = await signIn(client);
  const everyoneTopic = { title: 'Everyone', description: 'All of them' };
  const everyone = await call('POST', '/admin/topics', everyoneTopic);
  const fewPeople = await call('POST', '/admin/topics', { title: 'Few', description: 'A few' });
  const controlRoom = await call('POST', '/admin/topics', {
    title: 'Control',
    description: 'A room',
  });
  const primary = await openServerDatabase({ DATABASE_URL: pair.direct('a') });
  await addSubscribers(primary, everyone.id, devices, `${sink.origin}/all`, FIRST_PERSON_ID);
  await addSubscribers(primary, fewPeople.id, 3, `${sink.origin}/few`, 3_000_000);
  await addSubscribers(primary, controlRoom.id, 3, `${sink.origin}/room`, 4_000_000);
  await addCheckIns(primary, { first: FIRST_PERSON_ID, count: CHECK_INS });
  const keys = await createKeys(primary, { JWT_SECRET });
  await call('PUT', '/admin/check-ins/settings', {
    ...{ enabled: true, graceMinutes: 5, alarmTopicId: controlRoom.id, policyId: null },
  });

  const healthWatch = watchHealth(servers);
  const sending = sendContinuously(call, fewPeople.id);
  const sent = await call('POST', `/admin/notifications/send-topic/${everyone.id}`, {
    message: 'To everybody',
  });
  while ((await sink.countPushes()).received < devices / 4) await wait(10); // the sink is another process
  const firstAlarmAt = Date.now() + 1000;
  await moveAlarms(primary, {
    from: 0,
    count: CHECK_INS,
    moment: firstAlarmAt,
    apart: ALARM_INTERVAL_MS,
  });
  await primary.close();
  const checkInAnswers = answerCheckIns({ client, keys, url: pair.url, firstAlarmAt });
  const killedAt = Date.now();
  pair.loseA();
  const pushesAtKill = await sink.countPushes();
  assert.ok(pushesAtKill.received < devices, 'it was killed after the end');
  await wait(2000); // what was already on its way arrives
  const { received } = await sink.countPushes();
  await sending.acknowledgedAfter(Date.now());
  const acknowledgedIn = Date.now() - killedAt;
  while ((await sink.countPushes()).received === received) await wait(10);
  const pushedIn = Date.now() - killedAt;
  const { acknowledged, rejectedCount, unexpectedErrors } = await sending.stop();
  const healthStates = await healthWatch.stop();

  const database = await openServerDatabase({ DATABASE_URL: pair.direct('b') });
  cleanUp(() => database.close());
  const alarms = await checkInAnswers.end(database);
  await pair.startA();
  const queryNumber = async (query) => Number((await database.all(query))[0].number);
  const openDeliveries = `select count(*) as number from deliveries where state not in ('accepted', 'skipped')`;
  const expectedDeliveries = devices + 3 * acknowledged.length;
  const deadline = Date.now() + MAX_CLAIM_WAIT_MS;
  const allDeliveries = `select count(*) as number from deliveries`;
  while (
    (await queryNumber(openDeliveries)) > 0 ||
    (await queryNumber(allDeliveries)) < expectedDeliveries
  ) {
    assert.ok(
      Date.now() < deadline,
      `${await queryNumber(openDeliveries)} of ${await queryNumber(allDeliveries)} are open`,
    );
    await wait(250); // other processes do the work: there is nothing to wait on but the rows
  }
  const storedIds = new Set((await database.all('select id from messages')).map(({ id }) => id));
  const lostIds = [sent.messageId, ...acknowledged].filter((id) => !storedIds.has(id));
  assert.deepEqual(lostIds, [], 'acknowledged and lost');
  const pushesAtEnd = await sink.countPushes();
  assert.equal(pushesAtEnd.devices, devices + 6, 'everyone was reached');
  const skippedDeliveries = `select count(*) as number from deliveries where state = 'skipped'`;
  // Only an alarm that was answered before it was pushed.
  const otherSkippedDeliveries = `${skippedDeliveries} and message_id not in (select message_id from check_in_messages)`;
  assert.equal(await queryNumber(otherSkippedDeliveries), 0, 'skipped pushes');
  // A rejected message may be stored all the same.
  const repeats =
    pushesAtEnd.received -
    (await queryNumber(allDeliveries)) +
    (await queryNumber(skippedDeliveries));
  const advisoryLocks = `select count(*) as number from pg_locks where locktype = 'advisory'`;
  assert.equal(await queryNumber(advisoryLocks), 0, 'locks without a holder');
  assert.deepEqual(unexpectedErrors, [], 'calls that ended in another way than 503');
  assert.ok(
    acknowledgedIn <= MAX_OUTAGE_MS && pushedIn <= MAX_OUTAGE_MS,
    `${acknowledgedIn} and ${pushedIn} ms`,
  );
  for (const [index, states] of healthStates.entries()) {
    assert.ok(states.has('the database is unreachable'), `health of ${index} said ${[...states]}`);
  }
  for (const server of servers) {
    assert.doesNotMatch(server.output(), /uncaughtException|"unexpected error"/);
    assert.equal((await fetch(`${server.address}/api/health`)).status, 200);
    assert.equal((await server.end('SIGTERM')).code, 0);
  }
  return `lost after ${pushesAtKill.received} of ${devices}: acknowledged again ${acknowledgedIn} ms and pushed again ${pushedIn} ms later; ${acknowledged.length + 1} acknowledged, ${rejectedCount} rejected with 503, none lost; ${repeats} pushes repeated; check-ins: ${alarms}; health said ${[...new Set(healthStates.flatMap((states) => [...states]))].join(', ')}`;
}

async function signIn(client) {
  // haproxy checks its servers before it uses them.
  for (let tries = 0; ; tries += 1) {
    try {
      return await client.signIn(ABUSE_ADMIN);
    } catch (error) {
      if (tries === 100) throw error;
      await wait(100);
    }
  }
}

/** Two of three answer within a second of their alarm, and repeat it until it is acknowledged. */
function answerCheckIns({ client, keys, url, firstAlarmAt }) {
  /** @type {{ first: number, answered: object[], silent: number[] }} */
  const people = { first: FIRST_PERSON_ID, answered: [], silent: [] };
  const post = (place, key) =>
    client
      .ask('POST', place, { body: {}, headers: { Authorization: `Bearer ${key}` } })
      .then(({ status }) => status)
      .catch(() => undefined);
  const answers = Array.from({ length: CHECK_INS }, async (_, worker) => {
    if (worker % 3 === 0) {
      people.silent.push(worker);
      return;
    }
    await wait(
      firstAlarmAt + worker * ALARM_INTERVAL_MS - Date.now() + Math.random() * 2000 - 1000,
    );
    await answerReminder(post, keys, worker);
    const primary = await openServerDatabase({ DATABASE_URL: url });
    people.answered.push({ worker, alarms: await countAlarms(primary, worker) });
    await primary.close();
  });
  return {
    async end(database) {
      await Promise.all(answers);
      await wait(firstAlarmAt + CHECK_INS * ALARM_INTERVAL_MS - Date.now()); // the last alarm may be ahead
      await waitForAlarms(database);
      return checkAlarms(database, people);
    },
  };
}

/** Three senders send to a few people without a pause. */
function sendContinuously(call, topic) {
  let isRunning = true;
  let lastAcknowledgedAt = 0;
  let rejectedCount = 0;
  /** @type {string[]} */
  const acknowledged = [];
  /** @type {string[]} */
  const unexpectedErrors = [];
  const sender = async () => {
    while (isRunning) {
      try {
        const place = `/admin/notifications/send-topic/${topic}`;
        const { messageId } = await call('POST', place, { message: 'To a few' });
        acknowledged.push(messageId);
        lastAcknowledgedAt = Date.now();
      } catch (error) {
        // haproxy's answer when all three are out of service.
        if (/: 503 /.test(error.message)) rejectedCount += 1;
        else unexpectedErrors.push(error.message);
      }
      await wait(50); // 20 a second
    }
  };
  const senders = Array.from({ length: SERVERS }, sender);
  return {
    async acknowledgedAfter(time) {
      while (lastAcknowledgedAt < time) {
        assert.ok(Date.now() < time + MAX_OUTAGE_MS, 'nothing is acknowledged any more');
        await wait(10); // the senders are at it
      }
    },
    async stop() {
      isRunning = false;
      await Promise.all(senders);
      return { acknowledged, rejectedCount, unexpectedErrors };
    },
  };
}

function watchHealth(servers) {
  let isRunning = true;
  const watching = servers.map(async ({ address }) => {
    const states = new Set();
    while (isRunning) {
      const response = await fetch(`${address}/api/health`);
      states.add((await response.json()).status);
      await wait(100);
    }
    return states;
  });
  return {
    stop() {
      isRunning = false;
      return Promise.all(watching);
    },
  };
}
