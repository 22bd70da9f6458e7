import { deepEqual, equal, ok } from 'node:assert/strict';
import { eventually } from '../../../support/eventually';
import { startSmtp } from '../../../support/mail/smtp';
import { ADMIN_PASSWORD } from '../../../support/processes/installation';
import { startReceiver, receiverReplyWithStatus } from '../../../support/webhooks/receiver';
import { PERSON_PASSWORD } from '../../parts/company';
import type { CleanUp, Story } from '../../parts/harness';
import type { BrowserName } from '../../parts/push/test-bed';
import { startTwoBrowsers } from '../../parts/push/two-browsers';

const TECHNICIAN = 'm.okafor';
const TEXT = 'Gas smell at substation Mill Lane. Stay away.';
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOOK = '/control-room';
/** When each step of the policy is due. The last one is never reached. */
const STEP_MINUTES = { repeat: 3, mail: 5, webhook: 7, topic: 9, last: 20 };

/**
 * @param phone the browser of who does not answer; the sender has the other
 * @param hasMail whether a mail server is set up
 */
async function setUp(phone: BrowserName, cleanUp: CleanUp, hasMail = true) {
  let clockAheadMs = 0;
  const now = () => Date.now() + clockAheadMs;
  const [smtp, receiver] = await Promise.all([startSmtp(), startReceiver(now)]);
  for (const service of [smtp, receiver]) cleanUp(() => service.close());
  const { seats, ...setup } = await startTwoBrowsers(cleanUp, {
    ...(hasMail && { SMTP_URL: smtp.url }),
    WEBHOOK_ALLOWED_HOSTS: receiver.host,
  });
  const desk = phone === 'Chromium' ? 'Firefox' : 'Chromium';
  const { installation } = setup;
  /** Moves the server's clock to just after this minute of the message. */
  const passTo = async (minutes: number) => {
    await installation.halt();
    clockAheadMs = minutes * MINUTE_MS + 5 * SECOND_MS;
    await installation.resume(clockAheadMs);
  };
  return { ...setup, smtp, receiver, passTo, technician: seats[phone], admin: seats[desk] };
}
type Setup = Awaited<ReturnType<typeof setUp>>;

async function runEscalation(phone: BrowserName, cleanUp: CleanUp): Promise<void> {
  const setup = await setUp(phone, cleanUp);
  const { admin, company, passTo, receiver, smtp, technician } = setup;
  const [outages, duty] = [
    await company.addTopic('Grid outages'),
    await company.addTopic('Duty engineers'),
  ];
  await company.addTechnician(TECHNICIAN, [outages]);
  const verification = await eventually(
    () => smtp.mails.find(({ text }) => text.includes('/verify-email/')),
    'the mail that verifies the address',
  );
  const [, token = ''] = /\/verify-email\/(\S+)/.exec(verification.text) ?? [];
  equal((await fetch(`${setup.installation.address}/api/auth/verify-email/${token}`)).status, 200);
  await company.subscribe(await company.findUserId('admin'), duty);
  await technician.person.signIn(TECHNICIAN, PERSON_PASSWORD);
  await technician.person.allowNotifications('Enable Notifications');
  await technician.person.closeNotice('Notifications are on for this device.');
  await technician.person.closeApp();

  await admin.person.signIn('admin', ADMIN_PASSWORD);
  await admin.person.allowNotifications('Enable Notifications');
  await admin.person.closeNotice('Notifications are on for this device.');
  await addWebhook(setup);
  await writePolicy(setup, duty);
  await sendUrgently(setup);
  await technician.tray.waitForNotification(TEXT);
  const { id } = await company.readLastMessage();
  const sender = admin.person;
  await sender.open(`/admin/messages/${id}`);
  await sender.see('Sent to 1 person');
  await sender.see('Notify everyone who hasn’t answered');
  equal(technician.pushes(), 1);

  await passTo(STEP_MINUTES.repeat);
  await sender.see('Notified 1 person again');
  await eventually(() => technician.pushes() === 2, 'the phone to be notified again');
  // The push service gets the message before the phone shows it.
  const [shownNotice, ...furtherNotices] = await eventually(async () => {
    const notices = await technician.tray.listNotifications();
    return notices[0]?.title.includes('2nd time: ') && notices;
  }, 'a notification for the 2nd time');
  deepEqual([shownNotice?.buttons[0], furtherNotices], ['Got it', []], 'in place of the first');

  await passTo(STEP_MINUTES.mail);
  await sender.see('Emailed 1 person');
  const mail = await eventually(
    () => smtp.mails.find(({ text }) => text.includes(TEXT)),
    'the mail to arrive',
  );
  deepEqual(mail.to, [`${TECHNICIAN}@northgrid.example`]);

  await passTo(STEP_MINUTES.webhook);
  await sender.see('Called the webhook for 1 person');
  const call = await eventually(
    () => receiver.calls.find(({ body }) => body.type === 'message.escalated'),
    'the webhook to be called',
  );
  const { message, people } = call.body.data;
  deepEqual([call.isGenuine, message.id, people], [true, id, 1]);

  await passTo(STEP_MINUTES.topic);
  await sender.see('Notified 1 person in the topic Duty engineers');
  const shownNotices = await admin.tray.waitForNotification(`Grid outages: ${TEXT}`);
  ok(shownNotices.some(({ title }) => title.endsWith('1 of 1 person has not answered')));

  await technician.tray.press(TEXT, 'Got it');
  await sender.see('Stopped: everyone answered');
  await sender.see(`Last answer by ${TECHNICIAN}`);
  const before = [technician.pushes(), smtp.mails.length];
  await passTo(STEP_MINUTES.last);
  const after = await company.sendMessage(outages, 'All is well.');
  await technician.tray.waitForNotification('All is well.');
  deepEqual(
    [technician.pushes(), smtp.mails.length],
    [before[0]! + 1, before[1]],
    'nothing follows the answer',
  );
  const { stopped, stoppedBy, steps } = await company.readEscalation(id);
  deepEqual(
    [stopped, stoppedBy, ...steps.map(({ doneAt }) => doneAt !== null)],
    ['acknowledged', TECHNICIAN, true, true, true, true, false],
  );
  equal((await company.readEscalation(after)).policy?.name, 'Storm', 'the next one has it, too');
}

