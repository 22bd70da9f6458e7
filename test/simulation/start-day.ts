/** A company of 55 on an empty server, with a push service, a bad network and browsers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtFolder } from '../e2e/parts/builds';
import { Company, PERSON_PASSWORD } from '../e2e/parts/company';
import type { CleanUp } from '../e2e/parts/harness';
import { recordConsole } from '../e2e/parts/page-records';
import { launchChromium } from '../support/browsers/chromium';
import { startFaultyProxy } from '../support/browsers/faulty-proxy';
import { startGcm } from '../support/push-services/gcm';
import { startInstallation } from '../support/processes/installation';
import { startPushSink } from '../support/push-services/push-sink';
import { openDatabase } from './database';
import { SimulatedDay, type Workplace } from './day';
import type { RandomChoices } from './random';
import { PageDriver } from './page-driver';
import { SimulatedPhones } from './phones';
import { PageMonitor } from './page-monitor';
import { NetworkFaults } from './network-faults';

const TECHNICIANS = 50;
const TOPICS = 24;
/** Percent of requests. */
const BAD_WEATHER = 20;

/** @param silences how many requests may get no answer */
export async function startDay(
  random: RandomChoices,
  silences: number,
  cleanUp: CleanUp,
): Promise<SimulatedDay> {
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

  const company = await Company.connect(installation.address);
  const phones = new SimulatedPhones(installation.address, sink);
  await hire(company, phones, random);

  const browser = await launchChromium({ gcm });
  cleanUp(() => browser.close());
  await recordConsole(browser);
  const monitor = new PageMonitor(installation.output);
  async function workplace(
    kind: Workplace['kind'],
    { long = false, push = false },
  ): Promise<Workplace> {
    // Only Chromium's default context can subscribe.
    const driver = await PageDriver.openIn(
      push ? browser.defaultBrowserContext() : await browser.createBrowserContext(),
      network.address,
    );
    await driver.setPermission(kind === 'field' ? 'granted' : 'prompt');
    monitor.watch(driver.page);
    await driver.page.goto(`${network.address}/login`);
    return { driver, kind, keepsPage: long, receivesPushes: push, person: undefined };
  }
  const workplaces = [
    await workplace('office', { long: true }),
    await workplace('office', {}),
    await workplace('office', {}),
    await workplace('field', { long: true, push: true }),
    await workplace('field', {}),
    await workplace('field', { long: true }),
  ];
  return new SimulatedDay(
    random,
    await database.readData(),
    database,
    workplaces,
    new NetworkFaults(random, network, BAD_WEATHER, silences),
    monitor,
    phones,
    company,
    gcm.trace,
  );
}

async function hire(
  company: Company,
  phones: SimulatedPhones,
  random: RandomChoices,
): Promise<void> {
  const topics: number[] = [];
  for (let number = 1; number <= TOPICS; number++)
    topics.push(await company.addTopic(`District ${number}`));
  for (const name of ['a.novak', 'b.stone', 'c.ueda']) await company.addAdmin(name);
  for (let number = 1; number <= TECHNICIANS; number++) {
    const username = `t.${number}`;
    await company.addTechnician(username, random.pickSome(topics, 5));
    for (let count = random.integerBetween(0, 2); count > 0; count--)
      await phones.register(username, PERSON_PASSWORD);
  }
}
