/**
 * `npm run demo`: the whole product with a sample company in it, in a folder that is removed at the
 * end.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { holdBuild } from './build-in-use';
import { loadEnvironment, readConfig } from './config/config';
import { migrate } from './db/migrate';
import { openDatabase } from './db/open';
import { DEMO_ADMIN, DEMO_PASSWORD, fillSample } from './demo/sample';
import { createOutput, watchProcess } from './lib/output';
import { startServer } from './start';

const dataDir = mkdtempSync(join(tmpdir(), 'fieldbell-demo-'));
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));

// Only where it can be reached is taken from outside: a demo must never touch a real database or
// send a real mail.
const { PORT, HOST, PUBLIC_URL } = loadEnvironment();
const config = readConfig({ PORT, HOST, PUBLIC_URL, DATA_DIR: dataDir });
await migrate(config);
const { db, close } = openDatabase(config);
await fillSample(db, Date.now());
await close();

const builtApp = fileURLToPath(new URL('../app', import.meta.url));
holdBuild(fileURLToPath(new URL('..', import.meta.url)));
const output = createOutput(process.stdout, process.stderr);
watchProcess(output);
// The sample has its administrator already.
const running = await startServer(config, output.log, process.env.STATIC_DIR ?? builtApp, () =>
  Promise.resolve(),
);
if (!output.isTerminal)
  output.log.info('demo started', {
    address: running.address,
    username: DEMO_ADMIN,
    password: DEMO_PASSWORD,
  });
else
  void output.print(
    [
      '',
      `  The Fieldbell demo is running at ${running.address}`,
      '',
      `    Username: ${DEMO_ADMIN}        (administrator)`,
      `    Password: ${DEMO_PASSWORD}`,
      '',
      `  Try a technician, too: m.okafor, or a customer: harbour-office, with the same password.`,
      '  Nothing is kept: Ctrl+C removes it all.',
      '',
      '',
    ].join('\n'),
  );

const stop = (): void => void running.stop().finally(() => process.exit());
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
