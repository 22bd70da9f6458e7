import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import type { SentMessage } from '../../../src/contract';
import { Topics } from '../../../src/screens/Topics';
import { button, clock, dialog, fakeApi, notices, press, pressEscape, screen, screenSuite, show, type, waitFor } from '../../support/app';
import { count, makeSubscriber, makeTopic, topicPages } from '../../support/people';
import { endSession, signInAs } from '../../support/session';

const test = screenSuite('sending and subscribers');
let person = 100;
// Another person each time: what one typed and did not send would be in the next test's box.
test.before.each(() => void signInAs('ADMIN', { id: person++ }));
test.after.each(endSession);
const SEND = 'POST /api/admin/notifications/send-topic/:topicId';
const SUBSCRIBERS = 'GET /api/admin/topics/:id/subscribers';
const PROGRESS = 'GET /api/admin/messages/:id';
const progress: SentMessage = { id: 'm1', topic: { id: 7, title: 'Outages' }, message: '', createdAt: '', total: 5, accepted: 0, failed: 0, gone: 0, pending: 5 };
const UNKNOWN = 'Failed to send notification. It is not known whether it was sent. You can press Send again: nobody is notified twice.';

async function openTopics(subscribers = count(3).map((id) => makeSubscriber(id))) {
  fakeApi.answer('GET /api/admin/topics', topicPages([makeTopic(7, { title: 'Outages' }), makeTopic(8, { title: 'Safety' })]));
  fakeApi.answer(SUBSCRIBERS, subscribers);
  fakeApi.answer(SEND, { message: 'Notification sent to 5 devices of 3 subscribers.', messageId: 'm1' });
  fakeApi.answer(PROGRESS, { ...progress, accepted: 5, pending: 0 });
  show(<Topics />, '/admin/topics');
  await screen.findByRole('table');
}
const message = () => dialog().getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
const sendButton = () => dialog().getByRole<HTMLButtonElement>('button', { name: 'Send' });
function write(text: string) {
  press(button('Send notification to Outages'));
  type(message(), text);
}
const keys = () => fakeApi.asked(SEND).map(({ headers }) => headers.get('Idempotency-Key'));

test('the send dialog shows the topic, how many are subscribed, and a box of three rows for a message', async () => {
  await openTopics();
  press(button('Send notification to Outages'));
  assert.ok(dialog().getByRole('heading', { name: 'Send notification' }));
  assert.ok(dialog().getByText('Outages'));
  await dialog().findByText('3 subscribers');
  assert.is(fakeApi.asked(SUBSCRIBERS)[0].params.id, '7');
  assert.is(Number(message().rows), 3);
  assert.is(message().maxLength, 1000);
});

test('Send is out of reach while the message is blank', async () => {
  await openTopics();
  press(button('Send notification to Outages'));
  assert.is(sendButton().disabled, true);
  type(message(), ' \n ');
  assert.is(sendButton().disabled, true);
  type(message(), ' x ');
  assert.is(sendButton().disabled, false);
  assert.ok(dialog().getByText('3 of 1,000 characters'));
});

test('while a message is on its way the button says Sending... and cannot be pressed', async () => {
  await openTopics();
  const release = fakeApi.hold(SEND);
  write('Feeder 12 tripped.');
  press(sendButton());
  const busy = await dialog().findByRole<HTMLButtonElement>('button', { name: 'Sending...' });
  assert.is(busy.disabled, true);
  assert.is(busy.getAttribute('aria-busy'), 'true');
  release();
  await dialog().findByText('Notification sent to 5 devices of 3 subscribers.');
});

test('a double click sends one message', async () => {
  await openTopics();
  write('  Feeder 12 tripped.\n');
  const form = message().form as HTMLFormElement;
  form.requestSubmit();
  form.requestSubmit();
  await dialog().findByText(/^Notification sent/);
  assert.is(fakeApi.asked(SEND).length, 1);
  assert.equal(fakeApi.asked(SEND)[0].body, { message: 'Feeder 12 tripped.' });
});

