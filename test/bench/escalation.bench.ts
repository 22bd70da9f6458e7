/**
 * How soon a server rings 10,000 due messages again, and how long calls take meanwhile.
 * `npm run bench -- escalation --messages 10000`
 */
import { setTimeout as wait } from 'node:timers/promises';
import { getQuantile } from '../abuse/process.mjs';
import { type EngineSetUp, FIRST_PERSON_ID, onEachEngine, COUNT_PENDING } from './on-each-engine';
import { readOption, readProcessorTime, reportLimit } from './measure';

const MESSAGE_COUNT = readOption('messages', 10_000);
const PEOPLE_COUNT = 1000;
/** Seconds until the last push was accepted; milliseconds of a call. */
const MAX_FIGURES = { all: 60, p99: 200 };
const CALLS_PER_SECOND = 20;

console.log(`escalation: ${MESSAGE_COUNT} open messages with a step due at the same moment`);
await onEachEngine('escalation', PEOPLE_COUNT, timeSteps);

async function timeSteps({
  engine,
  server,
  database,
  call,
  keys,
  count,
}: EngineSetUp): Promise<void> {
  const due = Date.now() + 3000;
  await addMessages(database.run, due);

  const times: number[] = [];
  const refusals: unknown[] = [];
  let isDone = false;
  const ask = async (nth: number): Promise<void> => {
    const startedAt = performance.now();
    await asking[nth % asking.length]?.(nth).catch((error: unknown) => refusals.push(error));
    times.push(performance.now() - startedAt);
  };
  const receipt = (nth: number) => ({
    receipts: [{ messageId: idOf(nth), kind: 'acknowledged', answer: 'Got it' }],
  });
  const asking: ((nth: number) => Promise<unknown>)[] = [
    () => call('GET', '/admin/messages?limit=25'),
    (nth) => call('GET', `/admin/messages/${idOf(nth)}/escalation`),
    () => call('GET', '/admin/overview'),
    (nth) =>
      call('POST', '/notifications/receipts', receipt(nth), {
        Authorization: `Bearer ${keys[nth % PEOPLE_COUNT]}`,
      }),
  ];
  await wait(due - Date.now());
  const spent = await readProcessorTime(server.pid);
  const calls: Promise<void>[] = [];
  const calling = (async () => {
    for (let nth = 0; !isDone; nth += 1) {
      calls.push(ask(nth));
      await wait(due + ((nth + 1) * 1000) / CALLS_PER_SECOND - Date.now());
    }
  })();
  // The figure includes people who had already answered.
  const open = `select (select count(*) from jobs where kind = 'escalation') + (${COUNT_PENDING}) as n`;
  while ((await count(open)) > 0) await wait(250); // another process does the work
  const seconds = (Date.now() - due) / 1000;
  isDone = true;
  await calling;
  await Promise.all(calls);
  if (refusals.length > 0) throw refusals[0];
  const work = ((await readProcessorTime(server.pid)) - spent) / 1000;
  const repeatedCount = await count(
    "select count(*) as n from deliveries where round = 1 and state = 'accepted'",
  );
  const answeredCount = await count(
    'select count(*) as n from recipients where acknowledged_at is not null',
  );
  if (repeatedCount > MESSAGE_COUNT || repeatedCount + answeredCount < MESSAGE_COUNT)
    throw new Error(
      `${repeatedCount} of ${MESSAGE_COUNT} messages notified again, and ${answeredCount} were answered`,
    );
  reportLimit(`${repeatedCount} notified again on ${engine}`, seconds, MAX_FIGURES.all, 's');
  console.log(`    ${work.toFixed(1)} s of the server's processor`);
  reportLimit(
    `${times.length} calls meanwhile on ${engine}: p99`,
    getQuantile(times, 0.99),
    MAX_FIGURES.p99,
    'ms',
  );
}

function idOf(nth: number): string {
  return `message-${1 + (nth % MESSAGE_COUNT)}`;
}

/** Adds messages whose first notifications look a while old. */
async function addMessages(run: (statement: string) => Promise<void>, due: number): Promise<void> {
  const now = Date.now();
  const series = `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MESSAGE_COUNT}) select i from n) as n`;
  const person = `(${FIRST_PERSON_ID} + i % ${PEOPLE_COUNT})`;
  const policy = JSON.stringify({
    id: 1,
    name: 'Again',
    quorum: null,
    steps: [{ after: 180, action: 'repeat' }],
  });
  await run(`insert into messages (id, topic_title, text, priority, answers, audience, state, people, search_key, created_at, expires_at, policy)
    select 'message-' || i, '', 'Pump ' || i || ' is down', 'urgent', '["Got it"]',
      '{"topicIds":[],"userIds":[' || ${person} || ']}', 'sent', 1, 'pump ' || i, ${now}, ${now + 3600_000}, '${policy}' from ${series}`);
  await run(`insert into recipients (message_id, user_id, seq, named, state, devices, waiting)
    select 'message-' || i, ${person}, 2 + i / ${PEOPLE_COUNT}, 1, 'accepted', 1, 0 from ${series}`);
  await run(`update inboxes set last_seq = ${2 + Math.floor(MESSAGE_COUNT / PEOPLE_COUNT)}`);
  await run(`insert into escalation_steps (message_id, position, action, due_at)
    select 'message-' || i, 0, 'repeat', ${due} from ${series}`);
  await run(`insert into jobs (kind, subject, created_at, due_at)
    select 'escalation', 'message-' || i, ${now}, ${due} from ${series}`);
  // The server does so itself after a while.
  await run('analyze');
}
