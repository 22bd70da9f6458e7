/**
 * The time from a sender's request until a phone shows the message, by browser and transport, with
 * the app closed and nothing else to do.
 * `npm run bench -- displayed --messages 30`
 */
import { strict as assert } from 'node:assert';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openServerDatabase } from '../abuse/people.mjs';
import { getQuantile } from '../abuse/process.mjs';
import { type BuildName, createBuilds } from '../e2e/parts/builds';
import { Company, PERSON_PASSWORD } from '../e2e/parts/company';
import { type CleanUp, runStory } from '../e2e/parts/harness';
import { Person } from '../e2e/parts/person';
import { type BrowserName, startTestBed } from '../e2e/parts/push/test-bed';
import { serveAppWithWorker } from '../e2e/parts/push/troubled-worker';
import { captureOutput } from '../e2e/parts/page-records';
import { eventually } from '../support/eventually';
import { noteEncryptions } from './encryption-times.mjs';
import { readOption, createReporter } from './measure';

const MESSAGE_COUNT = readOption('messages', 30);
/** The first push is not counted: a push service that never accepted a push gets one at a time. */
const WARM_UP_MESSAGES = 3;
/** Milliseconds. */
const MAX_MEDIAN_MS = 300;
const READER_NAME = 'reader';

/** Milliseconds since 1970. */
interface Times {
  sent: number;
  /** Database triggers record this time. */
  written: number;
  claimed: number;
  /** Over FCM, Google encrypts: the stand-in in this process. */
  encrypted: number;
  /** The server records this time. */
  accepted: number;
  /** The worker records this time. */
  received: number;
  shown: number;
}
const DELIVERY_PARTS = [
  'written',
  'claimed',
  'encrypted',
  'accepted',
  'received',
  'shown',
] as const;

/** The times of this process's own encryptions, for FCM. */
const encryptions: number[] = [];
noteEncryptions((time) => encryptions.push(time));

const report = createReporter();
console.log(
  `displayed: ${MESSAGE_COUNT} messages, one after the other; milliseconds since the request`,
);
await createBuilds(['web-push', 'firebase']);
for (const browserName of ['Chromium', 'Firefox'] as const)
  for (const build of ['web-push', 'firebase'] as const) {
    const measuring = { name: browserName, run: (cleanUp: CleanUp) => run(cleanUp) };
    const run = async (cleanUp: CleanUp) => print(await measure(browserName, build, cleanUp));
    console.log(` ${browserName}, ${build === 'firebase' ? 'FCM' : 'Web Push'}`);
    const fault = await captureOutput(() => runStory(measuring)).outcome;
    if (fault) throw fault.error;
  }
process.exit();

function print(timesByMessage: Times[]): void {
  for (const part of DELIVERY_PARTS) {
    const times = timesByMessage.map((one) => one[part] - one.sent);
    const [p50, p95] = [0.5, 0.95].map((share) => getQuantile(times, share).toFixed().padStart(6));
    console.log(`  ${part.padEnd(10)} p50${p50}  p95${p95}`);
  }
  const shown = timesByMessage.map((one) => one.shown - one.sent);
  report.atMost('p50 from send to shown, ms', getQuantile(shown, 0.5), MAX_MEDIAN_MS);
}

