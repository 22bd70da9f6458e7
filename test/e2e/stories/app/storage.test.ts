import { deepEqual, ok } from 'node:assert/strict';
import type { Page } from 'puppeteer-core';
import { DEMO_ADMIN, DEMO_PASSWORD } from '../../../../server/demo/sample';
import type { Subscription } from '../../../../src/shared/contract';
import type { CleanUp, Story } from '../../parts/harness';
import { startSampleCompany, TECHNICIAN } from '../../parts/sample-company';
import { eventually } from '../../../support/eventually';
import { readCached, readKeptTopics } from '../../parts/traces';

const WORKER_REQUEST = 'GET /firebase-messaging-sw.js';
const SUBSCRIPTIONS_REQUEST = 'GET /api/notifications/my-subscriptions';
const CAPTIVE_PORTAL_PAGE = '<!DOCTYPE html><title>Hotel</title>';
const waitForWorker = (page: Page) =>
  page.waitForFunction(() => navigator.serviceWorker.controller);
const titlesOn = (page: Page) =>
  page.$$eval('#topics > li b', (titles) => titles.map((title) => title.textContent));

async function useWithoutStorage(cleanUp: CleanUp): Promise<void> {
  const { person } = await startSampleCompany(cleanUp);
  const blocked = () => {
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      });
    }
  };
  const technician = await person((page) => page.evaluateOnNewDocument(blocked));
  await technician.signIn(TECHNICIAN, DEMO_PASSWORD);
  await technician.closeNotice(
    'This browser doesn’t store data. You’ll need to sign in again after you close this page.',
  );
  await technician.see('Your subscribed topics');
  await technician.reload();
  await technician.seeControl('button', 'Sign in');
}

/** Runs in each page before the app: notes the final state of its worker. */
function watchInstalling(): void {
  const { register } = ServiceWorkerContainer.prototype;
  ServiceWorkerContainer.prototype.register = async function (...originalArguments) {
    const registration = await register.apply(this, originalArguments);
    const worker = registration.installing;
    worker?.addEventListener('statechange', () =>
      Object.assign(window, { workerIs: worker.state }),
    );
    return registration;
  };
}

/** A quota of zero bytes, as on a phone full of pictures. */
async function fill(page: Page, origin: string): Promise<void> {
  await (await page.createCDPSession()).send('Storage.overrideQuotaForOrigin', {
    origin,
    quotaSize: 1,
  });
}

async function useWithoutRoom(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const technician = await person(async (openedPage) => {
    await fill(openedPage, network.address);
    await openedPage.evaluateOnNewDocument(watchInstalling);
  });
  const { page } = technician;
  await technician.signIn(TECHNICIAN, DEMO_PASSWORD);
  await technician.see('Your subscribed topics');
  const shownTitles = await titlesOn(page);
  ok(shownTitles.length > 1);
  await page.waitForFunction(
    () => (window as unknown as { workerIs?: string }).workerIs === 'redundant',
  ); // no room for its files
  await technician.reload();
  await technician.see('Your subscribed topics');
  deepEqual(await titlesOn(page), shownTitles);
  deepEqual(await readKeptTopics(page), []);
  deepEqual(await readCached(page), []);
}

async function useOnFullPhone(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const admin = await person();
  await admin.signIn(DEMO_ADMIN, DEMO_PASSWORD);
  await waitForWorker(admin.page);
  const before = await readCached(admin.page);
  ok(before.length > 5);
  await fill(admin.page, network.address);
  const requestCount = network.countRequests('GET /assets/');
  await admin.follow('Users');
  await admin.see('of 60 users');
  ok(network.countRequests('GET /assets/') > requestCount, 'its code was not there yet');
  await admin.reload();
  await admin.see('of 60 users');
  deepEqual(await readCached(admin.page), before);
}

/** The worker's script is missing, or another's page comes in its place. */
async function useWithoutWorker(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const technician = await person();
  network.fault(WORKER_REQUEST, { status: 404, body: '' });
  await technician.signIn(TECHNICIAN, DEMO_PASSWORD);
  for (const attempt of [1, 2]) {
    await technician.see('Your subscribed topics');
    await technician.unfold('App Management');
    await technician.see('Service worker version: N/A');
    await eventually(
      () => network.countRequests(WORKER_REQUEST) >= attempt,
      'a request for the worker',
    );
    network.clearFaults();
    network.fault(WORKER_REQUEST, { status: 200, body: CAPTIVE_PORTAL_PAGE });
    await technician.reload();
  }
  network.clearFaults();
  // A busy browser may need more than one start.
  for (let triesLeft = 3; triesLeft > 0; triesLeft -= 1) {
    await technician.reload();
    if (
      await waitForWorker(technician.page).catch(
        (error) => triesLeft === 1 && Promise.reject(error),
      )
    )
      break;
  }
  await technician.see('Your subscribed topics');
}

