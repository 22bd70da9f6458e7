/**
 * An inbox of 200 messages and one of 20, in Chromium at a sixth of its speed, and the server's
 * time for the reach of a message to 10,000 people.
 * `npm run bench -- messages --rounds 5`
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'puppeteer-core';
import { addPeople, openServerDatabase } from '../abuse/people.mjs';
import { buildServer, signIn, startProcess } from '../abuse/process.mjs';
import { Company, PERSON_PASSWORD } from '../e2e/parts/company';
import { launchChromium } from '../support/browsers/chromium';
import { startInstallation } from '../support/processes/installation';
import { startPostgres } from '../support/processes/postgres.mjs';
import { getMedian, readOption } from './measure';

const ROUNDS = readOption('rounds', 5);
const PEOPLE_COUNT = readOption('people', 10_000);
const CPU_SLOWDOWN = 6;
const INBOX_SIZES = { few: 20, many: 200 };
/** How many times the work ten times the messages may cost, start included. */
const MAX_TIME_RATIO = 3;
/** Milliseconds; the app asks every two seconds. */
const MAX_TALLY_MS = 50;

console.log(`messages: median of ${ROUNDS}`);
await compareInboxes();
await timeTallies();

async function compareInboxes(): Promise<void> {
  // Below node_modules, where the server finds its packages.
  const built = path.resolve(`node_modules/.cache/bench-messages-${process.pid}`);
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs', '--out', built], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr.slice(-2000));
  const server = await startInstallation({ built });
  const browser = await launchChromium();
  try {
    const company = await Company.connect(server.address);
    const open = {
      few: await fillInbox(browser, server.address, company, INBOX_SIZES.few),
      many: await fillInbox(browser, server.address, company, INBOX_SIZES.many),
    };
    const times: Record<keyof typeof open, number[]> = { few: [], many: [] };
    for (let round = 1; round <= ROUNDS; round++)
      for (const which of ['few', 'many'] as const) times[which].push(await open[which]());
    const [few, many] = [getMedian(times.few), getMedian(times.many)];
    report(
      `opening an inbox of ${INBOX_SIZES.many} beside ${INBOX_SIZES.few}: task time`,
      many / few,
      MAX_TIME_RATIO,
      `${many.toFixed()} and ${few.toFixed()} ms, ratio`,
    );
  } finally {
    await browser.close();
    await server.stop();
    await fs.rm(built, { recursive: true, force: true });
  }
}

/**
 * Resolves with what opens the messages again and measures milliseconds of work until all are
 * listed.
 */
async function fillInbox(
  browser: Browser,
  address: string,
  company: Company,
  count: number,
): Promise<() => Promise<number>> {
  const topic = await company.addTopic(`Topic of ${count}`);
  await company.addTechnician(`reader.${count}`, [topic]);
  for (let nth = 1; nth <= count; nth++)
    await company.sendMessage(topic, `Feeder ${nth} tripped. A crew is on its way.`, {
      answers: ['Got it'],
    });
  const context = await browser.createBrowserContext();
  const firstPage = await context.newPage();
  await firstPage.goto(`${address}/login`);
  await firstPage.locator('input[name="username"]').fill(`reader.${count}`);
  await firstPage.locator('input[name="password"]').fill(PERSON_PASSWORD);
  await firstPage.locator('button[type="submit"]').click();
  await firstPage.waitForFunction(() => location.pathname !== '/login');
  await firstPage.goto(`${address}/messages`);
  const rows = (page: Page, wanted: number) =>
    page.waitForFunction(
      (least) => document.querySelectorAll('.inbox > li').length >= least,
      { polling: 50 },
      wanted,
    );
  for (let listed = 20; listed < count; listed += 20) {
    await rows(firstPage, listed);
    await firstPage.locator('::-p-text(Show older)').click();
  }
  await rows(firstPage, count);
  await firstPage.close();
  return async () => {
    const page = await context.newPage();
    const client = await page.createCDPSession();
    await client.send('Performance.enable');
    await page.emulateCPUThrottling(CPU_SLOWDOWN);
    await page.goto(`${address}/messages`);
    await rows(page, count);
    await page.waitForNetworkIdle();
    const { metrics } = await client.send('Performance.getMetrics');
    await page.close();
    return 1000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
}

async function timeTallies(): Promise<void> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'fieldbell-bench-'));
  const built = await buildServer();
  const postgres = await startPostgres();
  try {
    for (const engine of ['SQLite', 'PostgreSQL']) {
      const environment = {
        DATA_DIR: path.join(folder, engine),
        DATABASE_URL: engine === 'SQLite' ? '' : await postgres.createDatabase('tallies'),
      };
      const time = await timeTally(built, environment);
      report(`a tally of ${PEOPLE_COUNT} people on ${engine}`, time, MAX_TALLY_MS, 'ms');
    }
  } finally {
    await postgres.stop();
    await fs.rm(folder, { recursive: true, force: true });
    await fs.rm(built, { recursive: true, force: true });
  }
}

async function timeTally(
  built: string,
  environment: { DATA_DIR: string; DATABASE_URL: string },
): Promise<number> {
  const server = await startProcess(built, environment);
  const database = await openServerDatabase(environment);
  try {
    const call = await signIn(server.address);
    const { id } = await call('POST', '/admin/topics', { title: 'All', description: 'All' });
    const firstUserId = 1_000_000;
    const people = Array.from({ length: PEOPLE_COUNT }, (_, index) => firstUserId + index);
    await addPeople(database, id, people);
    const { messageId } = await call('POST', '/admin/messages', {
      topicIds: [id],
      message: 'The power is off.',
      answers: ['Got it', 'On my way'],
    });
    const written = async () =>
      (await database.all("select id from messages where state = 'sent'")).length > 0;
    while (!(await written())) await wait(50); // another process does the work
    // Thirds: not seen, seen, answered.
    await database.run(`update recipients set displayed_at = 1, read_at = 1 where user_id % 3 > 0`);
    await database.run(
      `update recipients set acknowledged_at = 1, answer = case when user_id % 2 = 0 then 'Got it' else 'On my way' end where user_id % 3 = 2`,
    );
    const times: number[] = [];
    for (let nth = 0; nth < ROUNDS * 10; nth++) {
      const startedAt = performance.now();
      const { people: counts } = await call('GET', `/admin/messages/${messageId}`);
      times.push(performance.now() - startedAt);
      if (counts.total !== PEOPLE_COUNT) throw new Error(`It counts ${counts.total} people`);
    }
    return getMedian(times);
  } finally {
    await database.close();
    await server.end('SIGTERM');
  }
}

function report(name: string, figure: number, limit: number, unit: string): void {
  const missed = figure > limit ? '  MISSED' : '';
  console.log(`  ${name}: ${unit} ${figure.toFixed(2)} (limit: ${limit})${missed}`);
}
