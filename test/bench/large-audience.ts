/** A server with a topic of very many people, and one of a few others, each with a device. */
import { type ChildProcess, fork } from 'node:child_process';
import { createECDH, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openServerDatabase } from '../abuse/people.mjs';
import { buildServer, LOCAL_BROWSER_SERVICE, signIn, startProcess } from '../abuse/process.mjs';
import type { Certificate } from '../support/network/tls';
import { startPostgres } from '../support/processes/postgres.mjs';

export interface LargeServer {
  /** Sends to the topic with very many subscribers. */
  send(): Promise<void>;
  /** Sends to the few. Resolves with milliseconds from sending until the last push was accepted. */
  sendUrgent(): Promise<number>;
  makeCall(nth: number): Promise<unknown>;
  /** The page of the latest message. */
  readLatestMessage(): Promise<unknown>;
  received(): Promise<number>;
  countWritten(nth: number): Promise<number>;
  isDone(): Promise<boolean>;
  /** Throws unless each person has one row of each message and got a push. */
  checkComplete(messages: number): Promise<void>;
  kill(): Promise<void>;
  /** The peak in MB since the process started. */
  readPeakMemory(): Promise<number>;
  /** Sizes of the tables that grow with a message, indexes included. */
  readTableSizes(): Promise<Map<string, number>>;
  /** Slowest first, from PostgreSQL's own figures since the server's start. */
  listSlowestStatements(): Promise<{ text: string; milliseconds: number }[]>;
  stop(): Promise<void>;
}

const FIRST_USER_ID = 1_000_000;
/** Below the many, with ids of their own. */
const FIRST_USER_ID_OF_FEW = 500_000;
const FEW_PEOPLE = 20;
const MEASURED_TABLES = ['recipients', 'deliveries', 'inboxes', 'device_reach'];
/** The settings are those of server/deploy/upgrade.md. */
const RECOMMENDED_SETTINGS = { MALLOC_ARENA_MAX: '1' };

