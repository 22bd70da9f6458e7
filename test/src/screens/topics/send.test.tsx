import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { Topics } from '../../../../src/screens/topics/Topics';
import {
  button,
  clock,
  dialog,
  fakeApi,
  findButton,
  findNoDialog,
  fireEvent,
  notices,
  openDialog,
  pressElement,
  pressEscape,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
  within,
} from '../../../support/app/app';
import { shortPause } from '../../../support/eventually';
import {
  numbersUpTo,
  createSentMessage,
  createSubscriber,
  createTopic,
  topicPages,
} from '../../../support/app/factories/people';
import { createPolicy } from '../../../support/app/factories/setup';
import { changeComposed } from '../../../../src/state/messages/composing';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('sending and subscribers');
let person = 100;
// A person per test, as drafts belong to people.
test.before.each(() => void signInAs('ADMIN', { id: person++ }));
test.after.each(endSession);
const SEND = 'POST /api/admin/notifications/send-topic/:topicId';
const SUBSCRIBERS = 'GET /api/admin/topics/:id/subscribers';
const AUDIENCE = 'POST /api/admin/messages/audience';
const PROGRESS = 'GET /api/admin/messages/:id';
const CANCEL = 'POST /api/admin/messages/:id/cancel';
const POLICIES = 'GET /api/admin/policies';
const largeAudience = { people: 51, reachable: 47, muted: 1, unreachable: 3, held: 0 };
const NO_PEOPLE = { ...createSentMessage('m1').people, total: 0, unreachable: 0, muted: 0 };
const progress = createSentMessage('m1', { total: 5, accepted: 0, pending: 5 });
const UNKNOWN =
  'Failed to send notification. We don’t know whether the message was sent. You can press Send again. If you don’t change it, people are notified only once.';

async function openTopics(subscribers = numbersUpTo(3).map((id) => createSubscriber(id))) {
  fakeApi.reply(
    'GET /api/admin/topics',
    topicPages([
      createTopic(7, { title: 'Outages', policyId: 3 }),
      createTopic(8, { title: 'Safety' }),
    ]),
  );
  fakeApi.reply(SUBSCRIBERS, subscribers);
  fakeApi.reply(AUDIENCE, { people: 20, reachable: 17, muted: 0, unreachable: 3, held: 0 });
  fakeApi.reply(SEND, {
    message: 'Sent. 17 of 20 subscribers are being notified.',
    messageId: 'm1',
    notified: true,
  });
  fakeApi.reply(PROGRESS, { ...progress, accepted: 5, pending: 0 });
  showScreen(<Topics />, '/admin/topics');
  await screen.findByRole('table');
}
const message = () => dialog().getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
const sendButton = () => dialog().getByRole<HTMLButtonElement>('button', { name: 'Send' });
function write(text: string) {
  pressElement(button('Send notification to Outages'));
  typeInto(message(), text);
}
const keys = () => fakeApi.requestsTo(SEND).map(({ headers }) => headers.get('Idempotency-Key'));

test('shows topic, subscribers and a three-row message box', async () => {
  await openTopics();
  pressElement(button('Send notification to Outages'));
  assert.ok(dialog().getByRole('heading', { name: 'Send notification' }));
  assert.ok(dialog().getByText('Outages'));
  await dialog().findByText('20 subscribers');
  assert.equal(fakeApi.requestsTo(AUDIENCE)[0].body, { topicIds: [7], priority: 'normal' });
  assert.is(fakeApi.requestsTo(SUBSCRIBERS).length, 0, 'one number needs no 100,000 rows');
  assert.is(Number(message().rows), 3);
  assert.is(message().maxLength, 1000);
});

test('counts reachable people without zero parts, and links to their names', async () => {
  await openTopics();
  fakeApi.reply(AUDIENCE, { people: 1200, reachable: 1195, muted: 2, unreachable: 3, held: 0 });
  write('Feeder 12');
  await dialog().findByText('1,195 reachable');
  assert.is(dialog().getByText('2 muted').dataset.state, 'muted');
  assert.is(dialog().getByText('3 not reachable').dataset.state, 'not_reachable');
  const seeWho = dialog().getByRole('link', { name: 'See who' });
  assert.is(seeWho.getAttribute('href'), '/admin/reach?topic=7');
  pressEscape();
  await findNoDialog();
  pressElement(button('Send notification to Outages'));
  assert.is(
    dialog().getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' }).value,
    'Feeder 12',
    'the message is still being written',
  );
  pressEscape();
  await findNoDialog();
  fakeApi.reply(AUDIENCE, { people: 2, reachable: 2, muted: 0, unreachable: 0, held: 0 });
  pressElement(button('Send notification to Outages'));
  await dialog().findByText('2 reachable');
  assert.is(dialog().queryByText(/not reachable|muted/), null);
});