async function showWhatFailed(cleanUp: CleanUp): Promise<void> {
  const setup = await setUp('Chromium', cleanUp, false);
  const { admin, company, passTo, receiver, smtp, technician } = setup;
  const outages = await company.addTopic('Grid outages');
  await company.addTechnician(TECHNICIAN, [outages]);
  await technician.person.signIn(TECHNICIAN, PERSON_PASSWORD);
  await technician.person.allowNotifications('Enable Notifications');
  await technician.person.closeNotice('Notifications are on for this device.');
  await technician.person.closeApp();
  const sender = admin.person;
  await sender.signIn('admin', ADMIN_PASSWORD);
  await addWebhook(setup);
  receiver.replies.set(HOOK, receiverReplyWithStatus(503));
  await sender.press(`Send a test to ${receiver.urlOf(HOOK)}`);
  await sender.see('Last response: 503');

  await addPolicy(setup, [
    [3, 'mail'],
    [5, 'webhook', ['which webhook', receiver.urlOf(HOOK)]],
    [7, 'repeat'],
  ]);
  const [noMail, failing] = ['Email isn’t set up.', 'The webhook is failing.'];
  for (const warning of [noMail, failing]) await sender.see(warning);
  await sender.press('Save policy');
  await sender.closeNotice('Policy added.');
  await sender.see('Has a problem');
  await givePolicy(setup);
  await sender.open('/admin/messages/new');
  await sender.unfold('More options');
  await sender.choose('Escalation', String((await company.listPolicies())[0]?.id));
  await sender.see('2 escalation steps have problems');
  await sender.open('/admin/topics');
  await sendUrgently(setup, '2 escalation steps have problems');
  await technician.tray.waitForNotification(TEXT);
  const { id } = await company.readLastMessage();
  await sender.open(`/admin/messages/${id}`);
  await sender.see('Sent to 1 person');

  await passTo(3);
  await sender.see('Email not sent');
  await sender.see('An operator can set SMTP_URL.');
  await passTo(5);
  await sender.see('Calling the webhook for 1 person');
  await sender.see('The webhook responded with 503.');
  await passTo(7);
  await sender.see('Notified 1 person again');
  receiver.replies.clear();
  await passTo(9);
  await sender.see('Called the webhook for 1 person');
  const { steps } = await company.readEscalation(id);
  deepEqual(
    [smtp.mails.length, ...steps.map(({ outcome }) => [outcome?.done, outcome?.notPossible])],
    [0, [0, 1], [1, 0], [1, 0]],
  );
}

