/** `node dist/server/main.js`: reads the configuration, starts the server, and stops it when told to. */
import { fileURLToPath } from 'node:url';
import { ConfigError, loadEnvironment, readConfig } from './config';
import { databaseFault } from './db/errors';
import { createLog, describeError } from './log';
import { startServer } from './start';
import type { Running } from './start';

/** The build puts the app beside the server's folder. */
const builtApp = fileURLToPath(new URL('../app', import.meta.url));

/** What the person who started it can do about it, or undefined if that is nothing. */
function explain(error: unknown): string | undefined {
  if (error instanceof ConfigError) return error.message;
  if (databaseFault(error) === 'unavailable') return 'The database cannot be used. Check DATABASE_URL, or DATA_DIR and the space left there.';
  if (!(error instanceof Error && 'code' in error)) return undefined;
  if (error.code === 'EADDRINUSE') return 'The port is already in use. Set PORT to another one.';
  if (error.code === 'EACCES' || error.code === 'EROFS') return `No permission: ${error.message}. Check DATA_DIR and PORT.`;
  return undefined;
}

function greet({ address, firstAdmin }: Running): void {
  const lines = ['', `  Fieldbell is running at ${address}`];
  if (firstAdmin?.password !== undefined) {
    lines.push('', '  This is its first start. Sign in as the administrator:', '', `    Username: ${firstAdmin.username}`, `    Password: ${firstAdmin.password}`, '');
    lines.push('  Write it down: it is shown this once, and only its hash is kept.');
  }
  console.log([...lines, ''].join('\n'));
}

const log = createLog(console.log);
try {
  const config = readConfig(loadEnvironment());
  const running = await startServer(config, log, process.env.STATIC_DIR ?? builtApp);
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    // The second time somebody does not want to wait.
    if (stopping) process.exit(1);
    stopping = true;
    log.info('stopping', { signal });
    running.stop().then(
      () => log.info('stopped'),
      (error: unknown) => {
        log.error('stopping failed', describeError(error));
        process.exitCode = 1;
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  greet(running);
} catch (error) {
  console.error(explain(error) ?? error);
  process.exitCode = 1;
}
