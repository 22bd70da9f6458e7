import * as assert from 'uvu/assert';
import {
  keepPush,
  readKeptMessages,
  readPendingReceipts,
} from '../../../../src/platform/storage/received';
import { SignedInRoutes } from '../../../support/app/signed-in';
import { inboxLoading, unsavedAnswers } from '../../../../src/state/inbox/inbox-state';
import { loadSession } from '../../../../src/state/session';
import { sendReceipts } from '../../../../src/state/receipts';
import type { InboxMessage, Role } from '../../../../src/shared/contract';
import {
  button,
  cleanup,
  clock,
  fakeApi,
  findButton,
  pressElement,
  screen,
  tapAgain,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
  within,
} from '../../../support/app/app';
import { fakeDatabase } from '../../../support/app/fake-database';
import {
  fakeInbox,
  createMessage,
  READ_MESSAGE_CALL,
  LIST_MESSAGES_CALL,
  SEND_RECEIPTS_CALL,
} from '../../../support/app/fake-inbox';
import { endSession, signInAs } from '../../../support/app/session';
import { fakePush } from '../../../support/push-services/fake-push';

const test = screenSuite('message');
/** A person per test, so that earlier work cannot interfere. */
let person = 7;

test.before.each(() => {
  person++;
  fakePush.install('default');
  fakeDatabase.install();
  fakeApi.reply('GET /api/notifications/my-subscriptions', []);
  fakeApi.reply('GET /api/notifications/preferences', []);
  fakeApi.reply('GET /api/notifications/devices', []); // the check lists the devices
});
test.after.each(async () => {
  cleanup();
  endSession();
  await sendReceipts(); // waits for open receipts, which would delay the next test's
  await readKeptMessages(person); // waits for open writes
  fakeDatabase.remove();
});

function openMessagePath(path: string, messages: InboxMessage[], role: Role = 'TECHNICIAN'): void {
  signInAs(role, { id: person });
  fakeInbox.install(messages);
  showScreen(<SignedInRoutes />, path);
}
/** The device keeps its data, unlike at a sign-out. */
function reload(path: string, messages: InboxMessage[]): void {
  cleanup();
  localStorage.setItem('device_token', 'a token');
  localStorage.removeItem('jwt_token');
  loadSession();
  openMessagePath(path, messages);
}
/** The places come with the inbox, once the browser is idle. */
async function findPlaces() {
  await waitFor(async () => {
    await clock.advance(200);
    screen.getByRole('navigation', { name: 'Main navigation' });
  });
  return within(screen.getByRole('navigation', { name: 'Main navigation' }));
}
const heading = (name: string) => screen.findByRole('heading', { level: 1, name });
const messageArticle = () => document.querySelector('.letter');
const lostComments = () =>
  screen.queryAllByText(/^Your comment/).map(({ textContent }) => textContent);
const backLink = () => document.querySelector<HTMLElement>('a.back');

test('shows a whole message with line breaks, phone numbers, link, reason and expiry', async () => {
  openMessagePath('/messages/m1', [
    createMessage(1, {
      title: 'Storm and flood warnings',
      message: 'Stop all work NOW.\nCall 555-0142, see http://map.example/pole.',
      priority: 'urgent',
      link: 'https://weather.example/north',
      sender: 'ada.lindqvist',
      expiresAt: new Date(2099, 0, 5, 20).toISOString(),
    }),
  ]);
  await heading('Storm and flood warnings');
  assert.is(
    messageArticle()?.textContent,
    'Stop all work NOW.\nCall 555-0142, see http://map.example/pole.',
  );
  for (const [name, to] of [
    ['555-0142', 'tel:5550142'],
    ['Call 555-0142', 'tel:5550142'],
    ['http://map.example/pole', 'http://map.example/pole'],
    ['map.example', 'http://map.example/pole'],
    ['weather.example', 'https://weather.example/north'],
  ] as const)
    assert.is(screen.getByRole('link', { name }).getAttribute('href'), to);
  screen.getByText('Urgent');
  assert.match(
    screen.getByText('ada.lindqvist').closest('.line')?.textContent ?? '',
    /^ALada\.lindqvist today \d\d:\d\d$/,
  );
  assert.match(
    screen.getByText(/Sent to the topic/).textContent ?? '',
    /^Sent to the topic Grid outages\. The message expires .*2099 at 20:00\.$/,
  );
  assert.is(backLink()?.getAttribute('href'), '/messages');
});

