/** `npm run admin -- COMMAND`: what only somebody with access to the machine may do. */
import { runCommand } from './commands';
import { loadEnvironment, readConfig } from './config';
import { explain } from './explain';

try {
  const { done, said } = await runCommand(process.argv.slice(2), readConfig(loadEnvironment()));
  (done ? console.log : console.error)(said);
  process.exitCode = done ? 0 : 1;
} catch (error) {
  console.error(explain(error) ?? error);
  process.exitCode = 1;
}
