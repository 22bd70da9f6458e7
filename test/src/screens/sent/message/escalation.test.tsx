import { cleanup, within } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { Route } from 'wouter';
import { SentMessageScreen } from '../../../../../src/screens/sent/message/SentMessageScreen';
import type { Escalation, SentMessage, StepOutcome } from '../../../../../src/shared/contract';
import {
  button,
  clock,
  fakeApi,
  openDialog,
  pressElement,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  waitFor,
} from '../../../../support/app/app';
import { endSession, signInAs } from '../../../../support/app/session';
import {
  minutesAfterSending,
  createEscalation,
  createNextStep,
  createOutcome,
  createStep,
} from '../../../../support/app/factories/escalation';
import {
  createRecipient,
  createSentMessage,
  recipientPages,
} from '../../../../support/app/factories/people';

const test = screenSuite('the escalation of a sent message');
const MESSAGE_CALL = 'GET /api/admin/messages/:id';
const COURSE = 'GET /api/admin/messages/:id/escalation';
const PEOPLE = 'GET /api/admin/messages/:id/recipients';

const { now } = Date;
/** Minutes after the message was sent. */
const setMinutesAfterSending = (minutes: number) => {
  Date.now = () => Date.parse(minutesAfterSending(minutes));
};
test.before.each(() => {
  setMinutesAfterSending(3);
  signInAs('ADMIN');
});
test.after.each(() => {
  endSession();
  Date.now = now;
});

const URGENT = { expiresAt: minutesAfterSending(360), people: { held: 0 }, reachable: 26 };

/** Answers 304 to a caller that has seen this. */
function serve(escalation: Escalation): void {
  const tag = `"${JSON.stringify(escalation).replace(/["{}]/g, '')}"`;
  fakeApi.respond(COURSE, ({ headers }) =>
    headers.get('If-None-Match') === tag
      ? new Response(null, { status: 304 })
      : new Response(JSON.stringify(escalation), { headers: { ETag: tag } }),
  );
}
async function open(
  escalation: Escalation | null = createEscalation(),
  message: SentMessage = createSentMessage('m1', URGENT),
) {
  if (escalation) serve(escalation);
  fakeApi.reply(MESSAGE_CALL, message);
  fakeApi.reply(PEOPLE, recipientPages([createRecipient(1, 'failed')]));
  showScreen(
    <Route path="/admin/messages/:messageId" component={SentMessageScreen} />,
    '/admin/messages/m1',
  );
  await screen.findByRole('heading', { level: 2, name: 'Message' });
}
const timelineLines = () =>
  [...document.querySelectorAll('.stages > li')].map((entry) =>
    [...entry.children].map((one) => one.textContent).join(' | '),
  );
const clockOf = (minutes: number) =>
  new Date(minutesAfterSending(minutes)).toTimeString().slice(0, 5);

const lastTone = () =>
  [...document.querySelectorAll('.stages > li')].at(-1)?.getAttribute('data-tone') ?? null;

async function lineOf(escalation: Partial<Escalation>, message?: SentMessage): Promise<string> {
  cleanup();
  await open(createEscalation(escalation), message);
  return timelineLines().at(-1) ?? '';
}

test('lists past, next and possible steps in order', async () => {
  await open();
  assert.ok(await screen.findByRole('heading', { level: 2, name: 'Timeline' }));
  assert.ok(within(screen.getByRole('region', { name: 'Timeline' })).getByRole('list'));
  assert.equal(timelineLines(), [
    `Today ${clockOf(0)} Sent to 31 people | 26 reachable when sent`,
    `${clockOf(2)} Notified 13 people again`,
    `${clockOf(10)} Email everyone who hasn’t answered | In 7 min · No answer yet: 7 · Not reached: 6`,
    `${clockOf(20)} Notify the topic Control room | Only if someone hasn’t answered by then`,
  ]);
  const entries = [...document.querySelectorAll('.stages > li')];
  assert.equal(
    entries.map((entry) => [entry.getAttribute('data-tone'), entry.getAttribute('aria-current')]),
    [
      ['ok', null],
      ['ok', null],
      [null, 'step'],
      [null, null],
    ],
  );
});