test('asks an older backend for subscribers instead', async () => {
  const states = [
    'enabled',
    'partial',
    'partial',
    'disabled',
    'disabled',
    'disabled',
    'no_devices',
    'no_devices',
    'no_devices',
    'no_devices',
  ] as const;
  await openTopics(
    states.map((notificationStatus, id) => createSubscriber(id, { notificationStatus })),
  );
  fakeApi.reject(AUDIENCE, 404);
  pressElement(button('Send notification to Outages'));
  await dialog().findByText('10 subscribers');
  for (const part of ['3 reachable', '3 muted', '4 not reachable'])
    assert.ok(dialog().getByText(part), part);
  assert.is(fakeApi.requestsTo(SUBSCRIBERS)[0].params.id, '7');
});

test('shows no green success when no one is notified, in the dialog and after', async () => {
  await openTopics();
  const responseText = 'Sent, but no one is being notified: this topic has no subscribers yet.';
  fakeApi.reply(SEND, { message: responseText, messageId: 'm1', notified: false });
  fakeApi.reply(PROGRESS, { ...progress, total: 0, pending: 0 });
  write('Feeder 12');
  pressElement(sendButton());
  assert.is((await dialog().findByText(responseText)).dataset.tone, 'warn');
  await clock.advance(1500);
  assert.is(notices().getByText(responseText).closest<HTMLElement>('.note')?.dataset.tone, 'warn');
  fakeApi.reply(SEND, {
    message: 'Sent. 1 of 1 subscriber is being notified.',
    messageId: 'm2',
    notified: true,
  });
  write('Feeder 13');
  pressElement(sendButton());
  assert.is((await dialog().findByText(/^Sent\. 1 of 1/)).dataset.tone, undefined);
});

test('disables Send while the message is blank', async () => {
  await openTopics();
  pressElement(button('Send notification to Outages'));
  assert.is(sendButton().disabled, true);
  typeInto(message(), ' \n ');
  assert.is(sendButton().disabled, true);
  typeInto(message(), ' x ');
  assert.is(sendButton().disabled, false);
  assert.ok(dialog().getByText('3 of 1,000 characters'));
});

test('shows Sending... on a disabled button while sending', async () => {
  await openTopics();
  const release = fakeApi.holdReplies(SEND);
  write('Feeder 12 tripped.');
  pressElement(sendButton());
  const busy = await dialog().findByRole<HTMLButtonElement>('button', { name: 'Sending...' });
  assert.is(busy.disabled, true);
  assert.is(busy.getAttribute('aria-busy'), 'true');
  release();
  await dialog().findByText('Sent. 17 of 20 subscribers are being notified.');
});

test('sends one message for a double click', async () => {
  await openTopics();
  write('  Feeder 12 tripped.\n');
  const form = message().form as HTMLFormElement;
  form.requestSubmit();
  form.requestSubmit();
  await dialog().findByText(/^Sent\. 17/);
  assert.is(fakeApi.requestsTo(SEND).length, 1);
  assert.equal(fakeApi.requestsTo(SEND)[0].body, { message: 'Feeder 12 tripped.' });
});

test('closes 1.5 s after success, and keeps the notice 5 s more', async () => {
  await openTopics();
  write('Feeder 12 tripped.');
  pressElement(sendButton());
  await dialog().findByText(/^Sent\. 17/);
  await clock.advance(1499);
  assert.ok(screen.getByRole('dialog'));
  await clock.advance(1);
  assert.is(screen.queryByRole('dialog'), null);
  assert.is(notices().getAllByText(/^Sent\. 17/).length, 1);
  await waitFor(() => assert.is(document.activeElement, button('Send notification to Outages')));
  await clock.advance(4999);
  assert.ok(notices().getByText(/^Sent\. 17/));
  await clock.advance(1);
  assert.is(notices().queryByText(/^Sent\. 17/), null);
});