test('records a read message once when opened, and lowers the count', async () => {
  openMessagePath('/messages', [createMessage(1), createMessage(2)]);
  await screen.findByRole('link', { name: /^Title 2/ });
  const places = await findPlaces();
  await waitFor(() => assert.ok(places.getByRole('link', { name: 'Inbox 2 new' })));
  pressElement(screen.getByRole('link', { name: /^Title 2/ }));
  await heading('Title 2');
  await waitFor(() => assert.ok(places.getByRole('link', { name: 'Inbox 1 new' })));
  await waitFor(() => assert.ok(fakeInbox.findMessage('m2')?.readAt));
  pressElement(backLink() as HTMLElement);
  await waitFor(() => assert.is(screen.getByText('Title 2').closest('li')?.className, 'read'));
  assert.equal(
    fakeInbox.sentReceipts().map(({ messageId, kind }) => [messageId, kind]),
    [['m2', 'read']],
  );
});

test('opens a clicked notification’s message before it is listed', async () => {
  openMessagePath('/', [createMessage(1)]);
  await heading('Topics & Notifications Settings');
  fakeInbox.addMessage(createMessage(2, { title: 'Storm' }));
  // The listener exists once the screen is painted.
  await waitFor(() =>
    assert.is(fakePush.tell({ type: 'open', path: '/messages/m2' }).replied, true),
  );
  await heading('Storm');
  assert.is(location.pathname, '/messages/m2');
  await waitFor(() => assert.ok(fakeInbox.findMessage('m2')?.readAt));
  fakePush.tell({ type: 'open', path: '/messages/m1' });
  await heading('Title 1');
});

test('does not promise to notify again when nothing will', async () => {
  openMessagePath('/messages/m1', [
    createMessage(1, { priority: 'urgent', answers: ['On my way'] }),
  ]);
  await screen.findByRole('group', { name: 'Answer to Title 1' });
  assert.is(screen.queryByText(/Rings until/), null);
});

test('lets a sent answer be changed until the message ends', async () => {
  const answers = ['On my way', 'Can’t'];
  openMessagePath('/messages/m1', [
    createMessage(1, { priority: 'urgent', answers, notifiesAgain: true }),
    createMessage(2, { answers }),
  ]);
  await screen.findByText('Rings until you answer.');
  const group = screen.getByRole('group', { name: 'Answer to Title 1' });
  assert.is(within(group).getAllByRole('button').length, 2);
  pressElement(button('On my way'));
  await screen.findByText(/· sent \d\d:\d\d/);
  const next = await screen.findByRole('link', { name: 'Next to answer: Title 2' });
  assert.is(next.getAttribute('href'), '/messages/m2');
  assert.is(screen.queryByText('You’ve answered everything'), null);
  assert.is(screen.queryByRole('button', { name: 'Can’t' }), null);
  assert.is(fakeInbox.findMessage('m1')?.answer, 'On my way');
  pressElement(await findButton('Change answer'));
  pressElement(await findButton('Cancel'));
  pressElement(await findButton('Change answer'));
  const pressed = ['On my way', 'Can’t'].map((name) => button(name).getAttribute('aria-pressed'));
  assert.equal(pressed, ['true', 'false']);
  assert.is(button('On my way').className, button('Can’t').className, 'neither is proposed');
  assert.is(fakeInbox.findMessage('m1')?.answer, 'On my way');
  fakeInbox.loseRequests();
  const other = await findButton('Can’t');
  assert.ok(other.closest('.note'), 'above the comment');
  await waitFor(() => assert.is(document.activeElement, button('On my way')));
  pressElement(other);
  await screen.findByText(/Sends when you’re back online\./);
  assert.ok(screen.getByText('Can’t'));
  assert.is(screen.queryByRole('button', { name: 'On my way' }), null);
  fakeInbox.install([fakeInbox.findMessage('m1')!]);
  dispatchEvent(new Event('online'));
  const sentNote = (await screen.findByText(/· sent \d\d:\d\d/)).closest('.note');
  assert.is(sentNote?.getAttribute('data-tone'), 'ok', 'a refusal is an answer like others');
  assert.is(fakeInbox.findMessage('m1')?.answer, 'Can’t');
  typeInto(await screen.findByLabelText(/^Comment/), 'Half a sent');
  const allClearAt = new Date().toISOString();
  fakeInbox.changeMessage('m1', { allClearAt, allClearBy: 'ada', readAt: null });
  fakePush.tell({ type: 'shown', shown: { title: '', body: '' } });
  await waitFor(() => assert.is(screen.queryByRole('button', { name: 'Change answer' }), null));
  assert.is(screen.queryByRole('textbox'), null);
  assert.equal(lostComments(), [
    'Your comment wasn’t recorded: Half a sent The all-clear came first.',
  ]);
  const allClear = (await screen.findByText(/^from/)).closest('.note');
  assert.match(allClear?.textContent ?? '', /^All clear \d\d:\d\d from ada$/);
  await waitFor(() => assert.ok(fakeInbox.findMessage('m1')?.readAt, 'it is open'));
});