test('describes each kind of step before and after it ran', async () => {
  const coming = (action: 'repeat' | 'mail' | 'webhook' | 'notify') =>
    lineOf({ steps: [createNextStep(10, { action, topic: 'Depot' })] });
  assert.match(
    await coming('repeat'),
    / Notify everyone who hasn’t answered \| .* No answer yet: 7 · Not reached: 6$/,
  );
  assert.match(await coming('mail'), / Email everyone who hasn’t answered \|/);
  assert.match(await coming('webhook'), / Call the webhook for everyone who hasn’t answered \|/);
  assert.match(await coming('notify'), / Notify the topic Depot \|/);
  const past = (action: 'repeat' | 'mail' | 'webhook' | 'notify', done = 7) =>
    lineOf({ steps: [createStep({ action, topic: 'Depot', outcome: createOutcome({ done }) })] });
  assert.match(await past('repeat'), / Notified 7 people again$/);
  assert.match(await past('mail'), / Emailed 7 people$/);
  assert.match(await past('webhook'), / Called the webhook for 7 people$/);
  assert.match(await past('notify', 1), / Notified 1 person in the topic Depot$/);
  assert.is(lastTone(), 'ok');
});

const createReason = (
  outcome: 'failed' | 'notPossible' | 'waiting',
  code: string,
  people: number,
) => ({
  ...{ outcome, people, status: null },
  reason: code as StepOutcome['reasons'][number]['reason'],
});

test('shows no waiting, failed or impossible step green, with reason and remedy', async () => {
  const step = (action: 'repeat' | 'mail' | 'webhook', outcome: Partial<StepOutcome>) =>
    lineOf({ steps: [createStep({ action, outcome: createOutcome(outcome) })] });
  assert.match(await step('mail', { waiting: 3 }), / Emailing 3 people \| Not finished yet\.$/);
  assert.is(lastTone(), null);
  const response = { ...createReason('waiting', 'webhook-answer', 1), status: 503 };
  assert.match(
    await step('webhook', { waiting: 1, reasons: [response] }),
    / Calling the webhook for 1 person \| The webhook responded with 503\. Retrying\.$/,
  );
  assert.is(lastTone(), null);
  const setUp = createReason('notPossible', 'mail-not-set-up', 2);
  assert.match(
    await step('mail', { notPossible: 2, reasons: [setUp] }),
    / Email not sent \| Not possible for 2 people\. Email isn’t set up\. An operator can set SMTP_URL\.$/,
  );
  assert.is(lastTone(), 'bad', 'the whole step failed');
  const refused = createReason('failed', 'mail-refused', 1);
  assert.match(
    await step('mail', { done: 2, failed: 1, notNeeded: 1, reasons: [refused] }),
    / Emailed 2 people \| Failed for 1 person\. The mail server rejected the address\. \| No longer needed for 1 person\.$/,
  );
  assert.is(lastTone(), 'warn', 'some were emailed');
  const unknownReason = createReason('notPossible', 'struck-by-lightning', 4);
  assert.match(
    await step('repeat', { done: 1, waiting: 1, notPossible: 4, reasons: [unknownReason] }),
    / Notified 1 person again \| Waiting for 1 person\. \| Not possible for 4 people\. struck-by-lightning$/,
  );
  assert.match(
    await step('repeat', { unknown: 2 }),
    / Tried to notify 2 people again \| The outcome wasn’t recorded\.$/,
  );
  assert.is(lastTone(), null);
});

test('calls an older server’s steps due, not green', async () => {
  const { outcome: _, ...old } = createStep({ action: 'mail', people: 37 });
  assert.match(
    await lineOf({ steps: [old] }),
    / Tried to email 37 people \| The outcome wasn’t recorded\.$/,
  );
  assert.is(lastTone(), null);
});

