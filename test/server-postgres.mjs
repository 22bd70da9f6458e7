/**
 * The server's tests once more, on a real PostgreSQL that is started for them and removed
 * afterwards.
 *
 *   node test/server-postgres.mjs [--long] [--again] [--brief] [PART OF A PATH …]
 *
 * With `--brief`, for CI, what asks the database little that is its own is left out, and said.
 *
 * Ends as `npm test` does, with `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startPostgres } from './support/processes/postgres.mjs';

/** Rules of calls, connections, push services and other servers: the same code on both engines, and a third of the time. */
const LITTLE_OF_ITS_OWN = [
  'http/access.test',
  'http/connections/',
  'http/body',
  'openapi/',
  'audit/completeness',
  'delivery/https/',
  'delivery/fcm/',
  'delivery/web-push/',
  'delivery/webhook/',
  'delivery/queue/hanging',
  'webhooks/hostile',
  'accounts/company/',
  'publish/ntfy',
  'publish/recipes',
  'escalation/model',
  'server/cli/',
  'server/config/',
  'server/lib/',
  'server/start.test',
];

const brief = process.argv.includes('--brief');
const given = process.argv.slice(2).filter((part) => part !== '--brief');
const parts = given.every((part) => part.startsWith('--')) ? [...given, 'test/server/'] : given;
const wanted = brief ? [...parts, ...LITTLE_OF_ITS_OWN.map((part) => `!${part}`)] : parts;
if (brief) console.log(`Left out, to be run by hand: ${LITTLE_OF_ITS_OWN.join(', ')}`);
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
