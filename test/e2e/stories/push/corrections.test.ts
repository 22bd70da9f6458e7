import { deepEqual, equal, match } from 'node:assert/strict';
import type { Policy } from '../../../../src/shared/contract';
import { eventually } from '../../../support/eventually';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import { Company, PERSON_PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import { Person } from '../../parts/person';
import { startTestBed, type BrowserName } from '../../parts/push/test-bed';

const PHONE = 'm.okafor';
const ANSWERED = 'j.petrov';
const TEXT = 'Cable fault at Mill Lane 21. Use the east gate.';
const CORRECTED = 'Cable fault at Mill Lane 12, not 21. Use the east gate.';
const COMMENT = 'At the depot with the van. Two of us.';
const ALL_CLEAR = 'The cable is repaired. You can go home.';

async function correctAndGiveAllClear(browserName: BrowserName, cleanUp: CleanUp): Promise<void> {
  const { browser, installation, tray } = await startTestBed(browserName, 'web-push', cleanUp);
  const company = await Company.connect(installation.address);
  const outages = await company.addTopic('Grid outages');
  for (const username of [PHONE, ANSWERED]) await company.addTechnician(username, [outages]);
  await company.addAdmin('ada');
  const { id: policyId } = await company.callAs<Policy>('ada', 'POST /api/admin/policies', {
    name: 'Storm',
    steps: [{ after: 3600, action: 'repeat' }],
  });
  const phone = await Person.openIn(browser.defaultBrowserContext(), installation.address);
  await phone.signIn(PHONE, PERSON_PASSWORD);
  await phone.allowNotifications('Enable Notifications');
  await phone.closeNotice('Notifications are on for this device.');
  await phone.closeApp();
  const elsewhere = async () =>
    Person.openIn(await browser.createBrowserContext(), installation.address);
  const [sender, answeredPerson] = [await elsewhere(), await elsewhere()];
  await sender.signIn('admin', ADMIN_PASSWORD);
  await answeredPerson.signIn(ANSWERED, PERSON_PASSWORD);

  const id = await company.sendMessage(outages, TEXT, {
    answers: ['Got it', 'On my way'],
    policyId,
  });
  await tray.waitForNotification(TEXT);
  // Half have answered, one offline with words that the sender sees beside the answer.
  await answeredPerson.open(`/messages/${id}`);
  await answeredPerson.seeControl('button', 'On my way');
  await answeredPerson.page.setOfflineMode(true);
  await answeredPerson.press('On my way');
  await answeredPerson.see('Sends when you’re back online.');
  for (const comment of ['Wait for me.', COMMENT]) {
    await answeredPerson.fill('Comment', comment);
    await answeredPerson.press('Save comment');
    await answeredPerson.see('Sends when you’re back online.');
  }
  const bodies = await recordBodies(answeredPerson);
  await answeredPerson.page.setOfflineMode(false);
  await answeredPerson.see('On my way · sent');
  await answeredPerson.see('Saved.');
  const sent = (await bodies()).filter((body) => body.includes('On my way'));
  deepEqual([sent.length, sent.join().includes('Wait for me.')], [1, false], 'the last, once');
  await sender.open(`/admin/messages/${id}?show=answered`);
  await sender.see('1 Answered');
  await sender.see(COMMENT);

  await sender.press('Correct');
  await sender.fill('Message', CORRECTED);
  await sender.tick('Ask everyone to answer again');
  await sender.press('Send correction');
  await sender.closeNotice('Message corrected. We’ll notify everyone who is reachable.');
  const correctedNotices = await tray.waitForNotification(CORRECTED);
  deepEqual(
    correctedNotices.map(({ body }) => body),
    [CORRECTED],
    'in place of the first',
  );
  match(correctedNotices[0]?.title ?? '', /Corrected: /);
  // The answer belongs to the former text.
  await sender.see('0 Answered');
  await sender.unfold('Show the earlier text');
  await sender.see(TEXT);
  await sender.follow('Show earlier answers');
  await sender.unfold('1 earlier answer');
  await sender.see(COMMENT);
  await answeredPerson.open(`/messages/${id}`);
  await answeredPerson.see(CORRECTED);
  await answeredPerson.seeControl('button', 'On my way');
  await answeredPerson.unfold('Show the earlier text');
  await answeredPerson.see(TEXT);
  await tray.press(CORRECTED, 'Got it');
  await sender.see('1 Answered');
  await sender.see('Got it 1');
  equal((await company.readEscalation(id)).stopped, null, 'one answer is missing');

  await sender.press('All clear');
  await sender.fill('Message', ALL_CLEAR);
  await sender.press('Send all-clear');
  await sender.closeNotice('All-clear sent. We’ll notify everyone who is reachable.');
  const clearedNotices = await tray.waitForNotification(ALL_CLEAR);
  deepEqual(
    clearedNotices.map(({ body, buttons }) => [body, buttons]),
    [[ALL_CLEAR, []]],
  );
  match(clearedNotices[0]?.title ?? '', /^All clear: /);
  await sender.see('Stopped: the all-clear was sent');
  await answeredPerson.open('/messages');
  await answeredPerson.see(ALL_CLEAR);
  await answeredPerson.open(`/messages/${id}`);
  await answeredPerson.see('All clear');
  await eventually(
    async () => (await answeredPerson.page.$$('.answers button')).length === 0,
    'no answer to be asked for any more',
  );
  equal((await company.readEscalation(id)).stopped, 'all-clear');
  equal(
    await company.readStatusOf('ada', `POST /api/admin/messages/${id}/correct`, {
      message: TEXT,
      ask: false,
    }),
    409,
  );
}

/** @returns the bodies that the page has sent since */
async function recordBodies({ page }: Person): Promise<() => Promise<string[]>> {
  const bodies = await page.evaluateHandle(() => {
    const sentBodies: string[] = [];
    const { fetch } = window;
    window.fetch = (address, options) => {
      sentBodies.push(String(options?.body ?? ''));
      return fetch(address, options);
    };
    return sentBodies;
  });
  return () => bodies.jsonValue();
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const correctionStories: Story[] = BROWSERS.map(
  (browserName): Story => ({
    name: `corrects a half-answered message and gives the all-clear, in ${browserName}`,
    run: (cleanUp) => correctAndGiveAllClear(browserName, cleanUp),
  }),
);