test('calls an undone message not sent, without expiry, steps or people', async () => {
  const undone = createSentMessage('m1', { state: 'cancelled', total: 0, people: { total: 0 } });
  await open(createEscalation({ stopped: 'cancelled' }), undone);
  await screen.findByRole('heading', { name: 'Recipients' });
  const text = document.body.textContent;
  assert.match(text, /Not sent\. Scheduled for .*, from .* to Storm warnings\..*Recipients/);
  assert.match(text, /The message was canceled before sending\./);
  assert.not.match(text, /Escalation|Not answered|End/);
});

test('opens the message that another topic received', async () => {
  const messageId = 'm2';
  assert.match(
    await lineOf({
      steps: [createStep({ action: 'notify', topic: 'Depot', messageId, outcome: null })],
    }),
    / Tried to notify 13 people in the topic Depot \| Open the message to see its recipients\. \| Open message$/,
  );
  const link = screen.getByRole('link', { name: 'Open message' });
  assert.is(link.getAttribute('href'), '/admin/messages/m2');
});

test('says that a message is still sending or expired, or that everyone answered', async () => {
  const { reachable: _, ...unrecorded } = URGENT;
  const sending = createSentMessage('m1', { ...unrecorded, state: 'sending' });
  assert.match(await lineOf({ steps: [] }, sending), / Sending to 31 people \| 26 reachable now$/);
  // One person no longer has a device, and two people are held.
  const sentMessage = createSentMessage('m1', { ...URGENT, people: { unreachable: 6, held: 2 } });
  assert.match(
    await lineOf({ steps: [] }, sentMessage),
    / Sent to 31 people \| 26 reachable when sent \| 2 still held for quiet hours$/,
  );
  const fullyAnswered = createSentMessage('m1', {
    ...URGENT,
    people: {
      displayed: 31,
      read: 31,
      acknowledged: 31,
      accepted: 0,
      failed: 0,
      held: 0,
      unreachable: 0,
      muted: 0,
    },
  });
  assert.match(
    await lineOf({ steps: [createNextStep(10)] }, fullyAnswered),
    / \| In 7 min · No answer yet: 0$/,
  );
});

test('describes deleted topics and unknown actions', async () => {
  assert.match(
    await lineOf({ steps: [createStep({ action: 'notify' })] }),
    / Notified 13 people in a deleted topic$/,
  );
  assert.match(
    await lineOf({ steps: [createNextStep(10, { action: 'notify' })] }),
    / Notify a deleted topic \|/,
  );
  assert.match(await lineOf({ steps: [createStep({ action: 'siren' as 'mail' })] }), / siren$/);
});

test('shows the time to the next step in minutes and hours', async () => {
  const inMinutes = (minutes: number) => lineOf({ steps: [createNextStep(3 + minutes)] });
  assert.match(await inMinutes(0.5), /In less than a minute · No answer yet: 7 · Not reached: 6$/);
  assert.match(await inMinutes(1.5), /In 2 min · No answer yet: 7 · Not reached: 6$/);
  assert.match(await inMinutes(60), /In 1 h · No answer yet: 7 · Not reached: 6$/);
  assert.match(await inMinutes(125), /In 2 h 5 min · No answer yet: 7 · Not reached: 6$/);
  assert.match(await inMinutes(-1), /Due now · No answer yet: 7 · Not reached: 6$/, 'it is late');
});

test('addresses unread people when no answer was requested', async () => {
  const message = createSentMessage('m1', {
    ...URGENT,
    answers: [],
    people: { displayed: 30, read: 30, accepted: 0, failed: 0, held: 0, unreachable: 1, muted: 0 },
  });
  assert.match(await lineOf({ steps: [createStep()] }, message), / Notified 13 people again$/);
  assert.match(
    await lineOf({ steps: [createNextStep(10)] }, message),
    / Notify everyone who hasn’t read the message \| In 7 min · Not read yet: 0 · Not reached: 1$/,
  );
  assert.match(
    await lineOf({ stopped: 'acknowledged', stoppedAt: minutesAfterSending(5) }, message),
    / Stopped: everyone read the message \|/,
  );
});

