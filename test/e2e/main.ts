/**
 * Tells all stories, one after the other: they share two cores, and a browser in want of time is no
 * test of ours.
 */
import { builtFolder } from './builds';
import { choose, stories as day } from './day.test';
import { stories as everyone } from './everyone.test';
import { stories as faults } from './faults.test';
import { tell, type Story } from './harness';
import { stories as headers } from './headers.test';
import { stories as kept } from './kept.test';
import { stories as lists } from './lists.test';
import { stories as deploy } from './push-deploy.test';
import { stories as device } from './push-device.test';
import { stories as messages } from './push-messages.test';
import { stories as speed } from './speed.test';
import { stories as main } from './story.test';
import { stories as styles } from './styles.test';
import { stories as walk } from './walk.test';

// What measures time comes last, when nothing else may be going on beside it any more: see .ci/run.
const files: Record<string, Story[]> = {
  story: main,
  everyone,
  walk,
  faults,
  kept,
  lists,
  styles,
  headers,
  day,
  'push-messages': messages,
  'push-device': device,
  'push-deploy': deploy,
  speed,
};

const wanted = process.argv.slice(2);
/** Takes `--NAME VALUE` out of what is wanted. */
const option = (name: string): string | undefined => {
  const at = wanted.indexOf(`--${name}`);
  return at < 0 ? undefined : wanted.splice(at, 2)[1];
};
const times = option('times') ?? '1';
choose({ actions: option('actions'), seed: option('seed') });
const chosen = Object.entries(files).flatMap(([file, stories]) =>
  stories.map((story) => ({ ...story, name: `${file}: ${story.name}` })),
);
const counts = { passed: 0, failed: 0, skipped: 0 };

// Before the clock of any story runs.
builtFolder('web-push');
builtFolder('firebase');
for (let time = 1; time <= Number(times); time++) {
  for (const story of chosen) {
    if (!wanted.every((part) => story.name.toLowerCase().includes(part.toLowerCase()))) continue;
    await runOne(story);
  }
}
const skipped = counts.skipped ? `, ${counts.skipped} skipped` : '';
console.log(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0);

/** What went wrong, and where in the story: the rest of the trace is the drivers'. */
function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const cause = fault.cause instanceof Error ? fault.cause : fault;
  const places = `${fault.stack}\n${cause.stack}`
    .split('\n')
    .filter((line) => line.includes('test/e2e/'));
  return [fault.message, ...places].join('\n');
}

async function runOne(story: Story): Promise<void> {
  if (story.skipped) {
    counts.skipped++;
    return console.log(`skipped  ${story.name}: ${story.skipped}`);
  }
  const started = performance.now();
  const fault = await tell(story);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  counts[fault ? 'failed' : 'passed']++;
  console.log(`${fault ? 'FAILED' : 'passed'}  ${story.name} (${seconds} s)`);
  if (fault) console.log(describe(fault));
}