/** @param isTimed whether the push service's times count, so that it runs as fast as the server */
export async function prepareLarge(
  engine: 'SQLite' | 'PostgreSQL',
  people: number,
  isTimed = false,
): Promise<LargeServer> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-bench-'));
  const sink = fork(new URL('./push-sink.mjs', import.meta.url));
  // The process represents other machines and must not slow the server down.
  if (!isTimed && sink.pid !== undefined)
    os.setPriority(sink.pid, os.constants.priority.PRIORITY_LOW);
  const [{ port, certificate }] = (await once(sink, 'message')) as [
    { port: number; certificate: Certificate },
  ];
  const NODE_EXTRA_CA_CERTS = path.join(folder, 'sink.pem');
  await fs.writeFile(NODE_EXTRA_CA_CERTS, certificate.cert);
  const built = await buildServer([LOCAL_BROWSER_SERVICE]);
  const postgres =
    engine === 'SQLite'
      ? undefined
      : await startPostgres(['shared_preload_libraries=pg_stat_statements']);
  const environment = {
    ...RECOMMENDED_SETTINGS,
    DATA_DIR: path.join(folder, 'data'),
    DATABASE_URL: postgres === undefined ? '' : await postgres.createDatabase('scale'),
    PUSH_ALLOWED_HOSTS: `localhost:${port}`,
    NODE_EXTRA_CA_CERTS,
  };
  let server = await startProcess(built, environment);
  let ask = await signIn(server.address);
  const addTopic = async (title: string): Promise<number> =>
    (await ask('POST', '/admin/topics', { title, description: title })).id;
  const [topicId, topicOfFew] = [await addTopic('All'), await addTopic('Few')];
  const database = await openAsBench(environment);
  // The server forgets push services without devices, and statistics start over.
  await server.end('SIGTERM');
  const origin = `https://localhost:${port}`;
  await database.run(`insert into push_services (origin) values ('${origin}')`);
  await fill(database.run, { people, first: FIRST_USER_ID, topicId, origin, path: '' });
  const few = { people: FEW_PEOPLE, first: FIRST_USER_ID_OF_FEW, topicId: topicOfFew };
  await fill(database.run, { ...few, origin, path: '/urgent' });
  // The server and PostgreSQL do so themselves after a while.
  await database.run('analyze');
  server = await startProcess(built, environment);
  ask = await signIn(server.address);
  if (postgres !== undefined) {
    await database.run('create extension pg_stat_statements');
    await database.run('select pg_stat_statements_reset()');
  }
  const secret = (await fs.readFile(path.join(environment.DATA_DIR, 'jwt-secret'), 'utf8')).trim();
  const ids: string[] = [];
  const number = async (query: string): Promise<number> =>
    Number(Object.values((await database.all(query))[0] ?? {})[0]);
  const count = async (child: ChildProcess): Promise<Counts> => {
    child.send('count');
    return ((await once(child, 'message')) as [Counts])[0];
  };
  const keyOf = (nth: number): string => {
    const id = FIRST_USER_ID + 1 + (nth % people);
    const mac = createHmac('sha256', secret).update(`device-key\0${id}\0nonce-${id}`);
    return `${id}.${mac.digest('base64url')}`;
  };
  const calls: ((nth: number) => Promise<unknown>)[] = [
    () => ask('GET', '/notifications/messages'),
    () => ask('GET', '/notifications/my-subscriptions'),
    () => ask('GET', '/admin/topics?limit=25'),
    (nth) =>
      ask('GET', `/admin/users?limit=25&query=subscriber+${FIRST_USER_ID + 1 + (nth % people)}`),
    (nth) =>
      ask(
        'POST',
        '/notifications/receipts',
        { receipts: [{ messageId: ids.at(-1), kind: 'displayed' }] },
        { Authorization: `Bearer ${keyOf(nth)}` },
      ),
  ];
  return {
    async send() {
      const { messageId } = await ask('POST', '/admin/messages', {
        topicIds: [topicId],
        message: 'Line 4 is down between Harbor and Mill Road. A crew is on its way.',
        answers: ['Got it', 'On my way'],
      });
      ids.push(messageId);
    },
    async sendUrgent() {
      const earlierCount = (await count(sink)).urgent.length;
      const startedAt = Date.now();
      await ask('POST', '/admin/messages', {
        topicIds: [topicOfFew],
        message: 'The gate at Mill Road is open. Everyone leaves the yard.',
        priority: 'urgent',
      });
      for (;;) {
        const urgentTimes = (await count(sink)).urgent.slice(earlierCount);
        if (urgentTimes.length >= FEW_PEOPLE) return Math.max(...urgentTimes) - startedAt;
        await wait(10); // another process does the work
      }
    },
    makeCall: async (nth) => calls[nth % calls.length]?.(nth),
    readLatestMessage: () => ask('GET', `/admin/messages/${ids.at(-1)}`),
    received: async () => (await count(sink)).received,
    countWritten: (nth) =>
      number(`select count(*) from recipients where message_id = '${ids[nth - 1]}'`),
    isDone: async () =>
      (await number(
        `select (select count(*) from messages where state <> 'sent') + (select count(*) from deliveries where state = 'pending')`,
      )) === 0,
    async checkComplete(messages) {
      const rows = await number('select count(*) from recipients where waiting = 0');
      const pairs = await number(
        'select count(*) from (select distinct message_id, user_id from recipients) as pairs',
      );
      const pushes = await number(`select count(*) from deliveries where state = 'accepted'`);
      const { devices } = await count(sink);
      const found = [rows, pairs, pushes, devices * messages].join(', ');
      const wanted = messages * people;
      if (found !== [wanted, wanted, wanted, wanted].join(', '))
        throw new Error(`Of ${wanted} there are ${found}`);
    },
    async kill() {
      await server.end('SIGKILL');
      server = await startProcess(built, environment);
      ask = await signIn(server.address);
    },
    async readPeakMemory() {
      const status = await fs.readFile(`/proc/${server.pid}/status`, 'utf8');
      return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
    async readTableSizes() {
      if (engine === 'SQLite')
        return new Map([
          ['file', (await number('pragma page_count')) * (await number('pragma page_size'))],
        ]);
      const sizes = new Map<string, number>();
      for (const table of MEASURED_TABLES)
        sizes.set(table, await number(`select pg_total_relation_size('${table}')`));
      return sizes;
    },
    async listSlowestStatements() {
      const rows = await database.all(
        `select query, max_exec_time from pg_stat_statements where userid = 'postgres'::regrole
          order by max_exec_time desc limit 5`,
      );
      return rows.map(({ query, max_exec_time }: { query: string; max_exec_time: number }) => ({
        text: query,
        milliseconds: max_exec_time,
      }));
    },
    async stop() {
      await database.close();
      await server.end('SIGTERM');
      sink.disconnect();
      await postgres?.stop();
      for (const temporaryFolder of [folder, built])
        await fs.rm(temporaryFolder, { recursive: true, force: true });
    },
  };
}

/** What the sink counts. */
interface Counts {
  received: number;
  devices: number;
  /** When each push to the few came. Milliseconds since 1970. */
  urgent: number[];
}

/** Connects with a separate role, so that PostgreSQL's figures include only the server's work. */
async function openAsBench(environment: { DATA_DIR: string; DATABASE_URL: string }) {
  const first = await openServerDatabase(environment);
  if (environment.DATABASE_URL === '') return first;
  await first.run('create role bench superuser login');
  await first.close();
  const DATABASE_URL = environment.DATABASE_URL.replace('postgres@', 'bench@');
  return openServerDatabase({ ...environment, DATABASE_URL });
}

/** The database creates the rows itself: rows from this process would take minutes. */
async function fill(
  run: (statement: string) => Promise<void>,
  {
    people,
    first,
    topicId,
    origin,
    path: place,
  }: { people: number; first: number; topicId: number; origin: string; path: string },
): Promise<void> {
  const series = `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${people}) select ${first} + i as id from n) as n`;
  const keys = JSON.stringify({
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: randomBytes(16).toString('base64url'),
  });
  await run(`insert into users (id, username, username_key, role, status, created_at)
    select id, 'subscriber ' || id, 'subscriber ' || id, 'TECHNICIAN', 'ACTIVE', 0 from ${series}`);
  await run(
    `insert into subscriptions (user_id, topic_id, created_at) select id, ${topicId}, 0 from ${series}`,
  );
  await run(`insert into devices (id, user_id, token, token_hash, type, user_agent, created_at, last_seen_at, service_id, key_nonce)
    select id, id, '{"endpoint":"${origin}${place}/' || id || '","expirationTime":null,"keys":${keys}}', 'hash ' || id, 'web', '', 0, 0,
      (select id from push_services where origin = '${origin}'), 'nonce-' || id from ${series}`);
}