test('makes steps after the next depend on the quorum, if any', async () => {
  const policy = { id: 1, name: 'Storm', quorum: 20, steps: [] };
  assert.match(await lineOf({ policy }), / \| Only if fewer than 20 people have answered by then$/);
  assert.match(
    await lineOf({ policy: { ...policy, quorum: 1 } }),
    / \| Only if no one has answered by then$/,
  );
  const asksNothing = createSentMessage('m1', { ...URGENT, answers: [] });
  assert.match(
    await lineOf({ policy }, asksNothing),
    / \| Only if fewer than 20 people have read the message by then$/,
  );
});

for (const [stopped, by, words] of [
  [
    'acknowledged',
    'sana.rahimi',
    'everyone answered | Last answer by sana.rahimi, 17 min after sending',
  ],
  [
    'quorum',
    'sana.rahimi',
    'enough people answered | Last answer by sana.rahimi, 17 min after sending',
  ],
  ['quorum', null, 'enough people answered | 17 min after sending'],
  ['expired', null, 'the message expired | 17 min after sending'],
  [
    'cancelled',
    'ada.lindqvist',
    'the message was canceled | By ada.lindqvist, 17 min after sending',
  ],
  ['resolved', null, 'the alert was resolved | 17 min after sending'],
] as const)
  test(`says why it stopped: ${words}`, async () => {
    await open(createEscalation({ stopped, stoppedAt: minutesAfterSending(17), stoppedBy: by }));
    assert.equal(timelineLines(), [
      `Today ${clockOf(0)} Sent to 31 people | 26 reachable when sent`,
      `${clockOf(2)} Notified 13 people again`,
      `${clockOf(17)} Stopped: ${words}`,
    ]);
    assert.is(document.querySelector('.stages [aria-current]'), null, 'nothing follows');
    const isGood = stopped !== 'expired' && stopped !== 'cancelled';
    assert.is(lastTone(), isGood ? 'ok' : 'warn');
    cleanup();
    const help = { answers: ['Safe', 'Need help'], tally: { Safe: 16, 'Need help': 2 } };
    await open(createEscalation({ stopped, stoppedBy: by }), createSentMessage('m1', help));
    assert.is(lastTone(), 'warn', 'not green while people need help');
  });

test('lists manual notifications with their sender, in order', async () => {
  await open(
    createEscalation({
      stopped: 'quorum',
      stoppedAt: minutesAfterSending(4),
      steps: [
        createStep(),
        createNextStep(10, { action: 'mail' }),
        createStep({
          doneAt: minutesAfterSending(6),
          dueAt: minutesAfterSending(6),
          outcome: createOutcome({ done: 2 }),
          by: 'ada.lindqvist',
        }),
      ],
    }),
  );
  assert.equal(
    timelineLines().map((line) => line.replace(/^(Today )?\S+ /, '')),
    [
      'Sent to 31 people | 26 reachable when sent',
      'Notified 13 people again',
      'Stopped: enough people answered | 4 min after sending',
      'Notified 2 people again | By ada.lindqvist',
    ],
  );
});

test('says which answers did not stop the escalation', async () => {
  const message = createSentMessage('m1', {
    ...URGENT,
    answers: ['On my way', 'Need help'],
    tally: { 'Need help': 2, 'On my way': 1 },
    people: { ...URGENT.people, acknowledged: 3 },
  });
  const stop = { stopped: 'quorum', stoppedAt: minutesAfterSending(4), stoppedBy: null } as const;
  const policy = { ...createEscalation().policy!, quorum: 1 };
  assert.match(
    await lineOf({ ...stop, policy }, message),
    '4 min after sending | 2 calls for help don’t count as answers',
  );
  // An older server counted them.
  assert.not.match(
    await lineOf({ ...stop, policy: { ...policy, quorum: 2 } }, message),
    'calls for help',
  );
});