test('marks a sent call for help, and says who can see it', async () => {
  openMessagePath('/messages/m1', [
    createMessage(1, { answers: ['Safe', 'Trouble'], helpAnswers: ['Trouble'] }),
  ]);
  pressElement(await findButton('Trouble'));
  const note = (await screen.findByText(/· sent \d\d:\d\d/)).closest('.note');
  assert.is(note?.getAttribute('data-tone'), 'bad');
  assert.match(note?.textContent ?? '', 'Administrators can see it. Need help now? Call someone');
  assert.is(screen.queryByText('You’ve answered everything'), null, 'the person still needs help');
  pressElement(button('Change answer'));
  pressElement(await findButton('Safe'));
  await waitFor(() => assert.is(note?.getAttribute('data-tone'), 'ok'));
  assert.not.match(note?.textContent ?? '', 'Administrators');
  await screen.findByText('You’ve answered everything');
});

test('lets a waiting answer be changed, and sends only the last', async () => {
  const message = createMessage(1, { answers: ['On my way', 'Can’t'] });
  openMessagePath('/messages/m1', [message]);
  await findButton('On my way');
  await waitFor(() => assert.ok(fakeInbox.findMessage('m1')?.readAt));
  fakeInbox.loseRequests();
  pressElement(button('On my way'));
  tapAgain(await findButton('Change answer'));
  await clock.advance(200);
  assert.is(screen.queryByRole('button', { name: 'Can’t' }), null, 'a double tap on the answer');
  typeInto(await screen.findByLabelText(/^Comment/), 'From the depot');
  pressElement(await findButton('Save comment'));
  await screen.findByText('Sends when you’re back online.', { selector: 'small' });
  pressElement(await findButton('Change answer'));
  pressElement(await findButton('Can’t'));
  await screen.findByText(/Sends when you’re back online\./);
  assert.is(
    (await screen.findByLabelText<HTMLTextAreaElement>(/^Comment/)).value,
    'From the depot',
  );
  assert.equal(
    (await readPendingReceipts(person)).map(({ answer }) => answer),
    ['Can’t'],
  );
  fakeInbox.install([message]);
  dispatchEvent(new Event('online'));
  await screen.findByText(/· sent \d\d:\d\d/);
  assert.is(fakeInbox.findMessage('m1')?.answer, 'Can’t');
});

const corrected = {
  ...{ revision: 2, revisedAt: '2026-11-20T10:05:00.000Z' },
  former: [{ revision: 1, title: 'Title 1', message: 'Gate 21.', at: '2026-11-20T10:00:00.000Z' }],
};

test('shows the answered text, and accepts the same answer to a correction', async () => {
  const answered = { answer: 'Got it', acknowledgedAt: '2026-11-20T10:01:00.000Z' };
  const message = createMessage(1, { ...corrected, ...answered, answers: ['Got it'] });
  openMessagePath('/messages/m1', [{ ...message, answerRevision: 2 }]);
  await screen.findByText(/· sent /);
  const EARLIER = /^Answered the text from .*, before it was corrected$/;
  assert.is(screen.queryByText(EARLIER), null);
  assert.is(screen.queryByRole('button', { name: 'Answer again' }), null);
  cleanup();
  openMessagePath('/messages/m1', [{ ...message, answerRevision: 1 }]);
  await screen.findByText(EARLIER);
  pressElement(button('Answer again'));
  pressElement(await findButton('Got it'));
  await waitFor(() => assert.is(screen.queryByText(EARLIER), null));
  await waitFor(() => assert.is(fakeInbox.findMessage('m1')?.answerRevision, 2));
});