async function storeNothingFalse(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const technician = await person();
  await technician.signIn(TECHNICIAN, DEMO_PASSWORD);
  await technician.see('Your subscribed topics');
  const { page } = technician;
  await waitForWorker(page);
  const readKept = async () => ({
    topics: await readKeptTopics(page),
    cached: await readCached(page),
  });
  const before = await readKept();
  ok(before.topics.length > 1 && before.cached.length > 5);
  for (const body of [
    CAPTIVE_PORTAL_PAGE,
    '[{"id":1,"crea',
    '[{"id":1}]',
    '{"topics":[]}',
    'null',
    '',
  ]) {
    network.clearFaults();
    network.fault('GET /api/notifications/my-subscriptions', { status: body ? 200 : 204, body });
    await technician.reload();
    await technician.see('Failed to load subscriptions: ');
    deepEqual(await readKept(), before, body);
  }
  network.fault('GET /', { status: 200, body: CAPTIVE_PORTAL_PAGE });
  await technician.reload();
  await technician.see('Failed to load subscriptions: ');
  deepEqual(await readKept(), before);
  network.clearFaults();
  await technician.press('Retry');
  await technician.see('Your subscribed topics');
}

async function restoreScreen(cleanUp: CleanUp): Promise<void> {
  const { person } = await startSampleCompany(cleanUp);
  const technician = await person();
  await technician.setPermission('granted');
  await technician.signIn(TECHNICIAN, DEMO_PASSWORD);
  await technician.see('Your subscribed topics');
  const { page } = technician;
  await waitForWorker(page);
  const switches = () =>
    page.$$eval('input[role=switch]', (elements) =>
      elements.map((element) => (element as HTMLInputElement).checked),
    );
  const before = await switches();
  const preferencesResponse = page.waitForResponse(
    (response) => response.request().method() === 'GET' && response.url().includes('/preferences'),
  );
  await page.locator('input[role=switch]').click();
  await preferencesResponse; // as the server stored it
  await page.setOfflineMode(true);
  await technician.reload();
  await technician.see('Offline. Shown as of');
  deepEqual(await switches(), [!before[0], ...before.slice(1)]);
}

const readSwitches = (page: Page): Promise<Record<string, number>> =>
  page.$$eval('#topics > li', (rows) =>
    Object.fromEntries(
      rows.map((row) => [row.querySelector('b')?.textContent, row.getBoundingClientRect().top]),
    ),
  );

async function startFromStoredData(cleanUp: CleanUp): Promise<void> {
  const { network, person } = await startSampleCompany(cleanUp);
  const technician = await person();
  const { page } = technician;
  await technician.signIn(TECHNICIAN, DEMO_PASSWORD);
  await technician.see('New messages');
  await waitForWorker(page);
  await page.setViewport({ width: 360, height: 640 });
  const mine = await page.evaluate(async () => {
    const response = await fetch('/api/notifications/my-subscriptions', {
      headers: { Authorization: `Bearer ${atob(localStorage.getItem('jwt_token') ?? '')}` },
    });
    return (await response.json()) as Subscription[];
  });
  network.fault('GET /api/', 'hang');
  await technician.reload();
  await technician.see('New messages');
  await technician.see('Your subscribed topics');
  const before = await readSwitches(page);
  deepEqual(Object.keys(before).sort(), mine.map(({ topic }) => topic.title).sort());

  const [first] = mine;
  const added = { ...first!, id: 9999, topic: { ...first!.topic, id: 9999, title: 'Cranes' } };
  // The newest appears on top, and goes again.
  for (const topics of [[added, ...mine], mine]) {
    network.fault(SUBSCRIPTIONS_REQUEST, { status: 200, body: JSON.stringify(topics) });
    network.fault('GET /api/notifications/preferences', { status: 200, body: '[]' });
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await technician.see(`Your subscribed topics (${topics.length})`);
    const switchesNow = await readSwitches(page);
    // Browsers scroll by whole pixels: half a pixel each time.
    for (const { topic } of mine)
      ok(Math.abs(switchesNow[topic.title]! - before[topic.title]!) <= 1, topic.title);
  }
}

export const storageStories: Story[] = [
  {
    name: 'warns that the browser keeps nothing, and works until it is closed',
    run: useWithoutStorage,
  },
  {
    name: 'shows everything on a phone without room for databases and caches',
    run: useWithoutRoom,
  },
  {
    name: 'shows code fetched on demand without keeping it on a full phone',
    run: useOnFullPhone,
  },
  {
    name: 'works when the worker cannot register, and retries at the next start',
    run: useWithoutWorker,
  },
  { name: 'stores no other host’s response as the server’s', run: storeNothingFalse },
  {
    name: 'shows stored topics and messages before the server responds',
    run: startFromStoredData,
  },
  { name: 'shows each switch as it was left when started offline', run: restoreScreen },
];
