/** `npm run admin -- COMMAND`: what only somebody with access to the machine may do. */
import { runCommand } from './cli/commands';
import { loadEnvironment, readConfig } from './config/config';
import { describeStartupError } from './startup-errors';

/**
 * No command signs anything. Without a secret given, the configuration would make one, and a folder
 * for it.
 */
const UNUSED_SECRET = 'x'.repeat(32);

try {
  const environment = loadEnvironment();
  const config = readConfig({
    ...environment,
    JWT_SECRET: environment.JWT_SECRET || UNUSED_SECRET,
  });
  const { done, said } = await runCommand(process.argv.slice(2), config, (line) =>
    console.error(line),
  );
  (done ? console.log : console.error)(said);
  process.exitCode = done ? 0 : 1;
} catch (error) {
  console.error(describeStartupError(error) ?? error);
  process.exitCode = 1;
}
