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
const TABLES_PER_PERSON = ['users', 'devices', 'subscriptions', 'inboxes', 'device_reach'];
const TABLES_PER_MESSAGE = ['recipients', 'deliveries'];

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
  const queryNumber = async (query) =>
    Number((await database.all(`select ${query} as one`))[0].one);
  const readWalBytes = () => queryNumber(`pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')`);
  const sizeOfTables = async (names) => {
    let sum = 0;
    for (const table of names) sum += await sizeOf(table, database);
    return sum;
  };
  await addSubscribers(database, topic.id, devices, sink.origin);
  const endpoint = `/admin/notifications/send-topic/${topic.id}`;
  const send = async (number) => {
    await call('POST', endpoint, {
      message: `Message ${number} of the usual length, to everybody`,
    });
    while ((await sink.countPushes()).received < devices * number) await wait(50); // another process
    // Outcomes are written later.
    while ((await queryNumber(`(select count(*) from deliveries where state <> 'accepted')`)) > 0)
      await wait(50);
  };
  // Opens connections and warms caches.
  await send(1);
  const postmaster = await postmasterOf(database);
  const before = {
    tables: await sizeOfTables(TABLES_PER_MESSAGE),
    log: await readWalBytes(),
    server: cpuSeconds(server.pid),
    database: postgresCpuSeconds(postmaster),
  };
  for (let number = 2; number <= MESSAGES; number += 1) await send(number);
  const pushes = devices * (MESSAGES - 1);
  const perPush = (seconds) => `${((seconds / pushes) * 1e6).toFixed()} µs`;
  const formatBytes = (count, divisor = pushes) => `${(count / divisor).toFixed()} bytes`;
  const cpuTime = {
    server: cpuSeconds(server.pid) - before.server,
    database: postgresCpuSeconds(postmaster) - before.database,
  };
  const walBytes = (await readWalBytes()) - before.log;
  const tableBytes = (await sizeOfTables(TABLES_PER_MESSAGE)) - before.tables;
  // Space that the next changes reuse does not count as the cost of a row.
  for (const table of [...TABLES_PER_PERSON, ...TABLES_PER_MESSAGE])
    await database.run(`vacuum full ${table}`);
  const bytesPerRow = async (table) =>
    formatBytes(await sizeOf(table, database), devices * MESSAGES);
  const [ledgerBytes, outboxBytes] = [
    await bytesPerRow('recipients'),
    await bytesPerRow('deliveries'),
  ];
  const bytesPerPerson = formatBytes(await sizeOfTables(TABLES_PER_PERSON), devices);
  assert.equal((await server.end('SIGTERM')).code, 0);
  return `${pushes} pushes; for each: server ${perPush(cpuTime.server)} and database ${perPush(cpuTime.database)} of a processor, ${formatBytes(walBytes)} of log, ${formatBytes(tableBytes)} of tables before they are swept, ${ledgerBytes} of ledger and ${outboxBytes} of outbox after; for each person with a device once ${bytesPerPerson}`;
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

/** Seconds of a process, and of its ended children if `withChildren`. */
function cpuSeconds(pid, withChildren = false) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [userTicks, systemTicks, childrenUserTicks, childrenSystemTicks] = fields
    .slice(11, 15)
    .map(Number);
  return (
    (userTicks + systemTicks + (withChildren ? childrenUserTicks + childrenSystemTicks : 0)) / TICKS
  );
}

/** All of PostgreSQL's processes, with those that ended. */
function postgresCpuSeconds(postmaster) {
  const file = `/proc/${postmaster}/task/${postmaster}/children`;
  const children = readFileSync(file, 'utf8').trim().split(' ').filter(Boolean);
  return children.reduce((sum, pid) => sum + cpuSeconds(pid), cpuSeconds(postmaster, true));
}
