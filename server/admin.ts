/** `npm run admin -- COMMAND`: what needs access to the machine. */
import { helpFor, runCommand } from './cli/commands';
import { loadEnvironment, readConfig } from './config/config';
import { describeStartupError } from './startup-errors';

const commandLine = process.argv.slice(2);
const help = helpFor(commandLine);
if (help !== undefined) {
  console.log(help);
  process.exit();
}

try {
  const config = readConfig(loadEnvironment());
  const { done, output } = await runCommand(commandLine, config, (line) => console.error(line));
  (done ? console.log : console.error)(output);
  process.exitCode = done ? 0 : 1;
} catch (error) {
  console.error(describeStartupError(error) ?? error);
  process.exitCode = 1;
}