test('follows progress every second until nothing is pending', async () => {
  await openTopics();
  fakeApi.reply(PROGRESS, { ...progress, accepted: 3, pending: 2 });
  write('Feeder 12 tripped.');
  pressElement(sendButton());
  await dialog().findByText('Accepted by the push service for 3 of 5 devices.');
  assert.is(fakeApi.requestsTo(PROGRESS)[0].params.id, 'm1');
  fakeApi.reply(PROGRESS, { ...progress, accepted: 3, failed: 1, gone: 1, pending: 0 });
  await clock.advance(1500);
  await notices().findByText(
    'Accepted by the push service for 3 of 5 devices, 1 failed, 1 no longer registered.',
  );
  assert.is(
    notices().getByRole('link', { name: 'See who got it' }).getAttribute('href'),
    '/admin/messages/m1',
  );
  const requestCount = fakeApi.requestsTo(PROGRESS).length;
  await clock.advance(3000);
  assert.is(
    fakeApi.requestsTo(PROGRESS).length,
    requestCount,
    'finished work is not requested again',
  );
});

test('sends a message whose progress cannot be read', async () => {
  await openTopics();
  fakeApi.reject(PROGRESS, 500);
  write('Feeder 12 tripped.');
  pressElement(sendButton());
  await dialog().findByText(/^Sent\. 17/);
  assert.is(screen.queryByText(/Accepted by/), null);
});

test('asks for progress again after lost responses', async () => {
  await openTopics();
  fakeApi.loseRequests(PROGRESS);
  write('Feeder 12 tripped.');
  pressElement(sendButton());
  await dialog().findByText(/^Sent\. 17/);
  await clock.advance(1500);
  await notices().findByText(/^Sent\. 17/);
  for (const _ of [1, 2]) {
    const requestCount = fakeApi.requestsTo(PROGRESS).length;
    await clock.advance(1000);
    await waitFor(() => assert.is(fakeApi.requestsTo(PROGRESS).length, requestCount + 1));
  }
  fakeApi.reply(PROGRESS, { ...progress, accepted: 5, pending: 0 });
  await clock.advance(1000);
  await notices().findByText('Accepted by the push service for 5 of 5 devices.');
});

test('stops asking for progress once it is hidden', async () => {
  await openTopics();
  fakeApi.reply(PROGRESS, { ...progress, pending: 5 });
  write('Feeder 12 tripped.');
  pressElement(sendButton());
  await dialog().findByText(/^Sent\. 17/);
  await clock.advance(1500);
  await findNoDialog();
  const release = fakeApi.holdReplies(PROGRESS);
  const earlierCount = fakeApi.requestsTo(PROGRESS).length;
  await clock.advance(1000);
  await waitFor(() => assert.ok(fakeApi.requestsTo(PROGRESS).length > earlierCount));
  const requestCount = fakeApi.requestsTo(PROGRESS).length;
  pressElement(notices().getByRole('button', { name: 'Close notice' }));
  await waitFor(() => assert.is(notices().queryByText(/^Sent\. 17/), null));
  release();
  await shortPause(); // waits for nothing to happen
  await clock.advance(10_000);
  assert.is(fakeApi.requestsTo(PROGRESS).length, requestCount);
});

test('leaves one notice when the dialog is closed early', async () => {
  await openTopics();
  write('Feeder 12 tripped.');
  pressElement(sendButton());
  await dialog().findByText(/^Sent\. 17/);
  await waitFor(() => assert.is(fakeApi.requestsTo(PROGRESS).length, 1)); // its timer runs by then
  pressEscape();
  await findNoDialog();
  await clock.advance(2000);
  await shortPause(); // waits for no other notice
  assert.is(notices().getAllByText(/^Sent\. 17/).length, 1);
});

test('does not close the next dialog after a sent message', async () => {
  await openTopics();
  write('Feeder 12 tripped.');
  pressElement(sendButton());
  await dialog().findByText(/^Sent\. 17/);
  await waitFor(() => assert.is(fakeApi.requestsTo(PROGRESS).length, 1)); // its timer runs by then
  pressEscape();
  await findNoDialog();
  pressElement(button('Send notification to Safety'));
  await dialog().findByText('Safety');
  await clock.advance(1500);
  await shortPause(); // waits for no close
  assert.ok(dialog().getByText('Safety'));
});

