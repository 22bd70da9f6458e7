import { deepEqual, equal } from 'node:assert/strict';
import { eventually } from '../../../support/eventually';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import { Company, PERSON_PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';
import { openFromTray } from '../../parts/push/tray';

const TECHNICIAN = 'm.okafor';
const MINUTE_MS = 60_000;
const DIGEST = '3 messages during your quiet hours';
const WAITING = ['Van 3 is due for service.', 'The depot opens at 7.', 'New gloves at the depot.'];

/** Formats a time for a time field, in this machine's time zone. */
function dayTime(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

async function holdUntilQuietHoursEnd(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const testBed = await startTestBed(browserName, 'web-push', cleanUp);
  const { browser, installation, pushes, tray } = testBed;
  const company = await Company.connect(installation.address);
  const depot = await company.addTopic('Depot');
  await company.addTechnician(TECHNICIAN, [depot]);
  const person = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await person.signIn(TECHNICIAN, PERSON_PASSWORD);
  await person.allowNotifications('Enable Notifications');
  await person.closeNotice('Notifications are on for this device.');

  const startedAt = Date.now();
  await person.follow('Quiet hours');
  await person.see('Messages can notify you at any time.');
  await person.press('Add a rule');
  await person.fill('From', dayTime(startedAt - 60 * MINUTE_MS));
  await person.fill('Until', dayTime(startedAt + 60 * MINUTE_MS));
  await person.press('Save quiet hours');
  await person.see('Quiet hours saved.');
  await person.see('Quiet until');

  const ids: string[] = [];
  for (const text of WAITING)
    ids.push(await company.sendMessage(depot, text, { priority: 'info' }));
  await person.follow('Inbox');
  for (const text of WAITING) await person.see(text); // in the inbox at once
  await person.open('/quiet-hours');
  await person.see('3 messages are held. You can read them in your inbox now.');
  await person.closeApp();
  const { people } = await company.readMessage(ids[0]!);
  deepEqual([people.total, people.held], [1, 1], 'the ledger holds it');
  const sender = await Person.openIn(await browser.createBrowserContext(), installation.address);
  await sender.signIn('admin', ADMIN_PASSWORD);
  await sender.open(`/admin/messages/${ids[0]}`);
  await sender.see(`${TECHNICIAN} On its way Held until`);
  // A later message that cannot wait shows that pushes arrive.
  await company.sendMessage(depot, 'The depot is closed today.');
  await tray.waitForNotification('The depot is closed today.');
  deepEqual([pushes().length, (await tray.listNotifications()).length], [1, 1]);

  await installation.halt();
  await installation.resume(61 * MINUTE_MS);
  const waitForDigest = () =>
    eventually(
      async () =>
        (await tray.listNotifications()).find(({ title, body }) =>
          `${title}\n${body}`.includes(DIGEST),
        ),
      'the notification for held messages',
    );
  const digest = await waitForDigest();
  deepEqual(
    [pushes().length, (await tray.listNotifications()).length],
    [2, 2],
    'one notification for all three',
  );
  deepEqual(
    await Promise.all(ids.map(async (id) => (await company.readMessage(id)).people.held)),
    [0, 0, 0],
  );
  equal(await openFromTray(testBed, digest.body), `${installation.address}/messages`);
  deepEqual(
    (await company.readInbox(TECHNICIAN)).messages.map(({ message }) => message),
    ['The depot is closed today.', ...WAITING.toReversed()],
    'it is not in the inbox itself',
  );
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const quietHoursStories: Story[] = BROWSERS.map(
  (browserName): Story => ({
    name: `holds low-priority messages until quiet hours end, in ${browserName}`,
    run: (cleanUp) => holdUntilQuietHoursEnd(browserName, cleanUp),
  }),
);