test('keeps the earlier answer visible after answers were requested again', async () => {
  const at = '2026-11-20T10:01:00.000Z';
  const formerAnswers = [
    { revision: 1, answer: 'On my way', comment: 'With the van.', at, late: false },
  ];
  const answers = ['On my way', 'Can’t'];
  const message = createMessage(1, { ...corrected, answers, formerAnswers });
  openMessagePath('/messages', [message]);
  await screen.findByText('Answer again');
  cleanup();
  openMessagePath('/messages/m1', [message]);
  const note = (await screen.findByText(/^Your earlier answer:/)).closest('.note');
  assert.match(
    note?.textContent ?? '',
    /^Your earlier answer: On my way \(to the text from .*\)\. Please answer again\.With the van\.$/,
  );
  pressElement(button('Can’t'));
  await screen.findByText(/· sent \d\d:\d\d/);
  assert.is(screen.queryByText(/^Your earlier answer:/), null);
  cleanup();
  openMessagePath('/messages/m1', [{ ...message, state: 'cancelled' }]);
  await screen.findByText(/^Your earlier answer:/);
  assert.is(screen.queryByText('Please answer again.'), null);
});

for (const [what, comment, lost] of [
  ['once if the server has it', 'Parking at A', []],
  [
    'with a comment that the server lacks',
    'Parking at B',
    ['Your comment wasn’t recorded: Parking at A Answer again to send it.'],
  ],
] as const)
  test(`shows an answer sent after a correction, ${what}`, async () => {
    const message = createMessage(1, { answers: ['Got it'], revision: 1 });
    openMessagePath('/messages/m1', [message]);
    await findButton('Got it');
    fakeInbox.loseRequests();
    pressElement(button('Got it'));
    typeInto(await screen.findByLabelText(/^Comment/), 'Parking at A');
    pressElement(await findButton('Save comment'));
    await screen.findByText('Sends when you’re back online.', { selector: 'small' });
    await keepPush(person, { ...message, ...corrected, pushed: true });
    fakePush.tell({ type: 'shown', shown: { title: '', body: '' } });
    await screen.findByText(/^Answered the text from .*, before it was corrected$/);
    const former = { revision: 1, answer: 'Got it', comment, at: message.createdAt, late: false };
    fakeInbox.install([{ ...message, ...corrected, answers: ['Got it'], formerAnswers: [former] }]);
    fakeApi.reply(SEND_RECEIPTS_CALL, { recorded: 1 });
    dispatchEvent(new Event('online'));
    await screen.findByText(/^Your earlier answer:/);
    await waitFor(() => assert.equal(lostComments(), lost));
    assert.is(screen.queryByText(/^Got it wasn’t recorded/), null);
  });

test('says that an answer to an expired message is late, and sends it', async () => {
  const expiresAt = new Date(Date.now() - 60_000).toISOString();
  openMessagePath('/messages/m1', [createMessage(1, { answers: ['Got it'], expiresAt })]);
  await screen.findByText(
    /^Expired .*at \d\d:\d\d\. You can still answer, but your answer will be marked as late\.$/,
  );
  assert.is(screen.getAllByText(/[Ee]xpired/).length, 1, 'said once');
  pressElement(button('Got it'));
  await screen.findByText(/· sent \d\d:\d\d · late$/);
  assert.is(screen.getAllByText(/[Ee]xpired/).length, 1);
  assert.is(fakeInbox.findMessage('m1')?.answer, 'Got it');
});

test('shows an unrecorded answer beside the recorded one', async () => {
  openMessagePath('/messages/m1', [createMessage(1, { answers: ['On my way', 'Can’t'] })]);
  await findButton('On my way');
  fakeInbox.changeMessage('m1', { answer: 'Can’t', acknowledgedAt: new Date().toISOString() });
  pressElement(button('On my way'));
  const note = await screen.findByText(/wasn’t recorded\./);
  assert.is(note.textContent, 'On my way wasn’t recorded. You had already answered.');
  assert.ok(screen.getByText(/· sent \d\d:\d\d/).textContent?.startsWith('Can’t'));
  assert.ok(button('Change answer'));
});