test('calls a lost outcome unknown, and retries with the same key', async () => {
  await openTopics();
  fakeApi.loseRequests(SEND);
  write('Feeder 12 tripped.');
  pressElement(sendButton());
  await dialog().findByText(UNKNOWN);
  pressElement(sendButton());
  await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, 2));
  fakeApi.reply(SEND, { message: '', messageId: 'm1' });
  await waitFor(() => assert.is(sendButton().disabled, false));
  pressElement(sendButton());
  await dialog().findByText('Notification sent.');
  const [first, ...others] = keys();
  assert.match(first ?? '', /^[0-9a-f]{32}$/);
  assert.equal(others, [first, first]);
});

test('uses a new key for another text and for a deliberate repeat', async () => {
  await openTopics();
  fakeApi.replyWithPage(SEND, 502);
  write('one');
  pressElement(sendButton());
  await dialog().findByText(UNKNOWN);
  fakeApi.reply(SEND, { message: 'ok', messageId: 'm' });
  typeInto(message(), 'two');
  pressElement(sendButton());
  await dialog().findByText('ok');
  await clock.advance(1500);
  fakeApi.reply(SEND, { message: 'again', messageId: 'm' });
  write('two');
  pressElement(sendButton());
  await dialog().findByText('again');
  assert.is(new Set(keys()).size, 3);
});

test('keeps a lost message’s key while other topics and texts get theirs', async () => {
  await openTopics();
  fakeApi.loseRequests(SEND);
  write('one');
  pressElement(sendButton());
  await dialog().findByText(UNKNOWN);
  typeInto(message(), 'two');
  fakeApi.reply(SEND, { message: 'Two is sent.', messageId: 'm2' });
  pressElement(sendButton());
  await dialog().findByText(/^Two is sent/);
  await clock.advance(1500);
  fakeApi.loseRequests(SEND);
  write('one');
  pressElement(sendButton());
  await dialog().findByText(UNKNOWN);
  const [one, two, oneAgain] = keys();
  assert.is.not(one, two);
  assert.is(oneAgain, one, 'no one is notified twice');
});

test('shows a message on its way in a reopened dialog, with its outcome', async () => {
  await openTopics();
  const release = fakeApi.holdReplies(SEND);
  write('Feeder 12 tripped.');
  await dialog().findByText('20 subscribers');
  pressElement(sendButton());
  await dialog().findByRole('button', { name: 'Sending...' });
  for (const _ of [2, 3]) {
    pressEscape();
    await findNoDialog();
    pressElement(button('Send notification to Outages'));
    assert.is(message().value, 'Feeder 12 tripped.');
    pressElement(await dialog().findByRole('button', { name: 'Sending...' }));
  }
  release();
  await dialog().findByText(/^Sent\. 17/);
  assert.is(fakeApi.requestsTo(SEND).length, 1);
  await clock.advance(1500);
  assert.is(notices().getAllByText(/^Sent\. 17/).length, 1, 'reported once, not per dialog');
});

test('shows the server’s reason for a rejection, without doubt', async () => {
  await openTopics();
  fakeApi.reject(SEND, 404, 'This topic does not exist.');
  write('Feeder 12 tripped.');
  pressElement(sendButton());
  await waitFor(() =>
    assert.is(dialog().getByRole('alert').textContent, 'This topic does not exist.'),
  );
  assert.is(message().value, 'Feeder 12 tripped.');
});

for (const [status, unknown] of [
  [499, false],
  [500, true],
  [503, true],
] as const) {
  test(`calls a message ${unknown ? 'possibly' : 'not'} sent after a ${status}`, async () => {
    await openTopics();
    fakeApi.reject(SEND, status, 'Something broke.');
    write('Feeder 12 tripped.');
    pressElement(sendButton());
    const doubt = UNKNOWN.replace('Failed to send notification.', '');
    await waitFor(() =>
      assert.is(dialog().getByRole('alert').textContent, `Something broke.${unknown ? doubt : ''}`),
    );
  });
}

test('keeps a draft per topic after its dialog is closed', async () => {
  await openTopics();
  write('Feeder 12');
  pressEscape();
  await findNoDialog();
  pressElement(button('Send notification to Safety'));
  assert.is(message().value, '');
  pressInDialog('Cancel');
  pressElement(button('Send notification to Outages'));
  assert.is(message().value, 'Feeder 12');
});

