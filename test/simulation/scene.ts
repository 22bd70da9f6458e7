/** A company of 55 on an empty server, with a push service, a bad network and browsers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtFolder } from '../e2e/parts/builds';
import { Company, PASSWORD } from '../e2e/parts/company';
import type { CleanUp } from '../e2e/parts/harness';
import { watch as watchBrowser } from '../e2e/parts/witness';
import { launchChromium } from '../support/browsers/chromium';
import { startFaultyProxy } from '../support/browsers/faulty-proxy';
import { startGcm } from '../support/push-services/gcm';
import { startInstallation } from '../support/processes/installation';
import { startPushSink } from '../support/push-services/push-sink';
import { openDatabase } from './database';
import { Day, type Seat } from './day';
import type { Dice } from './random';
import { Hand } from './driver';
import { Phones } from './phones';
import { Watch } from './watch';
import { Weather } from './network-faults';

const TECHNICIANS = 50;
const TOPICS = 24;
/** Percent of requests. */
const BAD_WEATHER = 20;

/** @param silences how many requests may get no answer */
export async function setScene(dice: Dice, silences: number, cleanUp: CleanUp): Promise<Day> {
  const sink = await startPushSink();
  cleanUp(() => sink.close());
  const gcm = await startGcm();
  cleanUp(() => gcm.close());
  const folder = mkdtempSync(join(tmpdir(), 'fieldbell-day-'));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  const environment = { DATA_DIR: folder, PUSH_ALLOWED_HOSTS: sink.host };
  const installation = await startInstallation({
    built: builtFolder('web-push'),
    environment,
    redirect: { [gcm.host]: gcm.port },
  });
  cleanUp(() => installation.stop());
  const network = await startFaultyProxy(installation.address);
  cleanUp(() => network.close());
  const database = await openDatabase(folder, `https://${sink.host}/`);
  cleanUp(() => database.close());

  const company = await Company.at(installation.address);
  const phones = new Phones(installation.address, sink);
  await hire(company, phones, dice);

  const browser = await launchChromium({ gcm });
  cleanUp(() => browser.close());
  await watchBrowser(browser);
  const watch = new Watch(installation.output);
  async function seat(kind: Seat['kind'], { long = false, push = false }): Promise<Seat> {
    // Only Chromium's default context can subscribe.
    const hand = await Hand.at(
      push ? browser.defaultBrowserContext() : await browser.createBrowserContext(),
      network.address,
    );
    await hand.decide(kind === 'field' ? 'granted' : 'prompt');
    watch.over(hand.page);
    await hand.page.goto(`${network.address}/login`);
    return { hand, kind, long, push, person: undefined };
  }
  const seats = [
    await seat('office', { long: true }),
    await seat('office', {}),
    await seat('office', {}),
    await seat('field', { long: true, push: true }),
    await seat('field', {}),
    await seat('field', { long: true }),
  ];
  return new Day(
    dice,
    await database.books(),
    database,
    seats,
    new Weather(dice, network, BAD_WEATHER, silences),
    watch,
    phones,
    company,
    gcm.trace,
  );
}

async function hire(company: Company, phones: Phones, dice: Dice): Promise<void> {
  const topics: number[] = [];
  for (let number = 1; number <= TOPICS; number++)
    topics.push(await company.addTopic(`District ${number}`));
  for (const name of ['a.novak', 'b.stone', 'c.ueda']) await company.addAdmin(name);
  for (let number = 1; number <= TECHNICIANS; number++) {
    const username = `t.${number}`;
    await company.addTechnician(username, dice.some(topics, 5));
    for (let count = dice.from(0, 2); count > 0; count--) await phones.register(username, PASSWORD);
  }
}