test('says why an answer was not recorded, and keeps its comment', async () => {
  const message = createMessage(1, { answers: ['On my way'] });
  openMessagePath('/messages/m1', [message]);
  await findButton('On my way');
  await waitFor(() => assert.ok(fakeInbox.findMessage('m1')?.readAt));
  fakeInbox.loseRequests();
  pressElement(button('On my way'));
  typeInto(await screen.findByLabelText(/^Comment/), 'Ten minutes, from the depot');
  pressElement(await findButton('Save comment'));
  await screen.findByText('Sends when you’re back online.', { selector: 'small' });
  fakeInbox.install([{ ...message, answers: [], allClearAt: new Date().toISOString() }]);
  dispatchEvent(new Event('online'));
  const note = await screen.findByText(/wasn’t recorded\./);
  assert.is(note.textContent, 'On my way wasn’t recorded. The all-clear came first.');
  assert.equal(lostComments(), ['Your comment wasn’t recorded: Ten minutes, from the depot ']);
  reload('/messages/m1', [{ ...message, answers: [], state: 'cancelled' }]);
  await screen.findByText(
    /wasn’t recorded\. The message was canceled before your answer arrived\.$/,
  );
  assert.is(lostComments().length, 1);
  pressElement(button('Dismiss'));
  await waitFor(() => assert.equal(lostComments(), []));
  reload('/messages/m1', [{ ...message, answers: [], state: 'cancelled' }]);
  await screen.findByText(/wasn’t recorded\./);
  assert.equal(lostComments(), []);
});

test('keeps a comment that is not saved, also after the message ended', async () => {
  const field = () => screen.findByLabelText<HTMLTextAreaElement>(/^Comment/);
  const reloadMessage = () => reload('/messages/m1', [fakeInbox.findMessage('m1')!]);
  openMessagePath('/messages/m1', [
    createMessage(1, { answers: ['On my way', 'Can’t'] }),
    createMessage(2),
  ]);
  pressElement(await findButton('On my way'));
  typeInto(await field(), 'Ten minutes');
  pressElement(backLink()!);
  pressElement(await screen.findByRole('link', { name: /Title 2/ }));
  await heading('Title 2');
  reloadMessage();
  await screen.findByDisplayValue('Ten minutes');
  pressElement(button('Save comment'));
  await screen.findByText('Saved.');
  await waitFor(() => assert.is(unsavedAnswers.value.size, 0));
  reloadMessage();
  await screen.findByText('Saved.');
  typeInto(await field(), 'An hour');
  fakeInbox.loseRequests();
  pressElement(button('Save comment'));
  await screen.findByText('Sends when you’re back online.');
  const ended = {
    ...fakeInbox.findMessage('m1')!,
    allClearAt: new Date().toISOString(),
    answers: [],
  };
  fakeInbox.install([ended]);
  dispatchEvent(new Event('online'));
  for (const _ of ['at once', 'after a reload']) {
    await waitFor(() =>
      assert.equal(lostComments(), [
        'Your comment wasn’t recorded: An hour The all-clear came first.',
      ]),
    );
    assert.ok(screen.getByText('Ten minutes', { selector: 'bdi' }));
    reloadMessage();
  }
});

test('says when a message does not exist for this person, with a way back', async () => {
  signInAs('TECHNICIAN', { id: person });
  fakeInbox.install([createMessage(1)]);
  fakeApi.reject(READ_MESSAGE_CALL, 404, 'There is no such message.');
  showScreen(<SignedInRoutes />, '/messages/none');
  await screen.findByText('This message doesn’t exist or wasn’t sent to you.');
  assert.is(screen.queryByRole('button', { name: 'Retry' }), null);
  assert.ok(backLink());
});

