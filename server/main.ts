/** `node dist/server/main.js`: reads the configuration, starts the server, stops it on a signal. */
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { FirstAdmin } from './accounts/operator';
import { markBuildInUse } from './build-in-use';
import { loadEnvironment, readConfig } from './config/config';
import { describeSettings, findMisspelled, isRejectedByApple } from './config/report';
import { describeStartupError } from './startup-errors';
import { describeError, formatLine } from './lib/log';
import { OutputError, createOutput, watchProcess } from './lib/output';
import { startServer } from './start';
import type { RunningServer } from './start';

/** The build sets this. */
declare const VERSION: string;

// A young generation of 16 MB at once: doubling from 1 MB makes collecting a burst twice as slow.
setFlagsFromString('--semi-space-growth-factor=16');
// Collect the old generation at 50 % growth; the default (4x) costs 60 MB in a send to a million.
setFlagsFromString('--heap-growing-percent=50');

const builtApp = fileURLToPath(new URL('../app', import.meta.url));

const output = createOutput(process.stdout, process.stderr);
const { log, isTerminal, print } = output;
watchProcess(output);
markBuildInUse(fileURLToPath(new URL('..', import.meta.url)));

let runningServer: RunningServer | undefined;
let isStopping = false;
const stop = (signal: NodeJS.Signals): void => {
  if (isStopping) process.exit(1);
  isStopping = true;
  log.info('stopping', { signal });
  // A start is atomic, so there is nothing to wait for before the server runs.
  Promise.resolve(runningServer?.stop()).then(
    () => {
      log.info('stopped');
      // Do not wait for open connections, such as to a mail server that does not respond.
      process.exit();
    },
    (error: unknown) => {
      log.error('stop failed', describeError(error));
      process.exit(1);
    },
  );
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);

let isGreeted = false;
function printGreeting(address: string, moreLines: string[] = []): Promise<void> {
  if (isGreeted) return Promise.resolve();
  isGreeted = true;
  return print(['', `  Fieldbell is running at ${address}`, ...moreLines, '', ''].join('\n'));
}

function showFirstAdmin({ username, password }: FirstAdmin, address: string): Promise<void> {
  if (!isTerminal)
    return print(
      `${formatLine('info', 'first administrator', { username, password, help: 'The password is now in this log. Sign in and change the password. To keep it out of the log, set ADMIN_PASSWORD_FILE before the first start.' })}\n`,
    );
  return printGreeting(address, [
    '',
    '  This is the first start. Sign in as the administrator:',
    '',
    `    Username: ${username}`,
    `    Password: ${password}`,
    '',
    '  Write the password down. It is shown only once. Only its hash is stored.',
  ]);
}

/** Logs the failure, and prints it where the log goes elsewhere but a person watches a terminal. */
function exitWithError(error: unknown): never {
  const reason = describeStartupError(error);
  if (!isTerminal)
    log.error('start failed', reason === undefined ? describeError(error) : { reason });
  if (isTerminal || process.stderr.isTTY || error instanceof OutputError)
    console.error(reason ?? error);
  process.exit(1);
}

const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  const asksForHelp = argument === '--help' || argument === '-h';
  const usage = [
    'node dist/server/main.js starts the server. It takes no arguments: its settings are',
    'environment variables (server/deploy/configure.md). node dist/server/admin.js --help lists',
    'the commands for operators.',
  ].join('\n');
  if (asksForHelp) console.log(usage);
  else console.error(`Unknown argument ${argument}.\n${usage}`);
  process.exit(asksForHelp ? 0 : 1);
}

try {
  const environment = loadEnvironment();
  const config = readConfig(environment);
  output.setLevel(config.logLevel);
  for (const [name, suggestion] of findMisspelled(environment))
    log.warn('unknown variable', { name, meant: suggestion });
  // iPhones can subscribe only over https.
  if (config.publicUrl.startsWith('https:') && isRejectedByApple(config.vapidSubject))
    log.warn('Apple rejects pushes with this contact', {
      help: 'iPhones and Safari get no notification. Set VAPID_SUBJECT to mailto: with an address that exists, or to your https URL.',
    });
  runningServer = await startServer(
    config,
    log,
    process.env.STATIC_DIR ?? builtApp,
    showFirstAdmin,
  );
  if (isTerminal) await printGreeting(runningServer.address);
  else
    log.info('started', {
      address: runningServer.address,
      version: VERSION,
      ...describeSettings(
        { ...config, publicUrl: runningServer.services.config.publicUrl },
        environment,
      ),
    });
} catch (error) {
  exitWithError(error);
}
