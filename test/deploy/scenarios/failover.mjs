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
import { ADMIN } from '../../abuse/process.mjs';
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
  const client = createClient(proxy.tls, certificate.ca);
  cleanUp(client.close);
  const call = await signIn(client);
  const title = { title: 'Everyone', description: 'All of them' };
  const everyone = await call('POST', '/admin/topics', title);
  const few = await call('POST', '/admin/topics', { title: 'Few', description: 'A few' });
  const room = await call('POST', '/admin/topics', { title: 'Control', description: 'A room' });
  const primary = await openServerDatabase({ DATABASE_URL: pair.direct('a') });
  await addSubscribers(primary, everyone.id, devices, `${sink.origin}/all`, FIRST_PERSON_ID);
  await addSubscribers(primary, few.id, 3, `${sink.origin}/few`, 3_000_000);
  await addSubscribers(primary, room.id, 3, `${sink.origin}/room`, 4_000_000);
  await addCheckIns(primary, { first: FIRST_PERSON_ID, count: CHECK_INS });
  const keys = await createKeys(primary, { JWT_SECRET });
  await call('PUT', '/admin/check-ins/settings', {
    ...{ enabled: true, graceMinutes: 5, alarmTopicId: room.id, policyId: null },
  });

  const seen = watchHealth(servers);
  const sending = sendContinuously(call, few.id);
  const sent = await call('POST', `/admin/notifications/send-topic/${everyone.id}`, {
    message: 'To everybody',
  });
  while ((await sink.tally()).received < devices / 4) await wait(10); // the sink is another process
  const moment = Date.now() + 1000;
  await moveAlarms(primary, { from: 0, count: CHECK_INS, moment, apart: ALARM_INTERVAL_MS });
  await primary.close();
  const working = answerCheckIns({ client, keys, url: pair.url, moment });
  const killedAt = Date.now();
  pair.loseA();
  const before = await sink.tally();
  assert.ok(before.received < devices, 'it was killed after the end');
  await wait(2000); // what was already on its way arrives
  const { received } = await sink.tally();
  await sending.acknowledgedAfter(Date.now());
  const acknowledgedIn = Date.now() - killedAt;
  while ((await sink.tally()).received === received) await wait(10);
  const pushedIn = Date.now() - killedAt;
  const { acknowledged, refused, odd } = await sending.stop();
  const saw = await seen.stop();

  const database = await openServerDatabase({ DATABASE_URL: pair.direct('b') });
  cleanUp(() => database.close());
  const alarms = await working.end(database);
  await pair.startA();
  const number = async (query) => Number((await database.all(query))[0].number);
  const open = `select count(*) as number from deliveries where state not in ('accepted', 'skipped')`;
  const owed = devices + 3 * acknowledged.length;
  const deadline = Date.now() + MAX_CLAIM_WAIT_MS;
  const all = `select count(*) as number from deliveries`;
  while ((await number(open)) > 0 || (await number(all)) < owed) {
    assert.ok(Date.now() < deadline, `${await number(open)} of ${await number(all)} are open`);
    await wait(250); // other processes do the work: there is nothing to wait on but the rows
  }
  const kept = new Set((await database.all('select id from messages')).map(({ id }) => id));
  const lost = [sent.messageId, ...acknowledged].filter((id) => !kept.has(id));
  assert.deepEqual(lost, [], 'acknowledged and lost');
  const after = await sink.tally();
  assert.equal(after.devices, devices + 6, 'everyone was reached');
  const skipped = `select count(*) as number from deliveries where state = 'skipped'`;
  // Only an alarm that was answered before it was pushed.
  const others = `${skipped} and message_id not in (select message_id from check_in_messages)`;
  assert.equal(await number(others), 0, 'skipped pushes');
  // A rejected message may be stored all the same.
  const repeats = after.received - (await number(all)) + (await number(skipped));
  const advisory = `select count(*) as number from pg_locks where locktype = 'advisory'`;
  assert.equal(await number(advisory), 0, 'locks without a holder');
  assert.deepEqual(odd, [], 'calls that ended in another way than 503');
  assert.ok(
    acknowledgedIn <= MAX_OUTAGE_MS && pushedIn <= MAX_OUTAGE_MS,
    `${acknowledgedIn} and ${pushedIn} ms`,
  );
  for (const [index, states] of saw.entries()) {
    assert.ok(states.has('the database is unreachable'), `health of ${index} said ${[...states]}`);
  }
  for (const server of servers) {
    assert.doesNotMatch(server.output(), /uncaughtException|"unexpected error"/);
    assert.equal((await fetch(`${server.address}/api/health`)).status, 200);
    assert.equal((await server.end('SIGTERM')).code, 0);
  }
  return `lost after ${before.received} of ${devices}: acknowledged again ${acknowledgedIn} ms and pushed again ${pushedIn} ms later; ${acknowledged.length + 1} acknowledged, ${refused} refused with 503, none lost; ${repeats} pushes repeated; check-ins: ${alarms}; health said ${[...new Set(saw.flatMap((states) => [...states]))].join(', ')}`;
}

async function signIn(client) {
  // haproxy checks its servers before it uses them.
  for (let tries = 0; ; tries += 1) {
    try {
      return await client.signIn(ADMIN);
    } catch (error) {
      if (tries === 100) throw error;
      await wait(100);
    }
  }
}

/** Two of three answer within a second of their alarm, and repeat it until it is acknowledged. */
function answerCheckIns({ client, keys, url, moment }) {
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
    await wait(moment + worker * ALARM_INTERVAL_MS - Date.now() + Math.random() * 2000 - 1000);
    await answerReminder(post, keys, worker);
    const primary = await openServerDatabase({ DATABASE_URL: url });
    people.answered.push({ worker, alarms: await countAlarms(primary, worker) });
    await primary.close();
  });
  return {
    async end(database) {
      await Promise.all(answers);
      await wait(moment + CHECK_INS * ALARM_INTERVAL_MS - Date.now()); // the last alarm may be ahead
      await waitForAlarms(database);
      return checkAlarms(database, people);
    },
  };
}

/** Three senders send to a few people without a pause. */
function sendContinuously(call, topic) {
  let working = true;
  let last = 0;
  let refused = 0;
  /** @type {string[]} */
  const acknowledged = [];
  /** @type {string[]} */
  const odd = [];
  const sender = async () => {
    while (working) {
      try {
        const place = `/admin/notifications/send-topic/${topic}`;
        const { messageId } = await call('POST', place, { message: 'To a few' });
        acknowledged.push(messageId);
        last = Date.now();
      } catch (error) {
        // haproxy's answer when all three are out of service.
        if (/: 503 /.test(error.message)) refused += 1;
        else odd.push(error.message);
      }
      await wait(50); // 20 a second
    }
  };
  const senders = Array.from({ length: SERVERS }, sender);
  return {
    async acknowledgedAfter(time) {
      while (last < time) {
        assert.ok(Date.now() < time + MAX_OUTAGE_MS, 'nothing is acknowledged any more');
        await wait(10); // the senders are at it
      }
    },
    async stop() {
      working = false;
      await Promise.all(senders);
      return { acknowledged, refused, odd };
    },
  };
}

function watchHealth(servers) {
  let working = true;
  const watching = servers.map(async ({ address }) => {
    const states = new Set();
    while (working) {
      const response = await fetch(`${address}/api/health`);
      states.add((await response.json()).status);
      await wait(100);
    }
    return states;
  });
  return {
    stop() {
      working = false;
      return Promise.all(watching);
    },
  };
}
