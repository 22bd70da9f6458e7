import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { sql } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../../../server/db/open';
import type { DatabaseConfig, OpenDatabase } from '../../../../server/db/open';

const test = suite('a pooler in transaction mode');

/** A message of the PostgreSQL protocol (documentation, 55.7): letter, length, body. */
function message(letter: string, body: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(letter), length, Buffer.from(body, 'latin1')]);
}
const REJECTION_MESSAGE = message('E', 'SFATAL\0C08P01\0Munsupported startup parameter\0\0');
const WELCOME_MESSAGES = [message('R', '\0\0\0\0'), message('Z', 'I')];

/**
 * Like PgBouncer, rejects clients that set `statement_timeout` at startup. Records other queries
 * and answers them with no rows.
 */
async function startPooler() {
  const asked: string[] = [];
  const sockets: Socket[] = [];
  let rejectedCount = 0;
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.once('data', (startup) => {
      if (startup.includes('statement_timeout')) {
        rejectedCount += 1;
        return void socket.end(REJECTION_MESSAGE);
      }
      socket.write(Buffer.concat(WELCOME_MESSAGES));
      socket.on('data', (data) => {
        if (data[0] !== 'Q'.charCodeAt(0)) return;
        asked.push(data.toString('latin1', 5, data.length - 1));
        socket.write(Buffer.concat([message('C', 'SELECT 0\0'), message('Z', 'I')]));
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgres://somebody@127.0.0.1:${(server.address() as AddressInfo).port}/some`,
    asked,
    countRejected: () => rejectedCount,
    stop(): void {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

let pooler: Awaited<ReturnType<typeof startPooler>>;
let openedDatabase: OpenDatabase;
test.before.each(async () => {
  pooler = await startPooler();
});
test.after.each(async () => {
  await openedDatabase.close();
  pooler.stop();
});
const openPool = (limits: Partial<DatabaseConfig> = {}): void => {
  openedDatabase = openDatabase({
    dataDir: '/nowhere',
    databaseUrl: pooler.url,
    ...limits,
  });
};
const runTransaction = () =>
  openedDatabase.db.transaction().execute((transaction) => sql`select 1`.execute(transaction));

test('sets the statement limit per transaction when connections reject it', async () => {
  openPool({ statementLimit: 7000 });
  await runTransaction();
  await runTransaction();
  const transactionQueries = ['begin; set local statement_timeout = 7000', 'select 1', 'commit'];
  assert.equal(pooler.asked, [...transactionQueries, ...transactionQueries]);
  assert.is(pooler.countRejected(), 1, 'it is tried once');
});

test('detects the pooler once for several connections at once', async () => {
  openPool();
  await Promise.all(Array.from({ length: 10 }, runTransaction));
  assert.is(pooler.asked.filter((text) => /^begin; set local/.test(text)).length, 10);
});

test('locks migrations per transaction, not per session', async () => {
  openPool({ statementLimit: 0, transactionLock: 7 });
  await runTransaction();
  const begin = 'begin; select pg_advisory_xact_lock(7)';
  assert.equal(pooler.asked, [begin, 'select 1', 'commit']);
});

test.run();