test('keeps a draft after the session expires, not for the next person', async () => {
  signInAs('ADMIN', { id: 1 });
  await openTopics();
  write('Feeder 12');
  cleanup(); // as when the login form replaces the screen
  endSession();
  signInAs('ADMIN', { id: 1 });
  await openTopics();
  pressElement(button('Send notification to Outages'));
  assert.is(message().value, 'Feeder 12');
  cleanup();
  endSession();
  signInAs('ADMIN', { id: 2 });
  await openTopics();
  pressElement(button('Send notification to Outages'));
  assert.is(message().value, '');
});

test('empties the message box after sending', async () => {
  await openTopics();
  write('Feeder 12');
  pressElement(sendButton());
  await dialog().findByText(/^Sent\. 17/);
  await clock.advance(1500);
  pressElement(button('Send notification to Outages'));
  assert.is(message().value, '');
});

test('reports the outcome after a dialog is closed while sending', async () => {
  await openTopics();
  fakeApi.reject(SEND, 429, 'Too many requests.');
  const release = fakeApi.holdReplies(SEND);
  write('Feeder 12');
  pressElement(sendButton());
  await dialog().findByRole('button', { name: 'Sending...' });
  pressEscape();
  await findNoDialog();
  release();
  await notices().findByText('Too many requests.');
  // Retry repeats the failed message, not the new draft.
  write('Feeder 13');
  pressEscape();
  await findNoDialog();
  for (const attempt of [2, 3]) {
    pressElement(notices().getByRole('button', { name: 'Retry' }));
    await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, attempt));
    await notices().findByText('Too many requests.');
  }
  fakeApi.reply(SEND, { message: '', messageId: 'm1' });
  pressElement(notices().getByRole('button', { name: 'Retry' }));
  await notices().findByText('Notification sent.');
  assert.equal(
    fakeApi.requestsTo(SEND).map(({ body }) => body),
    Array(4).fill({ message: 'Feeder 12' }),
  );
  assert.is(new Set(keys()).size, 1);
  pressElement(button('Send notification to Outages'));
  assert.is(message().value, 'Feeder 13');
});

test('reports one outcome for two dialogs closed during one message', async () => {
  await openTopics();
  for (const [reply, sentence] of [
    [() => fakeApi.reject(SEND, 429, 'Too many requests.'), 'Too many requests.'],
    [() => fakeApi.reply(SEND, { message: 'Sent.', messageId: 'm1' }), 'Sent.'],
  ] as const) {
    reply();
    const release = fakeApi.holdReplies(SEND);
    write('Feeder 12');
    await dialog().findByText('20 subscribers');
    pressElement(sendButton());
    for (const opened of [1, 2]) {
      if (opened === 2) pressElement(button('Send notification to Outages'));
      await dialog().findByRole('button', { name: 'Sending...' });
      pressEscape();
      await findNoDialog();
    }
    release();
    await notices().findAllByText(sentence);
    await clock.advance(0);
    assert.is(notices().getAllByText(sentence).length, 1);
  }
});

const COMPOSED = 'message_draft';
async function openOptions(): Promise<void> {
  const details = dialog().getByText('More options').closest('details') as HTMLDetailsElement;
  details.open = true;
  fireEvent(details, new Event('toggle'));
  await dialog().findByLabelText(/^Answers/);
}

test('says for whom an info message waits, and until when', async () => {
  const until = new Date();
  until.setHours(23, 59);
  await openTopics();
  fakeApi.reply(AUDIENCE, ({ body }) => {
    const held = (body as { priority: string }).priority === 'info' ? 2 : 0;
    const heldUntil = held ? until.toISOString() : null;
    return { people: 20, reachable: 20 - held, muted: 0, unreachable: 0, held, heldUntil };
  });
  write('Feeder 12');
  await dialog().findByText('20 reachable');
  await openOptions();
  pressElement(dialog().getByRole('radio', { name: 'Info' }));
  assert.is((await dialog().findByText('2 held until 23:59')).dataset.state, 'on_its_way');
  assert.ok(dialog().getByText('18 reachable'));
  pressElement(dialog().getByRole('radio', { name: 'Normal' }));
  await dialog().findByText('20 reachable');
  assert.is(dialog().queryByText(/held until/), null);
});

async function sendUrgent(): Promise<void> {
  pressElement(sendButton());
  pressElement(await findButton('Send to 20 people'));
}

