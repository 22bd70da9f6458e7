/**
 * How soon a server reminds 10,000 people whose check-ins are due at the same moment, and how long
 * calls take meanwhile.
 * `npm run bench -- check-ins --people 10000`
 */
import { setTimeout as wait } from 'node:timers/promises';
import { ABUSE_ADMIN, getQuantile, signIn } from '../abuse/process.mjs';
import { type EngineSetUp, FIRST_PERSON_ID, onEachEngine, COUNT_PENDING } from './on-each-engine';
import { readOption, readProcessorTime, reportLimit } from './measure';

const PEOPLE_COUNT = readOption('people', 10_000);
/** Seconds until the last push was accepted; milliseconds of a call. */
const MAX_FIGURES = { all: 60, p99: 200 };
const CALLS_PER_SECOND = 20;
/** Milliseconds of the same calls before anything is due. */
const QUIET_MS = 5000;
/** Each person's reads wait for one another, so one administrator would measure that queue. */
const ADMINISTRATOR_COUNT = 10;

console.log(`check-ins: ${PEOPLE_COUNT} people are asked at the same moment`);
await onEachEngine('checkins', PEOPLE_COUNT, timeReminders);

async function timeReminders({
  engine,
  server,
  database,
  call,
  keys,
  count,
}: EngineSetUp): Promise<void> {
  const admins = await addAdministrators(server.address, database.run);
  const due = Date.now() + QUIET_MS + 3000;
  await addCheckIns(database.run, due);

  const quiet: number[] = [];
  const times: number[] = [];
  const refusals: unknown[] = [];
  let isDone = false;
  const ask = async (nth: number): Promise<void> => {
    const startedAt = performance.now();
    const isDue = Date.now() >= due;
    await asking[nth % asking.length]?.(nth).catch((error: unknown) => refusals.push(error));
    const took = performance.now() - startedAt;
    (isDue ? times : quiet).push(took);
  };
  const adminOf = (nth: number) => admins[nth % admins.length] ?? call;
  const asking: ((nth: number) => Promise<unknown>)[] = [
    (nth) => adminOf(nth)('GET', '/admin/check-ins?limit=25'),
    (nth) => adminOf(nth)('GET', '/admin/overview'),
    (nth) => answer(server.address, 1 + (nth % PEOPLE_COUNT), keys[nth % PEOPLE_COUNT] ?? ''),
  ];
  const calls: Promise<void>[] = [];
  const calling = (async () => {
    const startedAt = Date.now();
    for (let nth = 0; !isDone; nth += 1) {
      calls.push(ask(nth));
      await wait(startedAt + ((nth + 1) * 1000) / CALLS_PER_SECOND - Date.now());
    }
  })();
  await wait(due - Date.now());
  const spent = await readProcessorTime(server.pid);
  const open = `select (select count(*) from check_ins where asked = 0 and answers = 0) + (${COUNT_PENDING}) as n`;
  while ((await count(open)) > 0) await wait(250); // another process does the work
  const seconds = (Date.now() - due) / 1000;
  isDone = true;
  await calling;
  await Promise.all(calls);
  if (refusals.length > 0) throw refusals[0];
  const work = ((await readProcessorTime(server.pid)) - spent) / 1000;
  const sent = `select check_in_id, count(*) as times from check_in_messages
    inner join deliveries on deliveries.message_id = check_in_messages.message_id
    where kind = 'reminder' and deliveries.state = 'accepted' group by check_in_id`;
  const remindedCount = await count(`select count(*) as n from (${sent}) as sent`);
  // Who answered before the reminder left needs none.
  const faults = await count(`select count(*) as n from check_ins left join (${sent}) as sent
    on sent.check_in_id = check_ins.id where coalesce(times, 0) > 1 or times is null and answers = 0`);
  if (faults > 0)
    throw new Error(`${faults} of ${PEOPLE_COUNT} people reminded twice or not at all`);
  reportLimit(`${remindedCount} reminded on ${engine}`, seconds, MAX_FIGURES.all, 's');
  console.log(
    `    ${PEOPLE_COUNT - remindedCount} answered before; ${work.toFixed(1)} s of the server's processor`,
  );
  console.log(`    ${quiet.length} calls before: p99: ${getQuantile(quiet, 0.99).toFixed(1)} ms`);
  reportLimit(
    `${times.length} calls meanwhile on ${engine}: p99`,
    getQuantile(times, 0.99),
    MAX_FIGURES.p99,
    'ms',
  );
}

/** Each signed in. */
async function addAdministrators(
  address: string,
  run: (statement: string) => Promise<void>,
): Promise<Awaited<ReturnType<typeof signIn>>[]> {
  const all = [];
  for (let nth = 1; nth <= ADMINISTRATOR_COUNT; nth += 1) {
    const username = `administrator ${nth}`;
    await run(`insert into users (username, username_key, password_hash, role, status, created_at)
      select '${username}', '${username}', password_hash, role, status, 0 from users
      where username_key = '${ABUSE_ADMIN.username}'`);
    all.push(await signIn(address, { ...ABUSE_ADMIN, username }));
  }
  return all;
}

/** Answers with the key of the person's device. */
async function answer(address: string, checkIn: number, key: string): Promise<void> {
  const response = await fetch(`${address}/api/check-ins/${checkIn}/ok`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: '{}',
  });
  if (!response.ok) throw new Error(`an answer: ${response.status} ${await response.text()}`);
}

/** All check-ins start an hour before they are due. */
async function addCheckIns(run: (statement: string) => Promise<void>, ask: number): Promise<void> {
  const began = ask - 55 * 60_000;
  const due = ask + 5 * 60_000;
  const series = `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${PEOPLE_COUNT}) select i from n) as n`;
  await run(`insert into check_ins
    (id, user_id, minutes, grace_minutes, started_at, begun_at, ask_at, due_at, alarm_at)
    select i, ${FIRST_PERSON_ID - 1} + i, 60, 5, ${began}, ${began}, ${ask}, ${due}, ${due + 300_000} from ${series}`);
  await run(`insert into jobs (kind, subject, created_at, due_at)
    select 'check-in', cast(i as text), ${began}, ${ask} from ${series}`);
  // The server does so itself after a while.
  await run('analyze');
}