test('ignores late responses of another message, and marks opened messages as read', async () => {
  const install = () => {
    fakeInbox.install([createMessage(1), createMessage(2)]);
    fakeApi.reject(LIST_MESSAGES_CALL, 500); // no list has the message yet
  };
  signInAs('TECHNICIAN', { id: person });
  install();
  fakeApi.reject(READ_MESSAGE_CALL, 404, 'There is no such message.');
  const release = fakeApi.holdReplies(READ_MESSAGE_CALL);
  showScreen(<SignedInRoutes />, '/messages/none');
  await waitFor(() => assert.is(fakeApi.requestsTo(READ_MESSAGE_CALL).length, 1));
  install();
  const releaseNext = fakeApi.holdReplies(READ_MESSAGE_CALL);
  fakePush.tell({ type: 'open', path: '/messages/m2' });
  await waitFor(() => assert.is(fakeApi.requestsTo(READ_MESSAGE_CALL).length, 2));
  release();
  await clock.advance(0);
  assert.is(screen.queryByText(/^This message doesn’t exist/), null);
  releaseNext();
  await heading('Title 2');
  fakePush.tell({ type: 'open', path: '/messages/m1' });
  await heading('Title 1');
  await waitFor(() =>
    assert.ok(fakeInbox.findMessage('m1')?.readAt && fakeInbox.findMessage('m2')?.readAt),
  );
});

for (const link of ['javascript:alert(1)', 'http://evil.example', '//evil.example'])
  test(`rejects ${link} as a message link`, async () => {
    openMessagePath('/messages/m1', [createMessage(1, { link })]);
    await heading('Title 1');
    assert.is(screen.queryByRole('link', { name: /evil|alert/ }), null);
    assert.is(document.querySelector(`a[href="${link}"]`), null);
  });

test('gives a technician Messages, Topics and Check at the bottom, with the current one marked', async () => {
  openMessagePath('/', [createMessage(1)]);
  await heading('Topics & Notifications Settings');
  const nav = await findPlaces();
  await waitFor(() => assert.ok(nav.getByRole('link', { name: 'Inbox 1 new' })));
  assert.equal(
    nav.getAllByRole('link').map((link) => link.getAttribute('aria-current')),
    [null, 'page', null],
  );
  pressElement(nav.getByRole('link', { name: 'Inbox 1 new' }));
  await heading('Inbox');
  assert.is(nav.getByRole('link', { name: 'Inbox 1 new' }).getAttribute('aria-current'), 'page');
  const main = within(screen.getByRole('navigation', { name: 'Main' }));
  assert.equal(
    main.getAllByRole('listitem').map(({ textContent }) => textContent),
    ['Inbox 1 new', 'Notifications', 'Test', 'Quiet hours', 'Account'],
  );
  pressElement(nav.getByRole('link', { name: 'Test' }));
  await heading('Test notifications');
  assert.is(nav.getByRole('link', { name: 'Test' }).getAttribute('aria-current'), 'page');
});

test('shows the two newest unread messages above the topics, with a link to all', async () => {
  openMessagePath('/', [createMessage(1), createMessage(2), createMessage(3), createMessage(4)]);
  await screen.findByRole('heading', { level: 2, name: 'New messages (4)' });
  assert.equal(
    [...document.querySelectorAll('.inbox b')].map(({ textContent }) => textContent),
    ['Title 4', 'Title 3'],
  );
  pressElement(screen.getByRole('link', { name: 'All messages' }));
  await heading('Inbox');
});

test('pins unanswered urgent messages above new ones until they are answered or expire', async () => {
  const urgent = { priority: 'urgent' as const, answers: ['On my way'] };
  const readAt = new Date().toISOString();
  openMessagePath('/', [
    createMessage(1, { ...urgent, readAt, title: 'Storm' }),
    createMessage(2, { ...urgent, readAt, title: 'Over', expiresAt: readAt }),
    createMessage(3, { readAt }),
    createMessage(4),
    createMessage(5),
    createMessage(6),
  ]);
  await screen.findByRole('heading', { level: 2, name: 'New messages (3)' });
  const rows = () =>
    [...document.querySelectorAll('.inbox b')].map(({ textContent }) => textContent);
  assert.equal(rows(), ['Storm', 'Title 6', 'Title 5']);
  fakeInbox.changeMessage('m1', { answer: 'On my way', acknowledgedAt: readAt });
  dispatchEvent(new Event('focus'));
  await waitFor(() => assert.equal(disc()?.dataset.tone, 'ok'));
  assert.equal(rows(), ['Storm', 'Title 6', 'Title 5'], 'it moves under no finger');
  cleanup();
  showScreen(<SignedInRoutes />, '/');
  await waitFor(() => assert.equal(rows(), ['Title 6', 'Title 5']));
});

