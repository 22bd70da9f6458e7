import { deepEqual, equal } from 'node:assert/strict';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import { Company, PERSON_PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';

const TEAM = 'North crew';
const TOPIC = 'Grid outages';
const MEMBER = 'm.okafor';
const SENDER = 'j.petrov';
const FIRST = 'Feeder 12 tripped. Can you come?';
const SECOND = 'Feeder 14 tripped, too.';

async function sendUntilRightEnds(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { browser, installation } = await startTestBed(browserName, 'web-push', cleanUp);
  const { address } = installation;
  const company = await Company.connect(address);
  await company.addTopic(TOPIC);
  for (const username of [MEMBER, SENDER]) await company.addTechnician(username, []);
  const someone = async () => Person.openIn(await browser.createBrowserContext(), address);
  const [admin, member, sender] = [await someone(), await someone(), await someone()];

  await admin.signIn('admin', ADMIN_PASSWORD);
  await addTeam(admin);
  await addSender(admin);

  await sender.page.setViewport({ width: 360, height: 740 });
  await sender.open('/login');
  await sender.fill('Username', SENDER);
  await sender.fill('Password', PERSON_PASSWORD);
  await sender.press('Sign in');
  await sender.follow('Send');
  await sender.fill('Message', FIRST);
  await sender.unfold('More options');
  await sender.press('Yes / No');
  await sender.see('1 person gets this');
  await sender.press('Send to 1 person');
  await sender.see('Answers Yes 0 No 0');
  await sender.see('1 won’t be notified.'); // the seconds to undo are over

  await member.signIn(MEMBER, PERSON_PASSWORD);
  await member.open('/messages');
  await member.see(FIRST);
  await member.press('Yes');

  await sender.see('Answers Yes 1 No 0');
  await sender.open('/sent');
  await sender.see('1 of 1 answered');

  await sender.follow('Send');
  await sender.fill('Message', SECOND);
  await sender.see('1 person gets this');
  await admin.page.locator(`[aria-label="More for ${SENDER} as sender"]`).click();
  await admin.press('Remove sender');
  await admin.see('Only administrators can send to this topic.');
  await sender.press('Send to 1 person');
  await sender.see('You might not have the required permissions.');
  await sender.see('You can no longer send to this topic.');
  equal(
    await sender.page.$eval('[name="message"]', (field) => (field as HTMLTextAreaElement).value),
    SECOND,
    'the text is kept',
  );
  equal((await company.readInbox(MEMBER)).messages.length, 1);

  await admin.follow('Setup');
  await admin.follow('Audit log');
  await admin.see('Sender removed');
  const entries = await admin.page.$$eval('tbody tr', (rows) =>
    rows.map((row) =>
      ['th', '[data-label="By"]', '[data-label="On"]'].map(
        (cell) => row.querySelector(cell)?.textContent ?? '',
      ),
    ),
  );
  deepEqual(entries.filter(([action]) => action !== 'Signed in').slice(0, 6), [
    ['Sender removed', 'admin', SENDER],
    ['Message sent', SENDER, TOPIC],
    ['Sender added', 'admin', SENDER],
    ['Team subscribed', 'admin', TEAM],
    ['Added to team', 'admin', MEMBER],
    ['Team added', 'admin', TEAM],
  ]);
}

async function addTeam(admin: Person): Promise<void> {
  await admin.follow('Teams');
  await admin.press('Add team');
  await admin.fill('Name', TEAM);
  await admin.press('Add team');
  await admin.closeNotice('Team added.');
  await admin.follow(TEAM);
  await admin.press('Add people');
  await admin.fill('Add a person', MEMBER);
  await admin.take(MEMBER);
  await admin.press('Add');
  await admin.see('Members (1)');
  await admin.seeNoDialog();
  await admin.press('Add topics');
  await admin.tick(TOPIC);
  await admin.press('Add topics');
  await admin.see('1 person is subscribed');
  await admin.seeNoDialog();
}

async function addSender(admin: Person): Promise<void> {
  await admin.follow('Topics');
  await admin.follow(TOPIC);
  await admin.see('Who may send');
  await admin.press('Add senders');
  await admin.fill('Add a person or a team', SENDER);
  await admin.take(SENDER);
  await admin.press('Add');
  await admin.see('This person may send');
  await admin.seeNoDialog();
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const senderStories: Story[] = BROWSERS.map((browser) => ({
  name: `keeps a sender’s text when the right to send ends, in ${browser}`,
  run: (cleanUp) => sendUntilRightEnds(browser, cleanUp),
}));
