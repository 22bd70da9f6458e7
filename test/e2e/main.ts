/**
 * Runs all stories. Those that measure come last and alone, as load would distort them. `--brief`,
 * for CI, checks less on each screen and runs some stories in one browser. Once the file of
 * `--more-after` exists, one more story runs at once.
 */
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { sumResults, repeatFailedFiles, type Result } from '../support/second-attempt.mjs';
import { createBuilds, type BuildName } from './parts/builds';
import { accountStories } from './stories/app/account.test';
import { auditStories } from './stories/app/audit.test';
import { deviceTestStories } from './stories/app/device-test.test';
import { checkInStories } from './stories/push/check-in.test';
import { deviceTestFaultStories } from './stories/app/device-test-faults.test';
import { correctionStories } from './stories/push/corrections.test';
import { chooseActions, simulatedDayStories } from './stories/app-wide/simulated-day.test';
import { docsStories } from './stories/app-wide/docs.test';
import { escalationStories } from './stories/push/escalation.test';
import { everyScreenInFirefoxStories } from './stories/app-wide/every-screen-firefox.test';
import { faultStories } from './stories/app/faults.test';
import { runStory, type Story } from './parts/harness';
import { headerStories } from './stories/app-wide/headers.test';
import { importStories } from './stories/app/import.test';
import { keyboardStories } from './stories/app-wide/keyboard.test';
import { isBrief, setBrief } from './tour/inspections';
import { storageStories } from './stories/app/storage.test';
import { languageStories } from './stories/app/languages.test';
import { listStories } from './stories/app/lists.test';
import { bulkActionStories } from './stories/app/bulk.test';
import { networkCutStories } from './stories/push/network-cut.test';
import { pushAnswerStories } from './stories/push/push-answers.test';
import { deployStories } from './stories/push/push-deploy.test';
import { deviceStories } from './stories/push/push-device.test';
import { inboxStories } from './stories/push/push-inbox.test';
import { pushMessageStories } from './stories/push/push-messages.test';
import { heartbeatStories } from './stories/push/heartbeat.test';
import { publishStories } from './stories/push/publish.test';
import { quietHoursStories } from './stories/push/quiet-hours.test';
import { reachStories } from './stories/app/reach.test';
import { senderStories } from './stories/app/senders.test';
import { signInStories } from './stories/app/sign-in.test';
import { speedStories } from './stories/app-wide/speed.test';
import { firstNotificationStories } from './stories/app/first-notification.test';
import { styleStories } from './stories/app-wide/styles.test';
import { everyScreenStories } from './stories/app-wide/every-screen.test';
import { captureOutput } from './parts/page-records';

const files: Record<string, Story[]> = {
  'first-notification': firstNotificationStories,
  'every-screen': everyScreenStories,
  'every-screen-firefox': everyScreenInFirefoxStories,
  keyboard: keyboardStories,
  faults: faultStories,
  storage: storageStories,
  languages: languageStories,
  lists: listStories,
  bulk: bulkActionStories,
  senders: senderStories,
  styles: styleStories,
  headers: headerStories,
  docs: docsStories,
  audit: auditStories,
  'simulated-day': simulatedDayStories,
  'device-test': deviceTestStories,
  'device-test-faults': deviceTestFaultStories,
  'check-in': checkInStories,
  reach: reachStories,
  'sign-in': signInStories,
  escalation: escalationStories,
  corrections: correctionStories,
  heartbeat: heartbeatStories,
  publish: publishStories,
  import: importStories,
  'quiet-hours': quietHoursStories,
  account: accountStories,
  'network-cut': networkCutStories,
  'push-answers': pushAnswerStories,
  'push-inbox': inboxStories,
  'push-messages': pushMessageStories,
  'push-device': deviceStories,
  'push-deploy': deployStories,
  speed: speedStories,
};

const NEEDED_BUILDS: [BuildName, RegExp][] = [
  ['web-push', /./],
  ['firebase', /^(first-notification|headers|push-\w+):/],
  ['firebase-next', /^push-deploy:/],
  ['company', /^sign-in:/],
];

const cliArguments = process.argv.slice(2);
const takeFlag = (name: string): boolean => {
  const position = cliArguments.indexOf(`--${name}`);
  return position >= 0 && Boolean(cliArguments.splice(position, 1));
};
const takeOption = (name: string): string | undefined => {
  const position = cliArguments.indexOf(`--${name}`);
  return position < 0 ? undefined : cliArguments.splice(position, 2)[1];
};
const [runFailedAgain, measured, unmeasured] = [
  takeFlag('again'),
  takeFlag('measured'),
  takeFlag('unmeasured'),
];
setBrief(takeFlag('brief'));
/** Push stories cover what differs between the browsers here. */
const CHROMIUM_ONLY_STORIES =
  /^(check-in|corrections|escalation|quiet-hours|publish|bulk|sign-in|account|device-test|device-test-faults|every-screen-firefox|heartbeat|keyboard|reach|senders): .*\bin Firefox\b/;
