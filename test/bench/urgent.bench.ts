/**
 * How soon an urgent message to 20 people is accepted by their push service: when nothing else is
 * sent, and while a message to a million people is written and sent.
 * `npm run bench -- urgent --people 1000000 --messages 30`
 */
import { setTimeout as wait } from 'node:timers/promises';
import { getQuantile } from '../abuse/process.mjs';
import { prepareLarge, type LargeServer } from './large-audience';
import { readOption, createReporter } from './measure';

const PEOPLE_COUNT = readOption('people', 1_000_000);
const MESSAGE_COUNT = readOption('messages', 30);
/** Milliseconds from sending to the last accepted push. */
const MAX_P95_MS = 2000;
/** Pushes of the large message received before the second half of the urgent messages starts. */
const EARLY_PUSHES = 2000;

const report = createReporter();
console.log(`urgent: ${MESSAGE_COUNT} urgent messages to 20 people beside one to ${PEOPLE_COUNT}`);
for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  const large = await prepareLarge(engine, PEOPLE_COUNT, true);
  try {
    console.log(` ${engine}`);
    // A push service that never accepted anything gets few pushes at once.
    await large.sendUrgent();
    const quiet = await sendAll(large, MESSAGE_COUNT);
    const before = await large.received();
    await large.send();
    // The first half while recipients are written too, the second while pushes leave.
    const first = await sendAll(large, Math.ceil(MESSAGE_COUNT / 2));
    while ((await large.received()) - before < EARLY_PUSHES) await wait(100); // another process does the work
    const second = await sendAll(large, Math.floor(MESSAGE_COUNT / 2));
    const sent = (await large.received()) - before;
    if (await large.isDone()) throw new Error('The large message ended before the urgent ones');
    const beside = [...first, ...second];
    console.log(`  quiet, ms: ${describe(quiet)}`);
    console.log(`  beside the large message (${sent} sent), ms: ${describe(beside)}`);
    report.atMost('p95 from send to accepted beside it, ms', getQuantile(beside, 0.95), MAX_P95_MS);
  } finally {
    await large.stop();
  }
}

async function sendAll(large: LargeServer, messages: number): Promise<number[]> {
  const times: number[] = [];
  for (let nth = 0; nth < messages; nth += 1) times.push(await large.sendUrgent());
  return times;
}

function describe(times: number[]): string {
  const [p50, p95, most] = [0.5, 0.95, 1].map((share) => getQuantile(times, share)?.toFixed());
  return `p50 ${p50}, p95 ${p95}, longest ${most}`;
}