test('shows the timeline without a policy once someone notifies again', async () => {
  const withoutPolicy = createEscalation({ policy: null, steps: [] });
  await open(withoutPolicy);
  assert.is(screen.queryByText('Timeline'), null);
  const by = { by: 'ada.lindqvist', outcome: createOutcome({ done: 2 }) };
  serve({ ...withoutPolicy, steps: [createStep(by)] });
  fakeApi.reply('POST /api/admin/messages/:id/repeat', { messageId: 'm1', people: 2 });
  pressElement(button(/^Notify \d+ people again/));
  await screen.findByRole('heading', { name: 'Timeline' });
  assert.equal(timelineLines(), [
    `Today ${clockOf(0)} Sent to 31 people | 26 reachable when sent`,
    `${clockOf(2)} Notified 2 people again | By ada.lindqvist`,
  ]);
});

test('shows corrections and the all-clear among the steps, and without a policy', async () => {
  const former = ['Cable fault.', 'Cable fault in the north.'].map((text, nth) => ({
    ...{ revision: nth + 1, title: null, message: text, at: minutesAfterSending(nth) },
  }));
  const corrected = { revision: 3, askedRevision: 2, former, revisedAt: minutesAfterSending(3) };
  const message = createSentMessage('m1', { ...URGENT, ...corrected, answers: ['Got it'] });
  await open(createEscalation(), message);
  assert.equal(timelineLines().slice(0, 4), [
    `Today ${clockOf(0)} Sent to 31 people | 26 reachable when sent`,
    `${clockOf(1)} Corrected | Answers requested again`,
    ...timelineLines().slice(2, 3),
    `${clockOf(3)} Corrected | Answers kept`,
  ]);
  cleanup();
  await open(createEscalation({ policy: null, steps: [] }), {
    ...message,
    allClearAt: minutesAfterSending(3),
  });
  await screen.findByRole('heading', { name: 'Timeline' });
  assert.is(timelineLines().at(-1), `${clockOf(3)} All clear`);
});

test('shows no timeline for a scheduled message', async () => {
  const message = createSentMessage('m1', { ...URGENT, state: 'scheduled' });
  await open(createEscalation({ steps: [] }), message);
  assert.is(screen.queryByText('Timeline'), null);
});

test('shows the day of steps on another day', async () => {
  const line = await lineOf({ steps: [createNextStep(24 * 60)] });
  assert.match(line, new RegExp(`^Tomorrow ${clockOf(24 * 60)} Notify everyone`));
});

test('asks an older server once, and shows the message without the section', async () => {
  fakeApi.reject(COURSE, 404);
  fakeApi.reply(MESSAGE_CALL, createSentMessage('m1', URGENT));
  fakeApi.reply(PEOPLE, recipientPages([]));
  showScreen(
    <Route path="/admin/messages/:messageId" component={SentMessageScreen} />,
    '/admin/messages/m1',
  );
  await screen.findByRole('heading', { level: 2, name: 'Message' });
  assert.is(screen.queryByText('Timeline'), null);
  for (const times of [2, 3]) {
    await clock.advance(2000);
    await waitFor(() => assert.is(fakeApi.requestsTo(MESSAGE_CALL).length, times));
  }
  assert.is(fakeApi.requestsTo(COURSE).length, 1);
});

test('updates by ETag, and keeps the timeline when it cannot be read', async () => {
  await open();
  await clock.advance(2000);
  await waitFor(() => assert.is(fakeApi.requestsTo(COURSE).length, 2));
  assert.ok(fakeApi.requestsTo(COURSE)[1].headers.get('If-None-Match'));
  assert.is(timelineLines().length, 4, '304 is an answer');
  for (const fail of [
    () => fakeApi.loseRequests(COURSE),
    () => fakeApi.reject(COURSE, 500),
    () => fakeApi.replyWithPage(COURSE),
  ]) {
    fail();
    const earlierCount = fakeApi.requestsTo(MESSAGE_CALL).length;
    await clock.advance(2000);
    await waitFor(() => assert.ok(fakeApi.requestsTo(MESSAGE_CALL).length > earlierCount));
    assert.is(timelineLines().length, 4);
    assert.ok(screen.getByText(/^Live/), 'the numbers are current anyway');
  }
  serve(createEscalation({ stopped: 'acknowledged', stoppedAt: minutesAfterSending(5) }));
  await clock.advance(2000);
  await screen.findByText(/Stopped: everyone answered/);
});