async function measure(
  browserName: BrowserName,
  build: BuildName,
  cleanUp: CleanUp,
): Promise<Times[]> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-bench-'));
  cleanUp(() => fs.rm(folder, { recursive: true, force: true }));
  const { browser, installation, tray } = await startTestBed(browserName, build, cleanUp, {
    staticFolder: serveAppWithWorker(build, noteTimes, cleanUp),
    variables: {
      DATA_DIR: folder,
      ENCRYPTION_TIMES: 'yes',
      NODE_OPTIONS: `--import ${path.resolve('test/bench/encryption-times.mjs')}`,
    },
  });
  const company = await Company.connect(installation.address);
  const topic = await company.addTopic('Line 4');
  await company.addTechnician(READER_NAME, [topic]);
  const person = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await person.signIn(READER_NAME, PERSON_PASSWORD);
  await person.allowNotifications('Enable Notifications');
  await person.closeNotice('Notifications are on for this device.');
  await person.closeApp();

  const database = await openServerDatabase({ DATA_DIR: folder, DATABASE_URL: '' });
  cleanUp(() => database.close());
  await noteWrites(database.run);
  const server: Omit<Times, 'received' | 'shown'>[] = [];
  for (let nth = -WARM_UP_MESSAGES; nth < MESSAGE_COUNT; nth += 1) {
    const sentAt = Date.now();
    const id = await company.sendMessage(topic, textOf(nth));
    await tray.waitForNotification(textOf(nth));
    const accepted = await eventually(async () => {
      const [reach] = await database.all('select accepted_at from device_reach');
      return reach?.accepted_at >= sentAt && Number(reach.accepted_at);
    }, 'the server to record the push');
    const noted: { kind: string; at: number }[] = await database.all(
      `select kind, at from bench_times where message_id = '${id}' order by at desc`,
    );
    const at = (kind: string) => Number(noted.find((one) => one.kind === kind)?.at);
    const lines = installation.output.flatMap(
      (line) => /^encrypted at (\d+)$/.exec(line)?.[1] ?? [],
    );
    const encrypted = Number(build === 'firebase' ? encryptions.at(-1) : lines.at(-1));
    server.push({
      sent: sentAt,
      written: at('written'),
      claimed: at('claimed'),
      encrypted,
      accepted,
    });
  }
  // A page of the app that runs none of its code.
  await person.open('/icon-192.png');
  const notedPaths = await person.page.evaluate(async () =>
    (await (await caches.open('times')).keys()).map(({ url }) => url),
  );
  const worker = new Map(
    notedPaths.map((url) => {
      const { searchParams } = new URL(url);
      return [searchParams.get('text'), searchParams] as const;
    }),
  );
  const timesByMessage = server.map((times, index): Times => {
    const own = worker.get(textOf(index - WARM_UP_MESSAGES));
    const [received, shown] = [Number(own?.get('received')), Number(own?.get('shown'))];
    return { ...times, received, shown };
  });
  for (const times of timesByMessage)
    assert.ok(
      Object.values(times).every((time) => time >= times.sent),
      `a part without its time: ${JSON.stringify(times)}`,
    );
  return timesByMessage.slice(WARM_UP_MESSAGES);
}

function textOf(nth: number): string {
  return `Feeder ${nth + WARM_UP_MESSAGES} tripped`;
}

/** The script runs in the worker, before the worker's own code. */
function noteTimes(): void {
  let received = 0;
  addEventListener('push', () => (received = Date.now()));
  const { prototype } = ServiceWorkerRegistration;
  const { showNotification: show } = prototype;
  prototype.showNotification = async function (title, options) {
    await show.call(this, title, options);
    const noted = new URLSearchParams({
      text: options?.body ?? '',
      received: String(received),
      shown: String(Date.now()),
    });
    // The worker may end before anyone asks.
    void caches.open('times').then((cache) => cache.put(`/times?${noted}`, new Response()));
  };
}

/** The database notes when the server writes a push and when it claims it. */
async function noteWrites(run: (statement: string) => Promise<void>): Promise<void> {
  const now = `cast((julianday('now') - 2440587.5) * 86400000 as integer)`;
  await run('create table bench_times (message_id text, kind text, at integer)');
  await run(`create trigger bench_written after insert on deliveries begin
    insert into bench_times values (new.message_id, 'written', ${now}); end`);
  await run(`create trigger bench_claimed after update of claimed_until on deliveries
    when new.claimed_until is not null begin
    insert into bench_times values (new.message_id, 'claimed', ${now}); end`);
}
