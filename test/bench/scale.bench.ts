/**
 * One message to 10,000, 100,000 and a million people: rate, memory, the longest statement, and
 * calls meanwhile; then a message with the process killed twice.
 * `npm run bench -- scale --sizes 10000,100000 --sqlite 10000 --seconds 60`
 */
import { setTimeout as wait } from 'node:timers/promises';
import { getQuantile } from '../abuse/process.mjs';
import { readOption, createReporter } from './measure';
import { type LargeServer, prepareLarge } from './large-audience';

const COMPANY_SIZES = sizesOf('sizes', [10_000, 100_000, 1_000_000]);
const SQLITE_SIZE = readOption('sqlite', 10_000);
/** The size of the message with kills. */
const KILLED_SIZE = readOption('killed', Math.min(100_000, COMPANY_SIZES.at(-1) ?? 0));
/** Ends the wait for a message early. */
const MAX_SECONDS = readOption('seconds', Infinity);
/** Megabytes, milliseconds of a statement and of a call, and the share of the first size's rate. */
const MAX_FIGURES = { memory: 170, statement: 1000, p99: 100, rate: 0.9 };
const CALLS_PER_SECOND = 20;

const report = createReporter();
console.log(`scale: one message to ${COMPANY_SIZES.join(', ')} people with a device each`);
if (SQLITE_SIZE > 0) await measureOn('SQLite', SQLITE_SIZE);
const rates: number[] = [];
for (const size of COMPANY_SIZES) rates.push(await measureOn('PostgreSQL', size));
for (const [nth, rate] of rates.entries())
  if (nth > 0)
    report.atLeast(
      `rate at ${COMPANY_SIZES[nth]} beside ${COMPANY_SIZES[0]}`,
      rate / (rates[0] ?? NaN),
      MAX_FIGURES.rate,
    );

/** @returns pushes a second */
async function measureOn(engine: 'SQLite' | 'PostgreSQL', size: number): Promise<number> {
  const large = await prepareLarge(engine, size);
  try {
    console.log(` ${engine}, ${size} people`);
    const before = await large.readTableSizes();
    const { seconds, responded, times, pages, sent } = await sendTo(large, size, () =>
      large.received(),
    );
    const rate = sent / seconds;
    console.log(
      `  ${rate.toFixed(0)} pushes/s, ${seconds.toFixed(1)} s; the sender is answered after ${responded.toFixed(0)} ms`,
    );
    report.atMost('memory, MB', await large.readPeakMemory(), MAX_FIGURES.memory);
    report.atMost(
      `${times.length} calls meanwhile: p99, ms`,
      getQuantile(times, 0.99),
      MAX_FIGURES.p99,
    );
    console.log(
      `  the message's own page meanwhile: median ${getQuantile(pages, 0.5).toFixed(0)} ms, longest ${getQuantile(pages, 1).toFixed(0)} ms`,
    );
    if (engine === 'PostgreSQL') {
      const [slowest] = await large.listSlowestStatements();
      report.atMost('longest statement, ms', slowest?.milliseconds ?? 0, MAX_FIGURES.statement);
      if (slowest) console.log(`    ${slowest.text.replace(/\s+/g, ' ').slice(0, 160)}`);
    }
    const after = await large.readTableSizes();
    const grown = [...after].map(
      ([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / size] as const,
    );
    const all = grown.reduce((sum, [, bytes]) => sum + bytes, 0);
    const parts = grown
      .filter(([, bytes]) => bytes >= 1)
      .map(([name, bytes]) => `${name} ${bytes.toFixed(0)}`);
    console.log(`  bytes on disk for each recipient: ${all.toFixed(0)} (${parts.join(', ')})`);
    if (sent < size) {
      console.log(
        `  cut off after ${sent} pushes, with ${await large.countWritten(1)} people written`,
      );
      return rate;
    }
    await large.checkComplete(1);
    if (
      size === KILLED_SIZE ||
      (size === COMPANY_SIZES.at(-1) && !COMPANY_SIZES.includes(KILLED_SIZE))
    )
      await killIn(large, size);
    return rate;
  } finally {
    await large.stop();
  }
}

/** Killed while recipients are written, and while pushes leave. */
async function killIn(large: LargeServer, size: number): Promise<void> {
  const began = await large.received();
  await large.send();
  while ((await large.countWritten(2)) === 0) await wait(20); // another process does the work
  const written = await large.countWritten(2);
  await large.kill();
  while ((await large.received()) - began < size / 2) await wait(100);
  const left = (await large.received()) - began;
  await large.kill();
  const resumedAt = performance.now();
  while (!(await large.isDone())) await wait(250);
  const repeated = (await large.received()) - began - size;
  await large.checkComplete(2);
  console.log(
    `  killed with ${written} written and with ${left} sent: no one is missed or written twice, ${repeated} pushes repeated; done ${((performance.now() - resumedAt) / 1000).toFixed(1)} s later`,
  );
}

async function sendTo(
  large: LargeServer,
  size: number,
  received: () => Promise<number>,
): Promise<{ seconds: number; responded: number; times: number[]; pages: number[]; sent: number }> {
  const before = await received();
  const startedAt = performance.now();
  await large.send();
  const responded = performance.now() - startedAt;
  const times: number[] = [];
  const pages: number[] = [];
  let isDone = false;
  const timed = async (list: number[], call: () => Promise<unknown>): Promise<void> => {
    const askedAt = performance.now();
    await call();
    list.push(performance.now() - askedAt);
  };
  const calling = (async () => {
    const under: Promise<void>[] = [];
    for (let nth = 0; !isDone; nth += 1) {
      under.push(timed(times, () => large.makeCall(nth)));
      await wait(1000 / CALLS_PER_SECOND);
    }
    await Promise.all(under);
  })();
  // Polls like the app: two seconds after the last response.
  const looking = (async () => {
    while (!isDone) {
      await timed(pages, () => large.readLatestMessage());
      for (let rest = 0; rest < 2000 && !isDone; rest += 100) await wait(100);
    }
  })();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  while ((await received()) - before < size && elapsed() < MAX_SECONDS) await wait(100); // another process does the work
  const seconds = elapsed();
  const sent = (await received()) - before;
  isDone = true;
  await Promise.all([calling, looking]);
  while (sent === size && !(await large.isDone())) await wait(100);
  return { seconds, responded, times, pages, sent };
}

function sizesOf(name: string, otherwise: number[]): number[] {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? otherwise : (process.argv[index + 1] ?? '').split(',').map(Number);
}