async function addWebhook({ admin: { person }, receiver }: Setup): Promise<void> {
  const url = receiver.urlOf(HOOK);
  await person.follow('Setup');
  await person.follow('Webhooks');
  await person.fill('URL', url);
  await person.press('Add webhook');
  await person.see('Copy its secret now. It won’t be shown again.');
  receiver.secrets.set(HOOK, await person.copyText(/whsec_[\w+/=]+/));
  await person.press(`Send a test to ${url}`);
  await person.closeNotice('The webhook responded with 204.');
  await person.see('Last response: 204');
  deepEqual(
    receiver.calls.map(({ body, isGenuine }) => [body.type, isGenuine]),
    [['test', true]],
  );
  await person.reload();
  await person.see('Last response: 204');
  ok(!(await person.page.evaluate(() => document.body.innerText)).includes('whsec_'));
}

type StepDraft = [minutes: number, action: string, which?: [string, string]];

async function addPolicy({ admin: { person } }: Setup, steps: StepDraft[]): Promise<void> {
  await person.follow('Escalation');
  await person.press('Add policy');
  await person.fill('Name', 'Storm');
  for (const [index, [minutes, action, which]] of steps.entries()) {
    if (index > 0) await person.press('Add a step');
    const step = `Step ${index + 1}`;
    await person.fill(`${step}: minutes after sending`, String(minutes));
    await person.choose(`${step}: what happens`, action);
    if (which) await person.choose(`${step}: ${which[0]}`, which[1]);
  }
}

async function writePolicy(setup: Setup, duty: number) {
  const {
    admin: { person },
    receiver,
  } = setup;
  await addPolicy(setup, [
    [STEP_MINUTES.repeat, 'repeat'],
    [STEP_MINUTES.mail, 'mail'],
    [STEP_MINUTES.webhook, 'webhook', ['which webhook', receiver.urlOf(HOOK)]],
    [STEP_MINUTES.topic, 'notify', ['which topic', String(duty)]],
    [STEP_MINUTES.last, 'repeat'],
  ]);
  await person.see(
    `Notifies again after 3 min. Sends emails after 5 min. Calls ${receiver.host} after 7 min. Notifies Duty engineers after 9 min. Notifies again after 20 min.`,
  );
  await person.press('Save policy');
  await person.closeNotice('Policy added.');
  await person.see('5 steps · until everyone has answered · no topics');
  await givePolicy(setup);
}

async function givePolicy({ admin: { person }, company }: Setup): Promise<void> {
  const [policy] = await company.listPolicies();
  await person.follow('Topics');
  await person.press('Edit Grid outages');
  await person.choose('Escalation', String(policy?.id));
  await person.see('Stops when everyone has answered');
  await person.press('Save Changes');
  await person.closeNotice('Changes saved.');
}

/** Runs in the page. */
function pressUndoOnceShown(): void {
  const timer = setInterval(() => {
    const undo = [...document.querySelectorAll('button')].find((one) => one.innerText === 'Undo');
    if (undo === undefined) return;
    clearInterval(timer);
    undo.click();
  }, 25);
}

/** Undoes the first, which never arrives, and sends the second. */
async function sendUrgently({ admin: { person } }: Setup, warning?: string): Promise<void> {
  await person.press('Send notification to Grid outages');
  if (warning) await person.see(warning);
  await person.fill('Message', TEXT);
  await person.unfold('More options');
  await person.pick('Urgent');
  await person.fill('Answers', 'Got it');
  await person.press('Send');
  await person.see('Uses the policy of Grid outages: Storm.');
  // Presses from inside the page: a press from outside may exceed five seconds on a busy machine.
  await person.page.evaluate(pressUndoOnceShown);
  await person.press('Send to 1 person');
  await person.closeNotice('Undone. Nothing was sent.');
  await person.seeNoDialog();
  await person.press('Send notification to Grid outages');
  await person.press('Send');
  await person.press('Send to 1 person');
  await person.seeNoDialog();
  await person.closeNotice('Sent to 1 person.');
}

const BROWSERS: BrowserName[] = ['Chromium', 'Firefox'];

export const escalationStories: Story[] = [
  {
    name: 'shows failed, waiting and finished steps in the timeline',
    run: showWhatFailed,
  },
  ...BROWSERS.map(
    (browserName): Story => ({
      name: `escalates by push, mail, webhook and topic until Got it, in ${browserName}`,
      run: (cleanUp: CleanUp) => runEscalation(browserName, cleanUp),
    }),
  ),
];
