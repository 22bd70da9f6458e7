import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { addPeople, addSubscribers, createKeys, openServerDatabase } from '../people.mjs';
import { signIn } from '../process.mjs';

const SUBSCRIBERS = 20;
const FIRST_USER_ID = 1_000_000;
const RECEIPT_KINDS = ['displayed', 'read', 'acknowledged'];
const oneOf = (list) => list[Math.floor(Math.random() * list.length)];

/**
 * F21: killed while messages and receipts come in, the server keeps every acknowledged send with
 * exactly its recipients, numbers without a gap, and every answered receipt. Pushes in flight at
 * two kills leave soon.
 */
export async function testKilledReceipts({ start, sink, environment, rounds }) {
  let server = await start();
  let call = await signIn(server.address);
  const topic = await addTopic(call);
  const database = await openServerDatabase(environment);
  await addSubscribers(database, topic, SUBSCRIBERS, sink.origin, FIRST_USER_ID);
  const keys = await createKeys(database, environment);
  const messages = [];
  const answered = [];
  const refusals = [];
  let number = 0;

  const send = async () => {
    const message = `Message-${(number += 1)}`;
    const response = await call(
      'POST',
      `/admin/notifications/send-topic/${topic}`,
      { message, answers: ['Got it'] },
      { 'Idempotency-Key': message },
    );
    messages.push(response.messageId);
  };
  const report = async () => {
    const person = Math.floor(Math.random() * SUBSCRIBERS);
    const kind = oneOf(RECEIPT_KINDS);
    const receipts = Array.from({ length: 1 + Math.floor(Math.random() * 4) }, () => ({
      messageId: oneOf(messages),
      kind,
      ...(kind === 'acknowledged' && { answer: 'Got it' }),
    }));
    const { recorded } = await post(server.address, keys[person], { receipts });
    answered.push({ userId: FIRST_USER_ID + person, receipts, recorded });
  };

  for (let round = 0; round < rounds; round += 1) {
    let alive = true;
    const before = answered.length;
    const repeat = async (work) => {
      while (alive) {
        try {
          await work();
        } catch (error) {
          // Nothing was acknowledged; a rejection by a living server is a fault.
          if (/ [45]\d\d /.test(error.message)) refusals.push(error.message);
          return;
        }
      }
    };
    await send(); // before the kill can come: there is something to report
    const clients = [...Array(3).fill(send), ...Array(6).fill(report)].map(repeat);
    // Every other kill comes after some receipts were answered.
    if (round % 2) await waitUntil(() => answered.length > before + 5, 'receipts to be answered');
    await wait(Math.random() * 300);
    await server.end('SIGKILL');
    alive = false;
    await Promise.all(clients);
    server = await start();
    call = await signIn(server.address);
  }

  assert.deepEqual(refusals, []);
  const receipts = answered.flatMap((one) => one.receipts).length;
  assert.ok(answered.length >= rounds, 'too few receipts to prove anything');
  await checkSends(database, messages);
  await checkNumbers(database, SUBSCRIBERS);
  await checkReceipts(database, answered);
  await checkPushes(database);
  const [began, lost] = [performance.now(), await countLost(database)];
  await allPushes(database);
  const seconds = ((performance.now() - began) / 1000).toFixed();
  await checkPushes(database);
  await database.close();
  await server.end('SIGTERM');
  return `${rounds} kills, ${messages.length} sends and ${receipts} receipts acknowledged, none lost; a row for each of ${SUBSCRIBERS} people, numbered without a gap; of the pushes ${lost} were in flight at a death, all had left ${seconds} s later`;
}

/** More than are written with the send itself. */
const RECIPIENT_COUNT = 20_000;
const RECIPIENTS_WITH_DEVICE = 300;

/**
 * F22: a send to 20,000 people that is killed again and again is finished once for each of them.
 */
export async function testKilledSend({ start, sink, environment, quick }) {
  let server = await start();
  const call = await signIn(server.address);
  const topic = await addTopic(call);
  const database = await openServerDatabase(environment);
  await addSubscribers(
    database,
    topic,
    RECIPIENTS_WITH_DEVICE,
    sink.origin,
    FIRST_USER_ID + RECIPIENT_COUNT,
  );
  const recipientsWithoutDevice = Array.from(
    { length: RECIPIENT_COUNT - RECIPIENTS_WITH_DEVICE },
    (_, index) => FIRST_USER_ID + index,
  );
  await addPeople(database, topic, recipientsWithoutDevice);
  await call('POST', `/admin/notifications/send-topic/${topic}`, { message: 'To everyone' });
  const reached = [];
  for (let goal = 1; reached.length < (quick ? 2 : 6); ) {
    const written = await countOf(database, 'select count(*) as n from recipients');
    if (written < goal) {
      await wait(2); // another process does the work: there is nothing to wait on but its rows
      continue;
    }
    await server.end('SIGKILL');
    reached.push(await countOf(database, 'select count(*) as n from recipients'));
    goal = reached.at(-1) + 1;
    server = await start();
  }
  assert.ok(
    reached[0] < RECIPIENT_COUNT,
    `it was killed in the middle of its chunks, at ${reached[0]}`,
  );
  await waitUntil(
    async () => (await database.all("select id from messages where state = 'sent'")).length === 1,
    'the message to be written',
  );
  const [message] = await database.all('select people from messages');
  assert.equal(Number(message.people), RECIPIENT_COUNT);
  const rows = await countOf(database, 'select count(*) as n from recipients');
  assert.equal(rows, RECIPIENT_COUNT, 'rows of the ledger');
  await checkNumbers(database, RECIPIENT_COUNT);
  await allPushes(database);
  await checkPushes(database);
  assert.equal(
    await countOf(database, 'select count(*) as n from deliveries'),
    RECIPIENTS_WITH_DEVICE,
  );
  const { devices } = await sink.countPushes();
  assert.equal(devices, RECIPIENTS_WITH_DEVICE);
  await database.close();
  await server.end('SIGTERM');
  return `killed when ${reached.join(', ')} of ${RECIPIENT_COUNT} rows were written, then finished: one row each, ${devices} devices reached`;
}

