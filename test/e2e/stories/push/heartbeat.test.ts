import { deepEqual, match } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually } from '../../../support/eventually';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import { Company, PERSON_PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';

const TECHNICIAN = 'm.okafor';
const CHIEF = 'c.haaland';
/** The interval of a minute, and the grace. */
const SILENT_MS = 120_000;

async function silenceMachine(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { browser, installation, tray } = await startTestBed(browserName, 'web-push', cleanUp);
  const company = await Company.connect(installation.address);
  await company.addAdmin(CHIEF);
  const topic = await company.addTopic('Server room');
  await company.addTechnician(TECHNICIAN, [topic]);
  const technician = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await technician.signIn(TECHNICIAN, PERSON_PASSWORD);
  await technician.allowNotifications('Enable Notifications');
  await technician.closeNotice('Notifications are on for this device.');
  await technician.closeApp();

  const admin = await Person.openIn(await browser.createBrowserContext(), installation.address);
  await admin.signIn('admin', ADMIN_PASSWORD);
  await admin.open(`/admin/topics/${topic}`);
  await admin.follow('Heartbeats');
  await admin.see('No heartbeats yet');
  const line = await admin.copyText(/curl -fsS .*\/api\/heartbeat\/.*\$KEY"/);
  const { key } = await company.callAs<{ key: string }>(
    CHIEF,
    `POST /api/admin/topics/${topic}/keys`,
    {
      name: 'backup',
    },
  );
  const beat = () =>
    promisify(execFile)('bash', ['-c', line.replace('every=86400', 'every=60')], {
      env: { ...process.env, KEY: key },
    });
  await beat();
  const heardAt = Date.now();
  await admin.see('On time');

  await installation.halt();
  await installation.resume(heardAt + SILENT_MS + 1000 - Date.now());
  const alert = await eventually(
    async () =>
      (await tray.listNotifications()).find(({ title }) => title === 'nightly-backup is silent'),
    'the alert',
  );
  match(alert.body, /^Last heartbeat: .+ UTC\nExpected interval: 1 minute$/);
  await admin.see('Silent since');

  await beat();
  const notices = await tray.waitForNotification('Time without a heartbeat: 2 minutes');
  deepEqual(notices.map(({ title }) => title).includes('nightly-backup is back'), true);
  await eventually(
    async () => (await tray.listNotifications()).every(({ title }) => title !== alert.title),
    'the notification of the alert to close',
  );
  await admin.see('On time');
  const { messages } = await company.readInbox(TECHNICIAN);
  deepEqual(
    messages.map(({ title, state }) => [title, state]),
    [
      ['nightly-backup is back', 'sent'],
      ['nightly-backup is silent', 'resolved'],
    ],
  );
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const heartbeatStories: Story[] = BROWSERS.map(
  (browserName): Story => ({
    name: `alerts a phone when a machine falls silent, and once it is back, in ${browserName}`,
    run: (cleanUp) => silenceMachine(browserName, cleanUp),
  }),
);