test('after success the dialog closes 1.5 s later, and the message stays 5 s more', async () => {
  await openTopics();
  write('Feeder 12 tripped.');
  press(sendButton());
  await dialog().findByText(/^Notification sent/);
  await clock.advance(1499);
  assert.ok(screen.getByRole('dialog'));
  await clock.advance(1);
  assert.is(screen.queryByRole('dialog'), null);
  assert.is(notices().getAllByText(/^Notification sent/).length, 1);
  await waitFor(() => assert.is(document.activeElement, button('Send notification to Outages')));
  await clock.advance(4999);
  assert.ok(notices().getByText(/^Notification sent/));
  await clock.advance(1);
  assert.is(notices().queryByText(/^Notification sent/), null);
});

test('after sending it is said how far the message got, second by second, until nothing of it is pending', async () => {
  await openTopics();
  fakeApi.answer(PROGRESS, { ...progress, accepted: 3, pending: 2 });
  write('Feeder 12 tripped.');
  press(sendButton());
  await dialog().findByText('On its way to 3 of 5 devices.');
  assert.is(fakeApi.asked(PROGRESS)[0].params.id, 'm1');
  fakeApi.answer(PROGRESS, { ...progress, accepted: 3, failed: 1, gone: 1, pending: 0 });
  await clock.advance(1500);
  await notices().findByText('On its way to 3 of 5 devices, 1 failed, 1 gone.');
  const asked = fakeApi.asked(PROGRESS).length;
  await clock.advance(3000);
  assert.is(fakeApi.asked(PROGRESS).length, asked, 'what is finished is not asked for again');
});

test('a message whose progress cannot be read is sent all the same', async () => {
  await openTopics();
  fakeApi.refuse(PROGRESS, 500);
  write('Feeder 12 tripped.');
  press(sendButton());
  await dialog().findByText(/^Notification sent/);
  assert.is(screen.queryByText(/On its way/), null);
});

test('a dialog that is closed before that still leaves its message, once', async () => {
  await openTopics();
  write('Feeder 12 tripped.');
  press(sendButton());
  await dialog().findByText(/^Notification sent/);
  pressEscape();
  await waitFor(() => assert.is(screen.queryByRole('dialog'), null));
  await clock.advance(2000);
  assert.is(notices().getAllByText(/^Notification sent/).length, 1);
});

test('when no answer comes the outcome is unknown, and a retry carries the same key', async () => {
  await openTopics();
  fakeApi.lose(SEND);
  write('Feeder 12 tripped.');
  press(sendButton());
  await dialog().findByText(UNKNOWN);
  press(sendButton());
  await waitFor(() => assert.is(fakeApi.asked(SEND).length, 2));
  fakeApi.answer(SEND, { message: '', messageId: 'm1' });
  await waitFor(() => assert.is(sendButton().disabled, false));
  press(sendButton());
  await dialog().findByText('Notification sent.');
  const [first, ...others] = keys();
  assert.match(first ?? '', /^[0-9a-f]{32}$/);
  assert.equal(others, [first, first]);
});

test('another text, and the same text sent a second time on purpose, get new keys', async () => {
  await openTopics();
  fakeApi.garble(SEND, 502);
  write('one');
  press(sendButton());
  await dialog().findByText(UNKNOWN);
  fakeApi.answer(SEND, { message: 'ok', messageId: 'm' });
  type(message(), 'two');
  press(sendButton());
  await dialog().findByText('ok');
  await clock.advance(1500);
  write('two');
  press(sendButton());
  await dialog().findByText('ok');
  assert.is(new Set(keys()).size, 3);
});

test('a refusal shows the server’s reason and does not speak of doubt', async () => {
  await openTopics();
  fakeApi.refuse(SEND, 404, 'This topic does not exist.');
  write('Feeder 12 tripped.');
  press(sendButton());
  await waitFor(() => assert.is(dialog().getByRole('alert').textContent, 'This topic does not exist.'));
  assert.is(message().value, 'Feeder 12 tripped.');
});

test('what was typed is still there after the dialog was closed by accident, for each topic its own', async () => {
  await openTopics();
  write('Feeder 12');
  pressEscape();
  await waitFor(() => assert.is(screen.queryByRole('dialog'), null));
  press(button('Send notification to Safety'));
  assert.is(message().value, '');
  press(dialog().getByRole('button', { name: 'Cancel' }));
  press(button('Send notification to Outages'));
  assert.is(message().value, 'Feeder 12');
});

