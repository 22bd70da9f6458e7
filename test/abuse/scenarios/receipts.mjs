import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { addSubscribers, createKeys, openServerDatabase } from '../people.mjs';
import { getQuantile, signIn } from '../process.mjs';

const PHONE_COUNT = 10_000;
const ALL_RECORDED_MS = 3000;
const MAX_P99_MS = 500;
const CONNECTION_COUNT = 400;
const FIRST_USER_ID = 1_000_000;
/** These phones report first, because a busy server has run for a while. */
const EARLY_PHONES = 3000;

/**
 * F20: ten thousand phones report one message within three seconds, each with its key and address.
 * 99 of 100 are answered within half a second, after the commit, and all are in the ledger.
 */
export async function testReceiptsFlood({ start, environment }) {
  // One address alone is limited to fewer connections.
  const server = await start({ TRUSTED_PROXIES: '127.0.0.1,::1' });
  const call = await signIn(server.address);
  const { id } = await call('POST', '/admin/topics', {
    title: 'Everyone',
    description: 'All of them',
  });
  const database = await openServerDatabase(environment);
  await addSubscribers(database, id, PHONE_COUNT, 'https://push.invalid', FIRST_USER_ID);
  // The message is scheduled, so that no push leaves.
  const sendAt = new Date(Date.now() + 24 * 3600_000).toISOString();
  const { messageId } = await call('POST', '/admin/messages', {
    topicIds: [id],
    message: 'The power is off',
    answers: ['Got it'],
    sendAt,
  });
  await writeLedger(database, messageId);
  const keys = await createKeys(database, environment);
  const phones = await openConnections(Number(new URL(server.address).port), CONNECTION_COUNT);
  const displayed = { messageId, kind: 'displayed' };
  await Promise.all(
    keys.slice(0, EARLY_PHONES).map((key, index) => phones.ask(requestOf(key, displayed, index))),
  );
  const spentBefore = await processorTimes(server, database, environment);
  const began = performance.now();
  const times = await Promise.all(
    keys.map(async (key, index) => {
      await wait((index / keys.length) * ALL_RECORDED_MS);
      const startedAt = performance.now();
      const acknowledged = { messageId, kind: 'acknowledged', answer: 'Got it' };
      await phones.ask(requestOf(key, acknowledged, index));
      return performance.now() - startedAt;
    }),
  );
  const took = performance.now() - began;
  const spent = Object.entries(await processorTimes(server, database, environment))
    .map(([side, seconds]) => `${side} ${(seconds - spentBefore[side]).toFixed(1)} s`)
    .join(', ');
  phones.close();
  const [{ recorded }] = await database.all(
    'select count(*) as recorded from recipients where acknowledged_at is not null',
  );
  await database.close();
  await server.end('SIGTERM');
  const figures = `${PHONE_COUNT} in ${(took / 1000).toFixed(1)} s, p50 ${getQuantile(times, 0.5).toFixed()} ms, p99 ${getQuantile(times, 0.99).toFixed()} ms, at most ${Math.max(...times).toFixed()} ms; processor time: ${spent}`;
  assert.equal(Number(recorded), PHONE_COUNT, figures);
  assert.ok(getQuantile(times, 0.99) <= MAX_P99_MS, figures);
  return figures;
}

/** The ledger as after sending, without pushes. */
async function writeLedger(database, messageId) {
  await database.run("delete from jobs where kind = 'message'");
  await database.run("update messages set state = 'sent', send_at = created_at where id = ?", [
    messageId,
  ]);
  await database.run(
    `insert into inboxes (user_id, last_seq) select id, 1 from users where id >= ${FIRST_USER_ID}`,
  );
  await database.run(
    `insert into recipients (message_id, user_id, seq, state) select messages.id, users.id, 1, 'accepted' from users, messages where users.id >= ${FIRST_USER_ID}`,
  );
}

function requestOf(key, receipt, index) {
  const body = JSON.stringify({ receipts: [receipt] });
  return [
    'POST /api/notifications/receipts HTTP/1.1',
    'Host: bell.example',
    'Origin: https://bell.example',
    `Authorization: Bearer ${key}`,
    `X-Forwarded-For: 198.18.${index >> 8}.${index & 255}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

/**
 * Plain sockets with one request at a time: Node's client would take as much processor time as the
 * server.
 */
async function openConnections(port, count) {
  const sockets = [];
  const idle = [];
  const waiting = [];
  const serve = (socket, { request, resolve, reject }) => {
    let answer = '';
    const fail = (error) => reject(error ?? new Error('The connection ended.'));
    const onData = (part) => {
      answer += part;
      const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(answer) ?? [];
      const end = answer.indexOf('\r\n\r\n');
      if (length === undefined || end < 0 || answer.length < end + 4 + Number(length)) return;
      socket.off('data', onData).off('error', fail).off('close', fail);
      if (/^HTTP\/1.1 200 /.test(answer) && answer.endsWith('{"recorded":1}')) resolve();
      else reject(new Error(answer));
      const next = waiting.shift();
      if (next) serve(socket, next);
      else idle.push(socket);
    };
    socket.on('data', onData).on('error', fail).on('close', fail);
    socket.write(request);
  };
  for (let index = 0; index < count; index += 1) {
    const socket = connect({ port, host: 'localhost', noDelay: true }).setEncoding('latin1');
    await once(socket, 'connect');
    sockets.push(socket);
    idle.push(socket);
  }
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        const pendingRequest = { request, resolve, reject };
        const socket = idle.pop();
        if (socket) serve(socket, pendingRequest);
        else waiting.push(pendingRequest);
      }),
    close: () => sockets.forEach((socket) => socket.destroy()),
  };
}

/** Seconds that server, database and phones took of the shared machine. */
async function processorTimes(server, database, { DATABASE_URL }) {
  const backends = DATABASE_URL
    ? await database.all('select pid from pg_stat_activity where datname = current_database()')
    : [];
  const { user, system } = process.cpuUsage();
  const ofBackends = await Promise.all(backends.map(({ pid }) => processorTime(pid)));
  return {
    server: await processorTime(server.pid),
    database: ofBackends.reduce((sum, seconds) => sum + seconds, 0),
    phones: (user + system) / 1e6,
  };
}

async function processorTime(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
