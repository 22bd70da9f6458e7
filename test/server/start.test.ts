import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FirstAdmin } from '../../server/accounts/operator';
import { readConfig } from '../../server/config/config';
import { openDatabase } from '../../server/db/open';
import { describeStartupError } from '../../server/startup-errors';
import { createLog } from '../../server/lib/log';
import { startServer } from '../../server/start';
import type { RunningServer } from '../../server/start';
import { createEmptyDatabase, onPostgres } from '../support/database/database';
import type { TestDatabase } from '../support/database/database';
import { shortPause } from '../support/eventually';

const test = suite('starting the server');
let database: TestDatabase;
let app: string;
let lines: string[];
let shown: FirstAdmin[];
test.before.each(async () => {
  database = await createEmptyDatabase();
  app = mkdtempSync(join(tmpdir(), 'fieldbell-app-'));
  [lines, shown] = [[], []];
});
test.after.each(async () => {
  rmSync(app, { recursive: true });
  await database.drop();
});

type Show = (admin: FirstAdmin, address: string) => Promise<void>;
const show: Show = async (admin) => void shown.push(admin);
const createConfig = (environment: Record<string, string> = {}) =>
  readConfig({
    PORT: '0',
    DATA_DIR: database.config.dataDir,
    DATABASE_URL: database.config.databaseUrl,
    ...environment,
  });
const startWith = (
  environment: Record<string, string> = {},
  how: Show = show,
  maxWait?: number,
): Promise<RunningServer> =>
  startServer(
    createConfig(environment),
    createLog((line) => lines.push(line)),
    app,
    how,
    maxWait,
  );

const errorOf = (starting: Promise<RunningServer>): Promise<unknown> =>
  starting.then(
    async (running) => {
      await running.stop();
      return undefined;
    },
    (error: unknown) => error,
  );

async function listUsers(): Promise<string[]> {
  const { db, close } = openDatabase(database.config);
  const users = await db.selectFrom('users').select('username').execute();
  await close();
  return users.map(({ username }) => username);
}

const signIn = async (address: string, { username, password }: FirstAdmin): Promise<number> => {
  const headers = { 'Content-Type': 'application/json' };
  const { status } = await fetch(`${address}/api/auth/login`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ username, password }),
  });
  return status;
};

async function listenTo(server: Server): Promise<number> {
  server.listen(0);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test("shows the first administrator's working password once", async () => {
  const firstServer = await startWith();
  assert.is(shown.length, 1);
  assert.is(await signIn(firstServer.address, shown[0] as FirstAdmin), 200);
  await firstServer.stop();
  const secondServer = await startWith();
  assert.is(shown.length, 1);
  await secondServer.stop();
});

test('lets early requests wait for the database, but not for ever', async () => {
  let pendingResponse: Promise<Response> | undefined;
  const patient: Show = async (_admin, address) => {
    pendingResponse = fetch(`${address}/api/health`);
    await shortPause(); // it comes while the database is prepared
  };
  const running = await startWith({}, patient, 60_000);
  assert.is((await pendingResponse)?.status, 200);
  await running.stop();
  await database.drop();
  database = await createEmptyDatabase();
  const waiting: Show = async (_admin, address) => {
    assert.is((await fetch(`${address}/api/health`)).status, 503);
  };
  await (await startWith({}, waiting, 20)).stop();
});

test('creates no administrator when the port is taken, and shows the password next time', async () => {
  const other = createServer();
  const port = await listenTo(other);
  const error = await errorOf(startWith({ PORT: String(port) }));
  assert.match(describeStartupError(error) ?? '', /^The port is already in use/);
  assert.equal(shown, []);
  const folder = join(app, 'data');
  await errorOf(startWith({ PORT: String(port), DATA_DIR: folder }));
  assert.not(existsSync(folder));
  other.close();
  const running = await startWith();
  assert.is(await signIn(running.address, shown[0] as FirstAdmin), 200);
  await running.stop();
});

test('logs once that it waits for the database, and stops on hopeless errors', async () => {
  let requestCount = 0;
  const rejection = Buffer.from('SFATAL\0C28P01\0Mno such password\0\0');
  const postgres = createServer((socket) => {
    requestCount += 1;
    socket.on('error', () => undefined);
    if (requestCount < 3) return void socket.destroy();
    socket.once('data', () => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(4 + rejection.length);
      socket.end(Buffer.concat([Buffer.from('E'), length, rejection]));
    });
  });
  const port = await listenTo(postgres);
  const error = await errorOf(
    startWith({ DATABASE_URL: `postgres://bell:x@127.0.0.1:${port}/bell` }),
  );
  postgres.close();
  assert.is(
    describeStartupError(error),
    'PostgreSQL rejects the connection: no such password. Check DATABASE_URL.',
  );
  assert.is(requestCount, 3);
  assert.is(lines.filter((line) => line.includes('"waiting for the database"')).length, 1);
});

test('shows the password before the account exists', async () => {
  let users: string[] | undefined;
  const running = await startWith({}, async () => {
    // On its own connection, as the next start would see it if this process died now.
    users = await listUsers();
  });
  assert.equal(users, []);
  await running.stop();
});

