/**
 * Section B of the quality bars, as far as it needs whole processes: minutes rather than seconds, so it is not part of
 * `npm test`.
 *
 *   node test/abuse/run.mjs [NAME …]      ROUNDS=100 for the full number of kills (otherwise 20)
 *
 * Every scenario runs on SQLite and on PostgreSQL. The last line is `N passed, N failed`.
 */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import esbuild from 'esbuild';
import pg from 'pg';
import { startPostgres } from '../support/postgres.mjs';
import { startProcess } from './process.mjs';
import * as scenarios from './scenarios.mjs';
import { startSink } from './sink.mjs';

const names = ['enumeration', 'heldSockets', 'floodOfMessages', 'kills', 'stopUnderLoad', 'refusedStart'];
const wanted = process.argv.slice(2);
const rounds = Number(process.env.ROUNDS ?? 20);
let [passed, failed] = [0, 0];

// Beside node_modules, where the built server finds its packages.
await fs.mkdir('node_modules/.cache', { recursive: true });
const built = await fs.mkdtemp(path.resolve('node_modules/.cache/fieldbell-abuse-'));
// The server alone: these scenarios never open the app.
await esbuild.build({
  entryPoints: ['server/main.ts'],
  outfile: path.join(built, 'server/main.js'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  logLevel: 'error',
  define: { VERSION: '"abuse"' },
});
const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-abuse-'));
const sink = await startSink(folder);
const postgres = await startPostgres();

async function makeDatabase(engine, name) {
  if (engine === 'sqlite') return {};
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`create database ${name.toLowerCase()}`);
  await client.end();
  return { DATABASE_URL: postgres.url.replace(/\/postgres$/, `/${name.toLowerCase()}`) };
}

try {
  for (const engine of ['sqlite', 'postgres']) {
    for (const name of names.filter((each) => !wanted.length || wanted.includes(each))) {
      const environment = {
        DATA_DIR: path.join(folder, `${engine}-${name}`),
        PUSH_ALLOWED_HOSTS: sink.host,
        NODE_EXTRA_CA_CERTS: sink.certificate,
        DATABASE_URL: '',
        ...(await makeDatabase(engine, name)),
      };
      const running = [];
      const start = async (more = {}) => {
        const server = await startProcess(built, { ...environment, ...more });
        running.push(server);
        return server;
      };
      try {
        console.log(`ok     ${name} on ${engine}: ${await scenarios[name]({ start, built, environment, sink, rounds })}`);
        passed += 1;
      } catch (error) {
        console.log(`FAILED ${name} on ${engine}: ${error.message}\n${error.stack}`);
        failed += 1;
        for (const server of running) await server.end('SIGKILL');
      }
    }
  }
} finally {
  sink.stop();
  await postgres.stop();
  await fs.rm(folder, { recursive: true, force: true });
  await fs.rm(built, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
