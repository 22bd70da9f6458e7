import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { addSubscribers, openServerDatabase } from '../../abuse/people.mjs';
import { signIn } from '../../abuse/process.mjs';
import { startPostgres } from '../../support/processes/postgres.mjs';

const MESSAGES = 5;
/** What a person has once, and what each message adds for each person. */
const ONCE = ['users', 'devices', 'subscriptions', 'inboxes', 'device_reach'];
const EACH = ['recipients', 'deliveries'];

/**
 * What a push costs on PostgreSQL, for server/README's estimate for ten million devices: bytes of
 * tables and of the log (WAL), and processor time, which a busy machine does not distort.
 */
export async function testSizes({ folder, start, sink, cleanUp, devices }) {
  const postgres = await startPostgres();
  cleanUp(() => postgres.stop());
  const url = await postgres.createDatabase('sizes');
  const server = await start({ DATA_DIR: path.join(folder, 'data'), DATABASE_URL: url });
  const call = await signIn(server.address);
  const topic = await call('POST', '/admin/topics', { title: 'Everyone', description: 'All' });
  const database = await openServerDatabase({ DATABASE_URL: url });
  cleanUp(() => database.close());
  const one = async (query) => Number((await database.all(`select ${query} as one`))[0].one);
  const log = () => one(`pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')`);
  const of = async (names) => {
    let sum = 0;
    for (const table of names) sum += await sizeOf(table, database);
    return sum;
  };
  await addSubscribers(database, topic.id, devices, sink.origin);
  const place = `/admin/notifications/send-topic/${topic.id}`;
  const send = async (number) => {
    await call('POST', place, { message: `Message ${number} of the usual length, to everybody` });
    while ((await sink.tally()).received < devices * number) await wait(50); // another process
    // Outcomes are written later.
    while ((await one(`(select count(*) from deliveries where state <> 'accepted')`)) > 0)
      await wait(50);
  };
  // Opens connections and warms caches.
  await send(1);
  const postmaster = await postmasterOf(database);
  const before = {
    tables: await of(EACH),
    log: await log(),
    server: cpuSeconds(server.pid),
    database: cpuOfAll(postmaster),
  };
  for (let number = 2; number <= MESSAGES; number += 1) await send(number);
  const pushes = devices * (MESSAGES - 1);
  const micro = (seconds) => `${((seconds / pushes) * 1e6).toFixed()} µs`;
  const bytes = (count, among = pushes) => `${(count / among).toFixed()} bytes`;
  const spent = {
    server: cpuSeconds(server.pid) - before.server,
    database: cpuOfAll(postmaster) - before.database,
  };
  const logged = (await log()) - before.log;
  const tables = (await of(EACH)) - before.tables;
  // Space that the next changes reuse does not count as the cost of a row.
  for (const table of [...ONCE, ...EACH]) await database.run(`vacuum full ${table}`);
  const net = async (table) => bytes(await sizeOf(table, database), devices * MESSAGES);
  const [ledger, outbox] = [await net('recipients'), await net('deliveries')];
  const once = bytes(await of(ONCE), devices);
  assert.equal((await server.end('SIGTERM')).code, 0);
  return `${pushes} pushes; for each: server ${micro(spent.server)} and database ${micro(spent.database)} of a processor, ${bytes(logged)} of log, ${bytes(tables)} of tables before they are swept, ${ledger} of ledger and ${outbox} of outbox after; for each person with a device once ${once}`;
}

async function sizeOf(table, database) {
  const [{ size }] = await database.all(
    `select coalesce(sum(pg_total_relation_size(relid)), 0) as size from pg_partition_tree('${table}')`,
  );
  // Some versions have no tree for a table without partitions.
  if (Number(size) > 0) return Number(size);
  const [{ bytes }] = await database.all(`select pg_total_relation_size('${table}') as bytes`);
  return Number(bytes);
}

async function postmasterOf(database) {
  const [{ pid }] = await database.all('select pg_backend_pid() as pid');
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
}

const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Seconds of a process, with its ended children where `ended`. */
function cpuSeconds(pid, ended = false) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [own, system, itsOwn, itsSystem] = fields.slice(11, 15).map(Number);
  return (own + system + (ended ? itsOwn + itsSystem : 0)) / TICKS;
}

/** All of PostgreSQL's processes, with those that ended. */
function cpuOfAll(postmaster) {
  const file = `/proc/${postmaster}/task/${postmaster}/children`;
  const children = readFileSync(file, 'utf8').trim().split(' ').filter(Boolean);
  return children.reduce((sum, pid) => sum + cpuSeconds(pid), cpuSeconds(postmaster, true));
}