test('reviews a message to more than 50 people once, with 5 seconds to undo', async () => {
  await openTopics();
  fakeApi.reply(AUDIENCE, { ...largeAudience, canUndo: true });
  fakeApi.reply(POLICIES, { policies: [createPolicy(3, { name: 'Night shift' })] });
  write('Feeder 12 tripped.');
  pressElement(sendButton());
  await screen.findByText('Uses the policy of Outages: Night shift.');
  assert.match(
    screen.getByText('Recipients').closest('li')?.textContent ?? '',
    /51 people 4 won’t be notified/,
  );
  assert.is(screen.getByText('4 won’t be notified').dataset.tone, 'bad');
  assert.is(screen.queryByText('Title'), null, 'the only topic’s title is there once');
  assert.is(
    screen.getByText('Feeder 12 tripped.', { selector: 'li .lines' }).closest('li')?.textContent,
    'Message Feeder 12 tripped.',
  );
  assert.is(fakeApi.requestsTo(SEND).length, 0);
  pressElement(button('Send to 51 people'));
  const undo = await findButton('Undo');
  assert.is(screen.queryByRole('dialog'), null, 'no dialog is left open after going back');
  assert.equal(fakeApi.requestsTo(SEND)[0].body, { message: 'Feeder 12 tripped.', undoSeconds: 5 });
  fakeApi.reply(CANCEL, createSentMessage('m1', { state: 'cancelled', people: NO_PEOPLE }));
  pressElement(undo);
  await notices().findByText('Undone. Nothing was sent.');
  pressElement(button('Send notification to Outages'));
  assert.is(message().value, 'Feeder 12 tripped.', 'editing is possible');
});

test('turns the dialog into the review, and goes back to the fields as they were', async () => {
  await openTopics();
  fakeApi.reply(AUDIENCE, largeAudience);
  const steps = [{ after: 120, action: 'mail' as const }];
  fakeApi.reply(POLICIES, {
    policies: [createPolicy(3, { name: 'Night shift', steps })],
    problems: [{ action: 'mail', problem: 'mail-not-set-up' }],
  });
  write('Feeder 12 tripped.');
  await openOptions();
  typeInto(dialog().getByLabelText(/^Answers/), 'On my way, Got it, Call me');
  pressElement(sendButton());
  await findButton('Back');
  const escalation = dialog().getByText('Escalation').closest('li')!;
  await within(escalation).findByText('An escalation step has a problem');
  assert.is(screen.getAllByRole('dialog').length, 1, 'no dialog lies on another');
  assert.is(document.activeElement?.textContent, 'Review before sending');
  assert.is(
    dialog().getByText('Answers', { selector: '.review b' }).closest('li')?.textContent,
    'Answers On my way Got it Call meAndroid shows only the first two on the lock screen.',
  );
  for (const goBack of [() => pressElement(button('Back')), pressEscape]) {
    goBack();
    assert.is(message().value, 'Feeder 12 tripped.');
    assert.is(document.activeElement, message());
    assert.ok(dialog().getByDisplayValue('On my way, Got it, Call me'), 'the options stay open');
    pressElement(sendButton());
    await findButton('Back');
  }
  assert.is(fakeApi.requestsTo(SEND).length, 0);
});

test('calls a message sent once undo is over, with its people', async () => {
  await openTopics();
  fakeApi.reply(AUDIENCE, { ...largeAudience, canUndo: true });
  fakeApi.reply(PROGRESS, createSentMessage('m1', { state: 'scheduled', people: NO_PEOPLE }));
  write('Feeder 12 tripped.');
  pressElement(sendButton());
  pressElement(await findButton('Send to 51 people'));
  await findButton('Undo');
  for (let secondCount = 0; secondCount < 5; secondCount++) await clock.advance(1000);
  assert.is(screen.queryByRole('button', { name: 'Undo' }), null);
  assert.is(notices().queryByText(/^Sent/), null, 'still waiting on the server');
  fakeApi.reply(
    PROGRESS,
    createSentMessage('m1', { people: { ...NO_PEOPLE, total: 51, unreachable: 3, muted: 1 } }),
  );
  await clock.advance(1000);
  await notices().findByText(/^Sent to 47 of 51 people\. 4 won’t be notified\./);
});