const addTopic = async (call) =>
  (await call('POST', '/admin/topics', { title: 'Everyone', description: 'All of them' })).id;

async function post(address, key, body) {
  const response = await fetch(`${address}/api/notifications/receipts`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`receipts: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Pushes left over from killed processes. */
const countLost = (database) =>
  countOf(
    database,
    "select count(*) as n from deliveries where state = 'pending' and (lost > 0 or claimed_until is not null)",
  );

const countOf = async (database, query) => Number((await database.all(query))[0].n);

async function waitUntil(condition, description) {
  for (const deadline = Date.now() + 120_000; !(await condition()); ) {
    assert.ok(Date.now() < deadline, `Timed out waiting for ${description}`);
    await wait(20); // another process does the work: there is nothing to wait on but its rows
  }
}

/** Every message, acknowledged or not, has all of its rows. */
async function checkSends(database, acknowledged) {
  const stored = new Set((await database.all('select id from messages')).map(({ id }) => id));
  const lost = acknowledged.filter((id) => !stored.has(id));
  assert.deepEqual(lost, [], 'acknowledged messages that were lost');
  const wrong = await database.all(`select messages.id, count(recipients.user_id) as n from messages
    left join recipients on recipients.message_id = messages.id
    group by messages.id having count(recipients.user_id) <> ${SUBSCRIBERS}`);
  assert.deepEqual(wrong, [], 'messages with another number of rows');
}

async function checkNumbers(database, people) {
  const numbers = await database.all(`select recipients.user_id, inboxes.last_seq,
      count(*) as n, count(distinct seq) as numbers, min(seq) as first, max(seq) as last
    from recipients left join inboxes on inboxes.user_id = recipients.user_id
    group by recipients.user_id, inboxes.last_seq`);
  assert.equal(numbers.length, people, 'people with an inbox');
  const wrong = numbers.filter(
    ({ last_seq, n, numbers: different, first, last }) =>
      Number(first) !== 1 || [n, different, last].some((each) => Number(each) !== Number(last_seq)),
  );
  assert.deepEqual(wrong, [], 'people whose numbers have a gap');
}

/** Answered receipts are there and counted once. */
async function checkReceipts(database, answered) {
  const rows = await database.all(
    'select message_id, user_id, displayed_at, read_at, acknowledged_at, answer from recipients',
  );
  const byKey = new Map(rows.map((row) => [`${row.user_id} ${row.message_id}`, row]));
  const lost = answered.flatMap(({ userId, receipts }) =>
    receipts.filter(({ messageId, kind, answer }) => {
      const row = byKey.get(`${userId} ${messageId}`);
      const implied = RECEIPT_KINDS.slice(0, RECEIPT_KINDS.indexOf(kind) + 1);
      return (
        implied.some((each) => row?.[`${each}_at`] == null) || (answer && row.answer !== answer)
      );
    }),
  );
  assert.deepEqual(lost, [], 'answered receipts that were lost');
  const counted = answered.reduce((sum, { recorded }) => sum + recorded, 0);
  const reported = new Set(
    answered.flatMap(({ userId, receipts }) =>
      receipts.map(({ messageId, kind }) => `${userId} ${messageId} ${kind}`),
    ),
  );
  assert.ok(
    counted <= reported.size,
    `${counted} were counted of ${reported.size} that were reported`,
  );
}

/** The ledger and the outbox agree at any time. */
async function checkPushes(database) {
  const own = 'from deliveries where message_id = one.message_id and user_id = one.user_id';
  const wrong = await database.all(`select message_id, user_id, state, waiting, devices
    from recipients as one
    where waiting <> (select count(*) ${own} and state = 'pending')
      or devices <> (select count(*) ${own})
      or (state = 'accepted') <> exists (select id ${own} and state = 'accepted')`);
  assert.deepEqual(wrong, [], 'rows without the outcome of their pushes');
}

const allPushes = (database) =>
  waitUntil(
    async () =>
      (await countOf(database, "select count(*) as n from deliveries where state = 'pending'")) ===
      0,
    'all pushes to leave',
  );
