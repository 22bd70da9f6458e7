import { deepEqual, equal } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import { PERSON_PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import type { BrowserName } from '../../parts/push/test-bed';
import { startTwoBrowsers } from '../../parts/push/two-browsers';

const TECHNICIAN = 'm.okafor';
const TEXT = 'Feeder 12 tripped';

/** @param phone the recipient's browser; who creates the key has the other */
async function publishByCurl(phone: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { company, seats } = await startTwoBrowsers(cleanUp);
  const [technician, admin] = [seats[phone], seats[phone === 'Chromium' ? 'Firefox' : 'Chromium']];
  await company.addTechnician(TECHNICIAN, [await company.addTopic('Grid outages')]);
  await technician.person.signIn(TECHNICIAN, PERSON_PASSWORD);
  await technician.person.allowNotifications('Enable Notifications');
  await technician.person.closeNotice('Notifications are on for this device.');
  await technician.person.closeApp();

  const { person } = admin;
  await person.signIn('admin', ADMIN_PASSWORD);
  await person.open('/admin/topics');
  await person.press('Keys of Grid outages');
  await person.see('A machine with a key can send only to this topic.');
  await person.fill('Name of the new key', 'SCADA north');
  await person.press('Create key');
  await person.see('Key created for “SCADA north”. Copy it now. It won’t be shown again.');
  const line = await person.copyText(/curl -H .*\/api\/publish/);
  const { stdout } = await promisify(execFile)('bash', ['-c', line]);
  equal((JSON.parse(stdout) as { topic: string }).topic, 'Grid outages');
  const [shownNotice, ...furtherNotices] = await technician.tray.waitForNotification(TEXT);
  deepEqual([shownNotice?.title, furtherNotices], ['Urgent: Grid outages', []]);

  const { sender, priority } = await company.readLastMessage();
  deepEqual([sender, priority], ['key: SCADA north', 'urgent']);
  await person.press('Revoke SCADA north');
  await person.see('Machines that use this key can no longer send messages or report heartbeats.');
  await person.press('Revoke');
  await person.see('Key revoked.');
  const refused = await promisify(execFile)('bash', [
    '-c',
    `${line} -o /dev/null -w '%{http_code}'`,
  ]);
  equal(refused.stdout, '401');
  await person.open('/admin/messages');
  await person.see('key: SCADA north');
}

export const publishStories: Story[] = (['Chromium', 'Firefox'] as const).map((phone) => ({
  name: `notifies a phone by a key’s curl command until the key is revoked, in ${phone}`,
  run: (cleanUp) => publishByCurl(phone, cleanUp),
}));
