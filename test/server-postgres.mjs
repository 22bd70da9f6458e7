/**
 * The server's tests once more, on a real PostgreSQL that is started for them and removed afterwards.
 *
 *   node test/server-postgres.mjs [PART OF A PATH …]
 *
 * Ends as `npm test` does, with `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startPostgres } from './support/postgres.mjs';

const wanted = process.argv.slice(2);
const run = fileURLToPath(new URL('run.mjs', import.meta.url));
const postgres = await startPostgres();
try {
  const environment = { ...process.env, TEST_DATABASE_URL: postgres.url };
  const tests = spawn(process.execPath, [run, ...(wanted.length ? wanted : ['test/server/'])], { stdio: 'inherit', env: environment });
  const [code] = await once(tests, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await postgres.stop();
}
