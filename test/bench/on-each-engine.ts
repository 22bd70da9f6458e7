/** A server on each engine, with people subscribed to one topic and a push service that accepts. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { addSubscribers, createKeys, openServerDatabase } from '../abuse/people.mjs';
import { buildServer, signIn, startProcess } from '../abuse/process.mjs';
import { startPostgres } from '../support/processes/postgres.mjs';
import type { Certificate } from '../support/network/tls';

/** The id of the first person. */
export const FIRST_PERSON_ID = 1_000_000;
/** A query of how many pushes wait. */
export const COUNT_PENDING = "select count(*) as n from deliveries where state = 'pending'";

export interface EngineSetUp {
  engine: string;
  server: Awaited<ReturnType<typeof startProcess>>;
  database: Awaited<ReturnType<typeof openServerDatabase>>;
  /** Calls the server as the first administrator. */
  call: Awaited<ReturnType<typeof signIn>>;
  /** The keys of the people's devices. */
  keys: Awaited<ReturnType<typeof createKeys>>;
  /** @param query of a number `n` */
  count(query: string): Promise<number>;
}

/**
 * Calls `time` once for each engine.
 * @param name of PostgreSQL's database
 */
export async function onEachEngine(
  name: string,
  people: number,
  time: (work: EngineSetUp) => Promise<void>,
): Promise<void> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-bench-'));
  const built = await buildServer();
  const sink = fork(new URL('./push-sink.mjs', import.meta.url));
  const [{ port, certificate }] = (await once(sink, 'message')) as [
    { port: number; certificate: Certificate },
  ];
  const NODE_EXTRA_CA_CERTS = path.join(folder, 'sink.pem');
  await fs.writeFile(NODE_EXTRA_CA_CERTS, certificate.cert);
  const postgres = await startPostgres();
  try {
    for (const engine of ['SQLite', 'PostgreSQL']) {
      const environment = {
        DATA_DIR: path.join(folder, engine),
        DATABASE_URL: engine === 'SQLite' ? '' : await postgres.createDatabase(name),
        PUSH_ALLOWED_HOSTS: `localhost:${port}`,
        NODE_EXTRA_CA_CERTS,
      };
      const server = await startProcess(built, environment);
      const database = await openServerDatabase(environment);
      try {
        const call = await signIn(server.address);
        const { id } = await call('POST', '/admin/topics', { title: 'All', description: 'All' });
        await addSubscribers(database, id, people, `https://localhost:${port}`, FIRST_PERSON_ID);
        const keys = await createKeys(database, environment);
        const count = async (query: string) => Number((await database.all(query))[0].n);
        // A push service that never accepted anything gets few pushes at once.
        await call('POST', '/admin/messages', { topicIds: [id], message: 'Good morning' });
        while ((await count(COUNT_PENDING)) > 0) await wait(50); // another process does the work
        await time({ engine, server, database, call, keys, count });
      } finally {
        await database.close();
        await server.end('SIGTERM');
      }
    }
  } finally {
    sink.disconnect();
    await postgres.stop();
    await fs.rm(folder, { recursive: true, force: true });
    await fs.rm(built, { recursive: true, force: true });
  }
}