test('answers an urgent message on the home screen, which is calm once that is recorded', async () => {
  openMessagePath('/', [
    createMessage(1, { title: 'Training', answers: ['Coming'] }),
    createMessage(2, { priority: 'urgent', title: 'Storm', answers: ['On my way', 'No'] }),
  ]);
  const group = await screen.findByRole('group', { name: 'Answer to Storm' });
  const storm = group.closest('li');
  assert.is(screen.queryByRole('group', { name: 'Answer to Training' }), null);
  const respond = fakeApi.holdReplies(SEND_RECEIPTS_CALL);
  pressElement(within(group).getByRole('button', { name: 'On my way' }));
  const chip = await within(storm as HTMLElement).findByText('On my way');
  assert.is(storm?.querySelector('button'), null);
  assert.equal([storm?.className, disc()?.dataset.tone], ['new urgent', 'bad'], 'not recorded yet');
  assert.is.not(chip.closest<HTMLElement>('.chip')?.dataset.tone, 'ok');
  respond();
  await waitFor(() => assert.equal([storm?.className, disc()?.dataset.tone], ['read', 'ok']));
  assert.is(storm?.querySelector<HTMLElement>('.chip')?.dataset.tone, 'ok');
});
const disc = () => document.querySelector<HTMLElement>('.inbox .disc');

for (const [what, room] of [
  ['a long page', 1000],
  ['a page that is too short to be scrolled as far', 50],
] as const)
  test(`leaves each switch in place when messages appear above the topics of ${what}`, async () => {
    const real = {
      rect: Element.prototype.getBoundingClientRect,
      height: Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'offsetHeight'),
      scrollBy: globalThis.scrollBy,
    };
    let scrolled = 0;
    const page = () => document.querySelector<HTMLElement>('main main'); // the frame's
    const longer = () => Math.max(0, Number.parseFloat(page()?.style.minHeight || '500') - 500);
    const topOfTopics = () => 100 + (document.querySelector('.inbox') ? 200 : 0) - scrolled;
    Object.assign(globalThis, {
      scrollBy: (_: number, by: number) => (scrolled = Math.min(scrolled + by, room + longer())),
    });
    Element.prototype.getBoundingClientRect = function (this: Element) {
      return { top: this.id === 'fresh' ? 50 - scrolled : topOfTopics() } as DOMRect;
    };
    Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
      configurable: true,
      get: () => 500,
    });
    try {
      openMessagePath('/', []);
      await heading('Topics & Notifications Settings');
      await waitFor(() => assert.is(inboxLoading.value.kind, 'ready'));
      fakeInbox.addMessage(createMessage(1));
      dispatchEvent(new Event('focus'));
      await screen.findByRole('heading', { level: 2, name: 'New messages (1)' });
      assert.equal([topOfTopics(), scrolled], [100, 200]);
      cleanup();
      scrolled = 0;
      person++;
      openMessagePath('/', [createMessage(1)]);
      await screen.findByRole('heading', { level: 2, name: 'New messages (1)' });
      assert.is(scrolled, 0, 'the page begins with its messages');
    } finally {
      Element.prototype.getBoundingClientRect = real.rect;
      Object.assign(globalThis, { scrollBy: real.scrollBy });
      if (real.height) Object.defineProperty(HTMLElement.prototype, 'offsetHeight', real.height);
    }
  });

test('reserves as much space for new messages as last time', async () => {
  const real = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'offsetHeight');
  Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
    configurable: true,
    get(this: HTMLElement) {
      return this.tagName === 'SECTION' ? 240 : 999;
    },
  });
  const place = () => document.querySelector<HTMLElement>('#fresh');
  try {
    openMessagePath('/', [createMessage(1), createMessage(2)]);
    await screen.findByRole('heading', { level: 2, name: 'New messages (2)' });
    assert.is(place()?.style.minHeight, '');
    await waitFor(() => assert.is(localStorage.getItem('fresh'), '240px'));
    cleanup();
    person++; // stores none of this test's messages
    const release = fakeApi.holdReplies(LIST_MESSAGES_CALL);
    openMessagePath('/', [createMessage(1), createMessage(2)]);
    assert.is((await waitFor(() => place() ?? Promise.reject())).style.minHeight, '240px');
    release();
    await screen.findByRole('heading', { level: 2, name: 'New messages (2)' });
    assert.is(localStorage.getItem('fresh'), '240px');
  } finally {
    if (real) Object.defineProperty(HTMLElement.prototype, 'offsetHeight', real);
  }
});