test('what was typed outlives a session that ends by itself, but not for whoever signs in next', async () => {
  signInAs('ADMIN', { id: 1 });
  await openTopics();
  write('Feeder 12');
  cleanup(); // as when the login form takes the screen's place
  endSession();
  signInAs('ADMIN', { id: 1 });
  await openTopics();
  press(button('Send notification to Outages'));
  assert.is(message().value, 'Feeder 12');
  cleanup();
  endSession();
  signInAs('ADMIN', { id: 2 });
  await openTopics();
  press(button('Send notification to Outages'));
  assert.is(message().value, '');
});

test('once sent, the box is empty the next time', async () => {
  await openTopics();
  write('Feeder 12');
  press(sendButton());
  await dialog().findByText(/^Notification sent/);
  await clock.advance(1500);
  press(button('Send notification to Outages'));
  assert.is(message().value, '');
});

test('a dialog closed while the message is on its way still tells how it ended', async () => {
  await openTopics();
  fakeApi.refuse(SEND, 429, 'Too many requests.');
  const release = fakeApi.hold(SEND);
  write('Feeder 12');
  press(sendButton());
  await dialog().findByRole('button', { name: 'Sending...' });
  pressEscape();
  await waitFor(() => assert.is(screen.queryByRole('dialog'), null));
  release();
  await notices().findByText('Too many requests.');
});

test('the subscribers of a topic are listed with role, status, devices and date', async () => {
  await openTopics([
    makeSubscriber(1, { user: { username: 'm.okafor', role: 'TECHNICIAN' }, enabledDevices: 2, totalDevices: 2 }),
    makeSubscriber(2, { notificationStatus: 'partial', totalDevices: 2 }),
    makeSubscriber(3, { notificationStatus: 'disabled', enabledDevices: 0 }),
    makeSubscriber(4, { user: { username: 'harbour-office', role: 'CUSTOMER' }, notificationStatus: 'no_devices', enabledDevices: 0, totalDevices: 0, createdAt: 'never' }),
  ]);
  press(button('Subscribers of Outages'));
  const table = await dialog().findByRole('table');
  const rows = [...table.querySelectorAll('tr')].map((row) => [...row.children].map((cell) => cell.textContent));
  assert.equal(rows[0], ['Username', 'Role', 'Notification Status', 'Devices', 'Subscribed Date']);
  assert.equal(
    rows.slice(1).map((row) => row.slice(0, 4)),
    [
      ['m.okafor', 'Technician', 'Enabled', '2/2'],
      ['user2', 'Technician', 'Partial', '1/2'],
      ['user3', 'Technician', 'Disabled', '0/1'],
      ['harbour-office', 'Customer', 'No devices', '0/0'],
    ],
  );
  assert.is(rows[4][4], '-');
  press(dialog().getByRole('button', { name: 'Close' }));
  assert.is(document.activeElement, button('Subscribers of Outages'));
});

test('a topic nobody subscribed to says so', async () => {
  await openTopics([]);
  press(button('Subscribers of Outages'));
  await dialog().findByText('No subscribers for this topic.');
});

test('subscribers that cannot be read can be asked for again, and sending does not depend on their number', async () => {
  await openTopics();
  fakeApi.lose(SUBSCRIBERS);
  press(button('Subscribers of Outages'));
  await dialog().findByText('Failed to fetch subscribers.');
  fakeApi.answer(SUBSCRIBERS, []);
  press(dialog().getByRole('button', { name: 'Retry' }));
  await dialog().findByText('No subscribers for this topic.');
  press(dialog().getByRole('button', { name: 'Close' }));
  fakeApi.lose(SUBSCRIBERS);
  write('Feeder 12');
  await dialog().findByText('Failed to fetch subscribers.');
  assert.is(sendButton().disabled, false);
});

test('ten thousand subscribers are shown fifty at a time', async () => {
  await openTopics(count(10_000).map((id) => makeSubscriber(id)));
  press(button('Subscribers of Outages'));
  await dialog().findByText('1–50 of 10,000 subscribers');
  assert.ok(document.querySelectorAll('*').length < 1500);
  press(dialog().getByRole('button', { name: 'Next' }));
  assert.ok(dialog().getByText('user51'));
});

test.run();