test('shows a message when its escalation fails', async () => {
  fakeApi.reject(COURSE, 500);
  await open(null);
  assert.is(screen.queryByText('Timeline'), null);
  serve(createEscalation());
  await clock.advance(2000);
  await screen.findByRole('heading', { name: 'Timeline' });
});

test('offers Stop while escalating or held, although all pushes are out', async () => {
  await open();
  fakeApi.reply('POST /api/admin/messages/:id/cancel', () => {
    serve(createEscalation({ stopped: 'cancelled', stoppedAt: minutesAfterSending(3) }));
    const canceledMessage = createSentMessage('m1', { ...URGENT, state: 'cancelled' });
    fakeApi.reply(MESSAGE_CALL, canceledMessage);
    return canceledMessage;
  });
  await openDialog('Cancel message');
  pressInDialog('Cancel message');
  await screen.findByText(/Stopped: the message was canceled/);
  assert.is(screen.queryByRole('button', { name: 'Cancel message' }), null);
  const stop = async (escalation: Escalation, message?: SentMessage) => {
    cleanup();
    await open(escalation, message);
    return screen.queryByRole('button', { name: 'Cancel message' }) !== null;
  };
  const over = createEscalation({ steps: [createStep()] });
  assert.is(await stop(over), false, 'all its steps are done');
  assert.is(await stop(over, createSentMessage('m1', { ...URGENT, people: { held: 1 } })), true);
  assert.is(
    await stop(createEscalation({ stopped: 'quorum', stoppedAt: minutesAfterSending(2) })),
    false,
    'enough have answered',
  );
});

test('shows the message before a slow escalation, and adds that later', async () => {
  serve(createEscalation());
  const release = fakeApi.holdReplies(COURSE);
  fakeApi.reply(MESSAGE_CALL, createSentMessage('m1', URGENT));
  fakeApi.reply(PEOPLE, recipientPages([]));
  showScreen(
    <Route path="/admin/messages/:messageId" component={SentMessageScreen} />,
    '/admin/messages/m1',
  );
  await waitFor(() => assert.is(fakeApi.requestsTo(MESSAGE_CALL).length, 1));
  await clock.advance(1000);
  await screen.findByRole('heading', { level: 2, name: 'Message' });
  assert.is(screen.queryByText('Timeline'), null);
  for (const times of [2, 3]) {
    await clock.advance(2000);
    await waitFor(() => assert.is(fakeApi.requestsTo(MESSAGE_CALL).length, times));
    await clock.advance(1000);
  }
  assert.is(fakeApi.requestsTo(COURSE).length, 1, 'one request at a time');
  release();
  await screen.findByRole('heading', { name: 'Timeline' });
  assert.is(timelineLines().length, 4);
});

test('keeps the focus and unchanged parts on update', async () => {
  await open();
  await waitFor(() => assert.match(document.title, /^Storm warnings/)); // its heading has the focus
  const search = screen.getByRole('searchbox', { name: 'Search Users' });
  search.focus();
  const [firstElement, secondElement, thirdElement] = document.querySelectorAll('.stages > li');
  serve(
    createEscalation({
      steps: [
        createStep(),
        createStep({
          action: 'mail',
          doneAt: minutesAfterSending(10),
          outcome: createOutcome({ done: 7 }),
        }),
        createNextStep(20, { action: 'notify', topic: 'Control room' }),
      ],
    }),
  );
  await clock.advance(2000);
  await screen.findByText(/Emailed 7 people/);
  assert.is(document.activeElement, search);
  assert.equal([...document.querySelectorAll('.stages > li')].slice(0, 3), [
    firstElement,
    secondElement,
    thirdElement,
  ]);
});

test.run();
