/** `npm run demo`: the whole product with a sample company. Keeps nothing. */
import { fileURLToPath } from 'node:url';
import { markBuildInUse } from './build-in-use';
import { loadEnvironment } from './config/config';
import { startDemo, type Demo } from './demo/run';
import { DEMO_ADMIN, DEMO_PASSWORD } from './demo/sample';
import { createOutput, watchProcess } from './lib/output';

const builtApp = fileURLToPath(new URL('../app', import.meta.url));
markBuildInUse(fileURLToPath(new URL('..', import.meta.url)));
const output = createOutput(process.stdout, process.stderr);
watchProcess(output);

let demo: Demo | undefined;
const stop = (): void => void Promise.resolve(demo?.stop()).finally(() => process.exit());
process.once('SIGINT', stop);
process.once('SIGTERM', stop);

demo = await startDemo(loadEnvironment(), output.log, process.env.STATIC_DIR ?? builtApp);
const { address } = demo;
if (!output.isTerminal)
  output.log.info('demo started', { address, username: DEMO_ADMIN, password: DEMO_PASSWORD });
else
  void output.print(
    [
      '',
      `  The Fieldbell demo is running at ${address}`,
      '',
      `    Username: ${DEMO_ADMIN}        (administrator)`,
      `    Password: ${DEMO_PASSWORD}`,
      '',
      '  You can also sign in as m.okafor (technician), l.silva (may send to two topics)\n  or harbor-office (customer). The password is the same.',
      '  Send a message: simulated phones display, read and answer it within seconds.',
      '',
      '  Some things fail on purpose. The webhook /control-room responds with 500. Emails are not sent.',
      '  Some phones have problems, such as b.oduya (silent), h.yilmaz (late) and r.singh (rejected).',
      '',
      '  Press Ctrl+C to stop. All data is removed.',
      '',
      '',
    ].join('\n'),
  );
