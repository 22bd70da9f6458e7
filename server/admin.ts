/** `npm run admin -- COMMAND`: what needs access to the machine. */
import { runCommand } from './cli/commands';
import { loadEnvironment, readConfig } from './config/config';
import { describeStartupError } from './startup-errors';

/** No command signs anything. Without a secret, the configuration would create one and a folder. */
const UNUSED_SECRET = 'x'.repeat(32);

try {
  const environment = loadEnvironment();
  const config = readConfig({
    ...environment,
    JWT_SECRET: environment.JWT_SECRET || UNUSED_SECRET,
  });
  const { done, output } = await runCommand(process.argv.slice(2), config, (line) =>
    console.error(line),
  );
  (done ? console.log : console.error)(output);
  process.exitCode = done ? 0 : 1;
} catch (error) {
  console.error(describeStartupError(error) ?? error);
  process.exitCode = 1;
}