test('says which came first when undo is too late', async () => {
  await openTopics();
  fakeApi.reply(AUDIENCE, { ...largeAudience, canUndo: true });
  for (const [reply, sentence] of [
    [() => fakeApi.reject(CANCEL, 409), 'Too late. The message was already sent.'],
    [
      () =>
        fakeApi.reply(
          CANCEL,
          createSentMessage('m1', { state: 'cancelled', people: { ...NO_PEOPLE, total: 51 } }),
        ),
      'Too late. The message was already sent to 51 people. The remaining notifications were canceled.',
    ],
  ] as const) {
    reply();
    write('Feeder 12 tripped.');
    await dialog().findByText('51 subscribers');
    pressElement(sendButton());
    pressElement(await findButton('Send to 51 people'));
    pressElement(await findButton('Undo'));
    await notices().findByText(sentence);
  }
});

test('waits 5 seconds in the page when the backend cannot hold a message', async () => {
  await openTopics();
  fakeApi.reply(AUDIENCE, largeAudience);
  for (const isSent of [false, true]) {
    if (isSent) pressElement(button('Send notification to Outages'));
    else write('Feeder 12 tripped.');
    await dialog().findByText('51 subscribers');
    pressElement(sendButton());
    pressElement(await findButton('Send to 51 people'));
    const undo = await findButton('Undo');
    if (isSent) for (let secondCount = 0; secondCount < 5; secondCount++) await clock.advance(1000);
    else pressElement(undo);
    await notices().findByText(isSent ? /^Sent\. 17/ : 'Undone. Nothing was sent.');
    assert.equal(
      fakeApi.requestsTo(SEND).map(({ body }) => body),
      isSent ? [{ message: 'Feeder 12 tripped.' }] : [],
    );
  }
});

test('says before sending that the number of people is unknown', async () => {
  await openTopics();
  fakeApi.loseRequests(AUDIENCE);
  write('Feeder 12 tripped.');
  pressElement(sendButton());
  await screen.findByText(
    'Outages. We couldn’t count the recipients, but you can still send the message.',
  );
  pressElement(await findButton('Send anyway'));
  await findButton('Undo');
});

test('sends the chosen options, and none that were only opened', async () => {
  await openTopics();
  fakeApi.reply(AUDIENCE, { ...largeAudience, people: 20, canUndo: true });
  write('Feeder 12');
  const details = dialog().getByText('More options').closest('details');
  assert.is(details?.open, false);
  await openOptions();
  assert.is(dialog().getByRole<HTMLInputElement>('radio', { name: 'Normal' }).checked, true);
  pressElement(dialog().getByRole('radio', { name: 'Urgent' }));
  typeInto(dialog().getByLabelText(/^Answers/), ' On my way, Got it ,');
  typeInto(dialog().getByLabelText(/^Link/), ' /subscriptions ');
  fakeApi.reject(SEND, 400, [{ message: 'At most 3 answers can be offered.', path: 'answers' }]);
  await sendUrgent();
  await dialog().findByText('At most 3 answers can be offered.');
  const link = dialog().getByLabelText<HTMLInputElement>(/^Link/);
  assert.is(link.value, ' /subscriptions ', 'nothing is lost');
  pressEscape();
  await findNoDialog();
  pressElement(button('Send notification to Outages'));
  fakeApi.reply(SEND, { message: 'ok', messageId: 'm1', notified: true });
  await sendUrgent();
  await findNoDialog();
  const options = {
    priority: 'urgent',
    answers: ['On my way', 'Got it'],
    link: '/subscriptions',
    undoSeconds: 5,
  };
  assert.equal(
    fakeApi.requestsTo(SEND).map(({ body }) => body),
    [
      { message: 'Feeder 12', ...options },
      { message: 'Feeder 12', ...options },
    ],
  );
  write('Feeder 13');
  await openOptions();
  pressElement(sendButton());
  await dialog().findByText('ok');
  assert.equal(fakeApi.requestsTo(SEND).at(-1)?.body, { message: 'Feeder 13' });
});

test('gives a message with other options its own key', async () => {
  await openTopics();
  fakeApi.reply(AUDIENCE, { ...largeAudience, people: 20, canUndo: true });
  fakeApi.loseRequests(SEND);
  write('Feeder 12');
  pressElement(sendButton());
  await dialog().findByText(UNKNOWN);
  await openOptions();
  pressElement(dialog().getByRole('radio', { name: 'Urgent' }));
  await sendUrgent();
  await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, 2));
  await waitFor(() => assert.is(sendButton().disabled, false));
  await sendUrgent();
  await waitFor(() => assert.is(fakeApi.requestsTo(SEND).length, 3));
  const [plain, optional, again] = keys();
  assert.is.not(optional, plain);
  assert.is(again, optional);
});

