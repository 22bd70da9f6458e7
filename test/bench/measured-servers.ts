/** A server on each engine, with the same people. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { addSubscribers, openServerDatabase } from '../abuse/people.mjs';
import {
  ABUSE_ADMIN,
  buildServer,
  LOCAL_BROWSER_SERVICE,
  signIn,
  startProcess,
} from '../abuse/process.mjs';
import { startPostgres } from '../support/processes/postgres.mjs';
import type { Certificate } from '../support/network/tls';

export type Engine = 'SQLite' | 'PostgreSQL';

interface Crowd {
  users: number;
  topics: number;
}

/** Memory in megabytes. */
interface FanOut {
  perSecond: number;
  idle: number;
  peak: number;
}

export interface MeasuredServer {
  engine: Engine;
  address: string;
  token: string;
  /** Restarts the process and sends one message to that many devices. Call it last. */
  fanOut(devices: number): Promise<FanOut>;
}

/** All users, `user 1` and so on, have the administrator's password. */
export async function prepareServers(
  crowd: Crowd,
): Promise<{ servers: MeasuredServer[]; stop(): Promise<void> }> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-bench-'));
  const sink = fork(new URL('./push-sink.mjs', import.meta.url));
  const [{ port, certificate }] = (await once(sink, 'message')) as [
    { port: number; certificate: Certificate },
  ];
  await fs.writeFile(path.join(folder, 'sink.pem'), certificate.cert);
  const built = await buildServer([LOCAL_BROWSER_SERVICE]);
  const postgres = await startPostgres();
  const ends: (() => Promise<unknown>)[] = [];

  async function prepare(engine: Engine): Promise<MeasuredServer> {
    const environment = {
      DATA_DIR: path.join(folder, engine),
      DATABASE_URL: engine === 'SQLite' ? '' : await postgres.createDatabase('bench'),
      TRUSTED_PROXIES: '127.0.0.1,::1',
      PUSH_ALLOWED_HOSTS: `localhost:${port}`,
      NODE_EXTRA_CA_CERTS: path.join(folder, 'sink.pem'),
    };
    let server = await startProcess(built, environment);
    ends.push(() => server.end('SIGTERM'));
    const { token } = await signIn(server.address);
    await fill(environment, crowd);
    return {
      engine,
      address: server.address,
      token,
      async fanOut(devices) {
        await server.end('SIGTERM');
        server = await startProcess(built, environment);
        return fanOut(server, environment, { devices, origin: `https://localhost:${port}` });
      },
    };
  }

  return {
    servers: [await prepare('SQLite'), await prepare('PostgreSQL')],
    async stop() {
      for (const end of ends) await end();
      sink.disconnect();
      await postgres.stop();
      for (const each of [folder, built]) await fs.rm(each, { recursive: true, force: true });
    },
  };
}

interface Environment {
  DATA_DIR: string;
  DATABASE_URL: string;
}

async function fill(environment: Environment, { users, topics }: Crowd): Promise<void> {
  const database = await openServerDatabase(environment);
  await database.run('begin');
  for (let index = 1; index <= users; index++) {
    const [name, email] = [`user ${index}`, `user.${index}@mail.example`];
    await database.run(
      `insert into users (username, username_key, email, email_key, password_hash, role, status, created_at)
       select ?, ?, ?, ?, password_hash, 'CUSTOMER', 'ACTIVE', 0 from users where username_key = ?`,
      [name, name, email, email, ABUSE_ADMIN.username],
    );
  }
  for (let index = 1; index <= topics; index++) {
    const values = [
      `Topic ${index}`,
      `What topic ${index} is about`,
      `topic ${index}\nwhat topic ${index} is about`,
    ];
    await database.run(
      'insert into topics (title, description, search_key, created_at, updated_at) values (?, ?, ?, 0, 0)',
      values,
    );
  }
  await database.run('commit');
  // The server does so itself after a while.
  await database.run('analyze');
  await database.close();
}

async function fanOut(
  { address, pid }: { address: string; pid: number | undefined },
  environment: Environment,
  { devices, origin }: { devices: number; origin: string },
): Promise<FanOut> {
  const call = await signIn(address);
  const { id } = await call('POST', '/admin/topics', {
    title: 'Everybody',
    description: 'All of them',
  });
  const database = await openServerDatabase(environment);
  await addSubscribers(database, id, devices, origin);
  const idle = await readMemory(pid, 'VmRSS');
  const startedAt = performance.now();
  const { messageId } = await call('POST', `/admin/notifications/send-topic/${id}`, {
    message: 'To everybody',
  });
  const accepted = async (): Promise<number> =>
    (await call('GET', `/admin/messages/${messageId}`)).accepted;
  while ((await accepted()) < devices) await wait(100); // another process does the work: there is nothing to wait on
  const perSecond = devices / ((performance.now() - startedAt) / 1000);
  const peak = await readMemory(pid, 'VmHWM');
  await database.close();
  return { perSecond, idle, peak };
}

async function readMemory(pid: number | undefined, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await fs.readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
}