test('keeps the list in place when messages are read here or elsewhere', async () => {
  openMessagePath('/', [createMessage(1), createMessage(2)]);
  await screen.findByRole('heading', { level: 2, name: 'New messages (2)' });
  localStorage.setItem('fresh', '259px');
  const readAt = new Date().toISOString();
  fakeInbox.install([createMessage(1, { readAt }), createMessage(2, { readAt })]);
  fakePush.tell({ type: 'shown', shown: { title: '', body: '' } });
  await screen.findByRole('heading', { level: 2, name: 'Messages' });
  assert.ok(screen.getByText('Title 2'));
  assert.is(localStorage.getItem('fresh'), '0px');
  localStorage.setItem('fresh', '259px');
  const places = await findPlaces();
  pressElement(places.getByRole('link', { name: 'Inbox' }));
  await heading('Inbox');
  pressElement(places.getByRole('link', { name: 'Topics' }));
  await heading('Topics & Notifications Settings');
  assert.is(document.querySelector<HTMLElement>('#fresh')?.style.minHeight, '');
});

test('loads topics again for a message of an unknown topic', async () => {
  const MINE = 'GET /api/notifications/my-subscriptions';
  openMessagePath('/', [createMessage(1), createMessage(2, { topic: null })]);
  await screen.findByText('You’re no longer subscribed to Grid outages.');
  assert.ok(screen.getByText(/^You are not subscribed to any topics yet\./));
  assert.ok(screen.getByText('Sent to you directly.'));
  // Once at the start (React may mount twice) and once for the message.
  const times = fakeApi.requestsTo(MINE).length;
  assert.ok(times === 2 || times === 3, `asked ${times} times`);
});

test('says that a topic was left once reading the topics again succeeds', async () => {
  const MINE = 'GET /api/notifications/my-subscriptions';
  const LEFT = 'You’re no longer subscribed to Grid outages.';
  const release = fakeApi.holdReplies(LIST_MESSAGES_CALL);
  openMessagePath('/', [createMessage(1)]);
  await screen.findByText(/^You are not subscribed to any topics yet\./);
  const earlierCount = fakeApi.requestsTo(MINE).length;
  fakeApi.loseRequests(MINE);
  release();
  await screen.findByRole('heading', { level: 2, name: 'New messages (1)' });
  await waitFor(() => assert.is(fakeApi.requestsTo(MINE).length, earlierCount + 1));
  assert.is(screen.queryByText(LEFT), null);
  fakeApi.reply(MINE, []);
  await clock.advance(10_000);
  await screen.findByText(LEFT);
});

test('hides the panel when nothing is unread', async () => {
  openMessagePath('/', [createMessage(1, { readAt: new Date().toISOString() })]);
  const places = await findPlaces();
  await waitFor(() => assert.ok(places.getByRole('link', { name: 'Inbox' })));
  await clock.advance(0);
  assert.is(screen.queryByText(/^New messages/), null);
  assert.is(screen.queryByRole('link', { name: 'All messages' }), null);
});

test('shows an administrator’s own messages beside their topics, without bottom tabs', async () => {
  openMessagePath('/subscriptions', [], 'ADMIN');
  pressElement(await screen.findByRole('link', { name: 'All messages' }));
  await screen.findByText('No messages yet');
  assert.is(screen.queryByRole('navigation', { name: 'Main navigation' }), null);
});

test('reports a read message as soon as the connection returns', async () => {
  openMessagePath('/messages', [createMessage(1)]);
  await screen.findByRole('link', { name: /^Title 1/ });
  fakeApi.loseRequests(SEND_RECEIPTS_CALL);
  pressElement(screen.getByRole('link', { name: /^Title 1/ }));
  await heading('Title 1');
  await waitFor(async () => assert.is((await readPendingReceipts(person)).length, 1));
  fakeInbox.acceptReceipts();
  dispatchEvent(new Event('online'));
  await waitFor(() => assert.ok(fakeInbox.findMessage('m1')?.readAt));
});

test.run();