test('copies a message into a new draft, and restores the replaced draft', async () => {
  await openTopics();
  const open = async (text: string) => {
    write(text);
    await openOptions();
    pressElement(dialog().getByRole('radio', { name: 'Urgent' }));
    pressElement(dialog().getByRole('link', { name: 'Open as a new message' }));
  };
  const composed = () =>
    JSON.parse(localStorage.getItem(COMPOSED) ?? '{}').writing as Record<string, unknown>;
  await open('Feeder 12');
  assert.is(location.pathname, '/admin/messages/new');
  assert.is(notices().queryByRole('button', { name: 'Undo' }), null, 'there was no draft');
  assert.equal([composed().message, composed().priority], ['Feeder 12', 'urgent']);
  assert.equal(composed().to, [{ kind: 'topic', id: 7, name: 'Outages' }]);
  assert.equal(composed().answers, [], 'none was chosen');
  changeComposed({ title: 'Of the one before' });
  cleanup();
  await openTopics();
  await open('Feeder 13');
  assert.equal([composed().message, composed().title], ['Feeder 13', '']);
  pressElement(notices().getByRole('button', { name: 'Undo' }));
  assert.equal([composed().message, composed().title], ['Feeder 12', 'Of the one before']);
  cleanup();
  await openTopics();
  pressElement(button('Send notification to Outages'));
  assert.is(message().value, 'Feeder 13', 'back in the dialog');
});

test('lists subscribers with role, status, devices and date', async () => {
  await openTopics([
    createSubscriber(1, {
      user: { username: 'm.okafor', role: 'TECHNICIAN' },
      enabledDevices: 2,
      totalDevices: 2,
    }),
    createSubscriber(2, { notificationStatus: 'partial', totalDevices: 2 }),
    createSubscriber(3, { notificationStatus: 'disabled', enabledDevices: 0 }),
    createSubscriber(4, {
      user: { username: 'harbor-office', role: 'CUSTOMER' },
      notificationStatus: 'no_devices',
      enabledDevices: 0,
      totalDevices: 0,
      createdAt: 'never',
    }),
  ]);
  await openDialog('Subscribers of Outages');
  const table = await dialog().findByRole('table');
  const rows = [...table.querySelectorAll('tr')].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );
  assert.equal(rows[0], ['Username', 'Role', 'Notification Status', 'Devices', 'Subscribed Date']);
  assert.equal(
    rows.slice(1).map((row) => row.slice(0, 4)),
    [
      ['m.okafor', 'Technician', 'Enabled', '2/2'],
      ['user2', 'Technician', 'Partial', '1/2'],
      ['user3', 'Technician', 'Disabled', '0/1'],
      ['harbor-office', 'Customer', 'No devices', '0/0'],
    ],
  );
  assert.is(rows[4][4], '-');
  pressInDialog('Close');
  assert.is(document.activeElement, screen.getByLabelText('More for Outages'));
});

test('says that a topic has no subscribers', async () => {
  await openTopics([]);
  await openDialog('Subscribers of Outages');
  await dialog().findByText('No subscribers for this topic.');
});

test('shows failed subscribers with Retry, and still sends', async () => {
  await openTopics();
  fakeApi.loseRequests(SUBSCRIBERS);
  await openDialog('Subscribers of Outages');
  await dialog().findByText('Failed to fetch subscribers.');
  fakeApi.reply(SUBSCRIBERS, []);
  pressInDialog('Retry');
  await dialog().findByText('No subscribers for this topic.');
  pressInDialog('Close');
  fakeApi.loseRequests(AUDIENCE);
  write('Feeder 12');
  await dialog().findByText('Failed to fetch subscribers.');
  assert.is(sendButton().disabled, false);
});

test('shows ten thousand subscribers fifty at a time', async () => {
  await openTopics(numbersUpTo(10_000).map((id) => createSubscriber(id)));
  await openDialog('Subscribers of Outages');
  await dialog().findByText('1–50 of 10,000 subscribers');
  assert.ok(document.querySelectorAll('*').length < 1500);
  pressInDialog('Next');
  assert.ok(dialog().getByText('user51'));
});

test.run();
