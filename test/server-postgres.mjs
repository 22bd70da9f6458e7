/**
 * The server's tests once more, on a real PostgreSQL that is started for them and removed
 * afterwards.
 *
 *   node test/server-postgres.mjs [--long] [--again] [PART OF A PATH …]
 *
 * Ends as `npm test` does, with `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startPostgres } from './support/server/postgres.mjs';

const given = process.argv.slice(2);
const wanted = given.every((part) => part.startsWith('--')) ? [...given, 'test/server/'] : given;
const run = fileURLToPath(new URL('run.mjs', import.meta.url));
const postgres = await startPostgres();
try {
  const environment = { ...process.env, TEST_DATABASE_URL: postgres.url };
  const tests = spawn(process.execPath, [run, ...wanted], {
    stdio: 'inherit',
    env: environment,
  });
  const [code] = await once(tests, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await postgres.stop();
}
