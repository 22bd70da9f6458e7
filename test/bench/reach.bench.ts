/**
 * The server's time for the reach board of 10,000 people with 20,000 devices: first page, filter,
 * search and dashboard; and for insights into 90 days with a million recipients.
 * `npm run bench -- reach --rounds 50`
 */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { addSubscribers, openServerDatabase } from '../abuse/people.mjs';
import { buildServer, signIn, startProcess } from '../abuse/process.mjs';
import { startPostgres } from '../support/processes/postgres.mjs';
import { getMedian, readOption, readProcessorTime } from './measure';

const ROUNDS = readOption('rounds', 50);
const PEOPLE_COUNT = readOption('people', 10_000);
const FIRST_USER_ID = 1_000_000;

/** The calls, and each call's limit in milliseconds. */
const MEASURED_CALLS = [
  ['first page', '/admin/reach?limit=25', 100],
  ['100 of those who need attention', '/admin/reach?state=attention&limit=100', 100],
  ['last page', `/admin/reach?limit=100&page=${PEOPLE_COUNT / 100}`, 100],
  ['a search', '/admin/reach?limit=25&query=scriber+99', 100],
  ['a topic', '/admin/reach?limit=25&topic=TOPIC', 100],
  ['overview', '/admin/overview', 20],
  ['insights', '/admin/insights?days=90&timeZone=Asia/Kolkata', 200],
  ['insights of a topic', '/admin/insights?days=90&timeZone=Asia/Kolkata&topicId=TOPIC', 200],
] as const;

console.log(`reach: ${PEOPLE_COUNT} people with ${2 * PEOPLE_COUNT} devices, median of ${ROUNDS}`);
const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-bench-'));
const built = await buildServer();
const postgres = await startPostgres();
try {
  for (const engine of ['SQLite', 'PostgreSQL'])
    await timeReach(engine, {
      DATA_DIR: path.join(folder, engine),
      DATABASE_URL: engine === 'SQLite' ? '' : await postgres.createDatabase('reach'),
    });
} finally {
  await postgres.stop();
  await fs.rm(folder, { recursive: true, force: true });
  await fs.rm(built, { recursive: true, force: true });
}

async function timeReach(
  engine: string,
  environment: { DATA_DIR: string; DATABASE_URL: string },
): Promise<void> {
  const server = await startProcess(built, environment);
  const database = await openServerDatabase(environment);
  try {
    const call = await signIn(server.address);
    const { id } = await call('POST', '/admin/topics', { title: 'All', description: 'All' });
    await addSubscribers(database, id, PEOPLE_COUNT, 'https://push.example', FIRST_USER_ID);
    await addReach(database.run);
    await addHistory(database.run);
    const before = await memoryOf(server.pid);
    for (const [what, place, limit] of MEASURED_CALLS) {
      const times: number[] = [];
      const spent = await readProcessorTime(server.pid);
      for (let nth = 0; nth < ROUNDS; nth++) {
        const startedAt = performance.now();
        await call('GET', place.replace('TOPIC', id));
        times.push(performance.now() - startedAt);
      }
      const time = getMedian(times);
      const work = ((await readProcessorTime(server.pid)) - spent) / ROUNDS;
      const missed = time > limit ? '  MISSED' : '';
      console.log(
        `  ${what} on ${engine}: ${time.toFixed(1)} ms (limit: ${limit})${missed}; ${work.toFixed()} ms of the server's processor`,
      );
    }
    const grown = (await memoryOf(server.pid)) - before;
    console.log(`  memory on ${engine}: ${before.toFixed()} MB, and ${grown.toFixed()} MB more`);
  } finally {
    await database.close();
    await server.end('SIGTERM');
  }
}

/** A second device each, pushes in every state, and a test of each device. */
async function addReach(run: (statement: string) => Promise<void>): Promise<void> {
  const now = Date.now();
  await run(`insert into devices (user_id, token, token_hash, type, user_agent, created_at, last_seen_at, service_id)
    select user_id, token || ' ', token_hash || ' ', type, user_agent, created_at, last_seen_at, service_id from devices`);
  await run(`insert into device_reach (device_id, accepted_at, third_accepted_at, displayed_at, displayed_accepted_at, refused_at, refusals, median_delay, recent)
    select id, ${now}, ${now} - 60000, case when user_id % 7 > 1 then ${now} end, case when user_id % 7 > 1 then ${now} end,
      case when user_id % 7 = 0 then ${now} end, case when user_id % 7 = 0 then 3 else 0 end, case when user_id % 7 = 2 then 70000 else 900 end, '[]'
    from devices where user_id % 11 > 0`);
  await run(
    `insert into messages (id, kind, topic_title, text, created_at, expires_at) values ('tests', 'test', '', '', ${now}, ${now})`,
  );
  await run(`insert into tests (id, message_id, user_id, device_id, created_at, announced_at, send_at)
    select 'test ' || id, 'tests', user_id, id, ${now}, ${now}, ${now} from devices`);
}

/** A message to eight of 50 topics each day for 90 days, which is 1.8 million recipients. */
async function addHistory(run: (statement: string) => Promise<void>): Promise<void> {
  const QUARTER_HOUR_MS = 900_000;
  const newest = Math.floor(Date.now() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const delays = JSON.stringify(Array.from({ length: 40 }, (_, nth) => [100 * nth, 60]).flat());
  const numbers = (count: number) =>
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})`;
  await run(`insert into topics (title, description, created_at, updated_at)
    ${numbers(50)} select 'Line ' || i, '', 0, 0 from n`);
  for (const topicId of ['0', '(select min(id) + i % 50 from topics)'])
    await run(`insert into insight_quarters (topic_id, starts_at, noted_at, messages, recipients, displayed, read, asked, acknowledged, prompt, delays)
      ${numbers(90 * 8)} select ${topicId}, ${newest} - i * cast(${12 * QUARTER_HOUR_MS} as bigint), ${newest}, 1, 2500, 2400, 2000, 2500, 1900, 1500, '${delays}' from n`);
}

/** The memory in MB; 0 if the system does not report memory. */
async function memoryOf(pid: number | undefined): Promise<number> {
  const status = await fs.readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