test('shows one password when two processes start at once', async () => {
  const servers = await Promise.all([startWith(), startWith()]);
  assert.is(shown.length, 1);
  for (const { address } of servers) assert.is(await signIn(address, shown[0] as FirstAdmin), 200);
  for (const running of servers) await running.stop();
});

test('shows no password that was chosen', async () => {
  const running = await startWith({ ADMIN_PASSWORD: 'a chosen password' });
  assert.equal(shown, []);
  assert.is(
    await signIn(running.address, { username: 'admin', password: 'a chosen password' }),
    200,
  );
  await running.stop();
});

test('rejects another JWT_SECRET until the operator allows it', async () => {
  const running = await startWith({ JWT_SECRET: 'the first secret of thirty-two bytes' });
  const other = { JWT_SECRET: 'another secret of thirty-two bytes' };
  const error = await errorOf(startWith(other));
  assert.match(describeStartupError(error) ?? '', /^JWT_SECRET differs from .*new-secret/);
  assert.not.match(describeStartupError(error) ?? '', /of thirty-two bytes/);
  await running.stop();
  assert.match(
    describeStartupError(await errorOf(startWith(other))) ?? '',
    /^JWT_SECRET differs/,
    'nor alone',
  );
  const { runCommand } = await import('../../server/cli/commands');
  assert.ok((await runCommand(['new-secret'], createConfig())).done);
  await (await startWith(other)).stop();
  assert.match(
    describeStartupError(
      await errorOf(startWith({ JWT_SECRET: 'the first secret of thirty-two bytes' })),
    ) ?? '',
    /^JWT_SECRET differs/,
  );
});

test('listens on one address only if configured', async () => {
  const running = await startWith({ HOST: '127.0.0.1' });
  const port = Number(new URL(running.address).port);
  assert.is(new URL(running.address).hostname, '127.0.0.1');
  assert.is((await fetch(`${running.address}/api/health`)).status, 200);
  const elsewhere = connect(port, '127.0.0.2');
  const [error] = (await once(elsewhere, 'error')) as [NodeJS.ErrnoException];
  assert.is(error.code, 'ECONNREFUSED');
  await running.stop();
  assert.match(
    describeStartupError(await errorOf(startWith({ HOST: '192.0.2.1' }))) ?? '',
    /^HOST must be an address of this machine/,
  );
});

if (!onPostgres)
  test('says of a damaged database file what to do', async () => {
    const folder = join(app, 'damaged');
    mkdirSync(folder);
    writeFileSync(join(folder, 'fieldbell.db'), 'no database '.repeat(1000));
    assert.match(
      describeStartupError(await errorOf(startWith({ DATA_DIR: folder }))) ?? '',
      /damaged.*restore a backup/,
    );
  });

if (onPostgres) {
  /** Forwards connections to the test's PostgreSQL from a port that had no listener. */
  function openRelay(port: number): { close(): void } {
    const target = new URL(database.config.databaseUrl ?? '');
    const sockets: Socket[] = [];
    const server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      for (const socket of [client, upstream]) sockets.push(socket.on('error', () => undefined));
      client.pipe(upstream).pipe(client);
    }).listen(port, '127.0.0.1');
    return {
      close() {
        server.close();
        for (const socket of sockets) socket.destroy();
      },
    };
  }

  test('reports in health that PostgreSQL is not up yet, and starts once it is', async () => {
    const probe = createServer();
    const port = await listenTo(probe);
    probe.close();
    const url = new URL(database.config.databaseUrl ?? '');
    url.port = String(port);
    const starting = startWith({ DATABASE_URL: url.href });
    const logged = (event: string) =>
      lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .find((line) => line.event === event);
    while (logged('waiting for the database') === undefined)
      await new Promise((resolve) => setImmediate(resolve));
    assert.is(logged('waiting for the database')?.code, 'ECONNREFUSED');
    const address = `http://localhost:${String(logged('listening')?.port)}`;
    const health = await fetch(`${address}/api/health`);
    assert.is(health.status, 503);
    assert.is(((await health.json()) as { status: string }).status, 'waiting for the database');
    const call = await fetch(`${address}/notifications/subscriptions`);
    assert.equal(
      [call.status, call.headers.get('retry-after'), call.headers.get('cache-control')],
      [503, '5', 'no-store'],
    );
    const relay = openRelay(port);
    const running = await starting;
    assert.is(running.address, address);
    assert.is((await fetch(`${address}/api/health`)).status, 200);
    assert.is(await signIn(address, shown[0] as FirstAdmin), 200);
    await running.stop();
    relay.close();
  });

  test("stops at once for an unknown database, in PostgreSQL's words", async () => {
    const url = new URL(database.config.databaseUrl ?? '');
    url.pathname = '/no_such_database';
    assert.is(
      describeStartupError(await errorOf(startWith({ DATABASE_URL: url.href }))),
      'PostgreSQL rejects the connection: database "no_such_database" does not exist. Check DATABASE_URL.',
    );
  });
}

test.run();
