/** `node dist/server/main.js`: reads the configuration, starts the server, and stops it when told to. */
import { fileURLToPath } from 'node:url';
import { loadEnvironment, readConfig } from './config';
import { explain } from './explain';
import { createLog, describeError } from './log';
import { startServer } from './start';
import type { Running } from './start';

/** The build puts the app beside the server's folder. */
const builtApp = fileURLToPath(new URL('../app', import.meta.url));

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
      () => {
        log.info('stopped');
        // Whatever is still open, such as a connection to a mail server that says nothing, is not waited for.
        process.exit();
      },
      (error: unknown) => {
        log.error('stopping failed', describeError(error));
        process.exit(1);
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