function skipReason(name: string): string | undefined {
  if (CHROMIUM_ONLY_STORIES.test(name)) return 'with --brief it runs in Chromium alone';
  if (/^network-cut: .*SQLite/.test(name)) return 'with --brief it runs on PostgreSQL alone';
  if (/^languages: invites in (German\b.*Firefox|Arabic\b.*Chromium)$/.test(name))
    return 'with --brief each language is invited in one browser';
  if (name.startsWith('styles:')) return 'with --brief no story asks what every style is for';
  return undefined;
}
const repetitions = Number(takeOption('times') ?? '1');
const atOnce = Number(takeOption('at-once') ?? '1');
const moreAfter = takeOption('more-after');
chooseActions({ actions: takeOption('actions'), seed: takeOption('seed') });
const chosen = Object.entries(files)
  .flatMap(([file, stories]) =>
    stories.map((story) => ({ ...story, name: `${file}: ${story.name}` })),
  )
  .map((story) => {
    const skipped = isBrief() ? skipReason(story.name) : undefined;
    return skipped ? { ...story, skipped } : story;
  })
  .filter(({ name }) =>
    cliArguments.every((part) => name.toLowerCase().includes(part.toLowerCase())),
  )
  .filter((story) => (story.measures ? !unmeasured : !measured));
const isBuildNeeded = ([, storyPattern]: (typeof NEEDED_BUILDS)[number]) =>
  chosen.some(({ name }) => storyPattern.test(name));

// Before any story's time starts.
await createBuilds(NEEDED_BUILDS.filter(isBuildNeeded).map(([name]) => name));
// What a story started and left behind must not end the other stories.
const strays: unknown[] = [];
for (const event of ['unhandledRejection', 'uncaughtException'])
  process.on(event, (fault: unknown) => strays.push(fault));
const firstResults: Result[] = [];
for (let repetition = 1; repetition <= repetitions; repetition++) {
  // The longest first, so that no processor waits for one at the end.
  const waiting = chosen
    .filter((story) => !story.measures)
    .sort((one, other) => (other.limit ?? 0) - (one.limit ?? 0));
  const runNext = async () => {
    for (let story = waiting.shift(); story; story = waiting.shift())
      firstResults.push(await runOne(story));
  };
  const runMore = async (markFile: string) => {
    while (waiting.length > 0 && !existsSync(markFile)) await wait(1000); // another process creates the file
    await runNext();
  };
  await Promise.all([
    ...Array.from({ length: atOnce }, runNext),
    ...(moreAfter === undefined ? [] : [runMore(moreAfter)]),
  ]);
  for (const story of chosen.filter(({ measures }) => measures))
    firstResults.push(await runOne(story));
}
const { results, lines } = runFailedAgain
  ? await repeatFailedFiles(firstResults, (name) =>
      runOne(chosen.find((story) => story.name === name)!),
    )
  : { results: firstResults, lines: [] };
for (const stray of strays) console.log(`FAILED outside every story: ${describe(stray)}`);
// A failed story may leave something behind. Without a failed story, this is a separate fault.
const isStray = strays.length > 0 && sumResults(firstResults).failed === 0;
const { passed, skipped, failed: failedStories } = sumResults(results);
const failed = failedStories + (isStray ? 1 : 0);
if (lines.length) console.log(`\n${lines.join('\n')}`);
console.log(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);

/** The fault and its lines in our stories; the drivers' lines of the trace are dropped. */
function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const cause = fault.cause instanceof Error ? fault.cause : fault;
  const places = `${fault.stack}\n${cause.stack}`
    .split('\n')
    .filter((line) => line.includes('test/e2e/'));
  return [fault.message, ...places].join('\n');
}

async function runOne(story: Story): Promise<Result> {
  const result = { file: story.name, passed: 0, failed: 0, skipped: 0, failures: [] };
  if (story.skipped) {
    console.log(`skipped  ${story.name}: ${story.skipped}`);
    return { ...result, skipped: 1 };
  }
  const startedAt = performance.now();
  const { outcome, lines: printedLines } = captureOutput(() => runStory(story));
  const fault = await outcome;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${fault ? 'FAILED' : 'passed'}  ${story.name} (${seconds} s)`);
  for (const line of printedLines) console.log(line);
  if (!fault) return { ...result, passed: 1 };
  console.log(`${describe(fault.error)}\n${fault.seen}`);
  const reason = String(fault.error instanceof Error ? fault.error.message : fault.error);
  const failure = { file: story.name, reason: reason.split('\n')[0]! };
  return { ...result, failed: 1, failures: [failure] };
}
