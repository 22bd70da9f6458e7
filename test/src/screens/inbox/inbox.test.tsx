import * as assert from 'uvu/assert';
import {
  keepMessages,
  keepPush,
  readKeptMessages,
  clearOtherPerson,
  readPendingReceipts,
} from '../../../../src/platform/storage/received';
import { Inbox } from '../../../../src/screens/inbox/Inbox';
import { NewMessages } from '../../../../src/screens/inbox/NewMessages';
import { dayText } from '../../../../src/ui/values/Day';
import { StatusMessages } from '../../../../src/screens/shell/StatusMessages';
import { StatusBar } from '../../../../src/screens/shell/StatusBar';
import type { InboxMessage } from '../../../../src/shared/contract';
import {
  button,
  clock,
  cleanup,
  fakeApi,
  findButton,
  notices,
  pressElement,
  screen,
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
  createMessages,
  LIST_MESSAGES_CALL,
  SEND_RECEIPTS_CALL,
} from '../../../support/app/fake-inbox';
import { sendPendingReceipts } from '../../../../src/state/inbox/inbox-answers';
import { followInbox } from '../../../../src/state/inbox/follow-inbox';
import { inboxRows } from '../../../../src/state/inbox/inbox-state';
import { refreshInbox } from '../../../../src/state/inbox/load-inbox';
import { sendReceipts } from '../../../../src/state/receipts';
import { loadSession } from '../../../../src/state/session';
import { endSession, signInAs } from '../../../support/app/session';
import { fakePush } from '../../../support/push-services/fake-push';

const test = screenSuite('messages');
const INBOX_ROUTE = { path: '/messages', adminLabel: 'Inbox', Screen: Inbox } as const;

/** A person per test, so that earlier work cannot interfere. */
let person = 7;
const signIn = () => signInAs('TECHNICIAN', { id: person });

test.before.each(() => {
  person++;
  fakePush.install('granted');
  fakeDatabase.install();
  signIn();
});
test.after.each(async () => {
  cleanup();
  endSession();
  await sendReceipts(); // waits for open receipts, which would delay the next test's
  await readKeptMessages(person); // waits for open writes
  fakeDatabase.remove();
});

/** The screen below what the frame says of it. */
function openInbox(messages: InboxMessage[] = []): void {
  fakeInbox.install(messages);
  showInbox();
}
const showInbox = () =>
  showScreen(
    <>
      <Inbox />
      <StatusBar>
        <StatusMessages currentRoute={INBOX_ROUTE} />
      </StatusBar>
    </>,
    '/messages',
  );

const titles = () =>
  [...document.querySelectorAll('.inbox > li b')].map(({ textContent }) => textContent);
const row = async (name: string) =>
  within((await screen.findByText(name)).closest('li') as HTMLElement);
/** The session expires: the device keeps its data and pushes. */
function runOut(): void {
  localStorage.setItem('device_token', 'registered');
  localStorage.removeItem('jwt_token');
  loadSession();
}
const comeBack = () => dispatchEvent(new Event('focus'));
/** Waits for the button: React shows a press's rows before it is enabled again. */
async function pressOlder(): Promise<void> {
  const older = await findButton('Show older');
  await waitFor(() => assert.is(older.disabled, false));
  pressElement(older);
}
const openMessageWithAnswers = (name: string, ...answers: string[]) =>
  openInbox([createMessage(1, { title: name, answers })]);

const yesterday = () => {
  const date = new Date();
  date.setDate(date.getDate() - 1);
  date.setHours(9, 31);
  return date.toISOString();
};

test('lists messages by day, newest first, and counts those to answer', async () => {
  openInbox([
    createMessage(1, { createdAt: new Date(2025, 10, 12, 8).toISOString() }),
    createMessage(2, { createdAt: yesterday() }),
    createMessage(3, { answers: ['Got it'] }),
    createMessage(4, { answers: ['Got it'] }),
  ]);
  await screen.findByRole('heading', { level: 2, name: 'Today · 2 need your answer' });
  assert.equal(
    screen.getAllByRole('heading').map(({ textContent }) => textContent),
    ['Inbox', 'Today · 2 need your answer', 'Yesterday', dayText('2025-11-12T12:00:00Z')],
  );
  assert.equal(titles(), ['Title 4', 'Title 3', 'Title 2', 'Title 1']);
  assert.is(screen.getByRole('link', { name: /^Title 2/ }).getAttribute('href'), '/messages/m2');
  // Searches within one row: today's messages may have the same minute.
  const time = (await row('Title 2')).getByText('09:31');
  assert.is(time.getAttribute('datetime'), fakeInbox.findMessage('m2')?.createdAt);
});

test('lists unanswered urgent messages first, and keeps them there until the person leaves', async () => {
  const urgent = { priority: 'urgent' as const, answers: ['On my way'] };
  const sections = () =>
    screen
      .getAllByRole('region')
      .map((section) => [
        within(section).getByRole('heading').textContent,
        ...[...section.querySelectorAll('li b')].map(({ textContent }) => textContent),
      ]);
  openInbox([
    createMessage(1, { ...urgent, createdAt: yesterday() }),
    createMessage(2, { createdAt: yesterday() }),
    createMessage(3, { answers: ['Got it'] }),
  ]);
  await screen.findByText('Waiting for your answer');
  const rest = [
    ['Today · 1 needs your answer', 'Title 3'],
    ['Yesterday', 'Title 2'],
  ];
  assert.equal(sections(), [['Waiting for your answer', 'Title 1'], ...rest]);
  assert.ok((await row('Title 1')).getByText('yesterday 09:31'), 'no heading tells its day');
  pressElement((await row('Title 1')).getByRole('button', { name: 'On my way' }));
  await screen.findByText('Urgent', { selector: 'h2 small' });
  assert.equal(sections(), [['Urgent', 'Title 1'], ...rest], 'not from under the finger');
  typeInto(screen.getByLabelText('Search Messages'), 'Title');
  await clock.advance(250);
  await waitFor(() =>
    assert.equal(sections(), [
      ['Today · 1 needs your answer', 'Title 3'],
      ['Yesterday', 'Title 2', 'Title 1'],
    ]),
  );
  cleanup();
  showInbox();
  await waitFor(() => assert.equal(sections()[1], ['Yesterday', 'Title 2', 'Title 1']));
});

test('stops asking when a message expires, also while the inbox is open', async () => {
  const expiresAt = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
  const asking = { answers: ['Got it'], readAt: new Date().toISOString() };
  openInbox([
    createMessage(1, { ...asking, title: 'Over', expiresAt: expiresAt(-60_000) }),
    createMessage(2, { ...asking, title: 'Soon over', expiresAt: expiresAt(500) }),
    createMessage(3, { ...asking, title: 'Open' }),
  ]);
  await screen.findByRole('heading', { level: 2, name: 'Today · 2 need your answer' });
  const over = await row('Over');
  assert.is(over.queryByRole('button'), null);
  assert.ok(over.getByText('Expired'));
  const soonOver = await row('Soon over');
  assert.ok(soonOver.getByRole('button', { name: 'Got it' }));
  await waitFor(() =>
    assert.ok(Date.parse(fakeInbox.findMessage('m2')?.expiresAt ?? '') < Date.now()),
  );
  await clock.advance(60_000);
  await screen.findByRole('heading', { level: 2, name: 'Today · 1 needs your answer' });
  assert.is(soonOver.queryByRole('button'), null);
  assert.ok((await row('Open')).getByRole('button', { name: 'Got it' }));
});

test('marks messages as new, urgent, read, answered or needing no answer', async () => {
  const answers = ['On my way', 'Got it', 'Can’t'];
  const at = new Date(new Date().setHours(9, 33)).toISOString();
  openInbox([
    createMessage(1, { title: 'Done', answers, answer: 'Got it', readAt: at, acknowledgedAt: at }),
    createMessage(11, {
      title: 'Hurt',
      answer: 'Need help',
      helpAnswers: ['Need help'],
      readAt: at,
      acknowledgedAt: at,
    }),
    createMessage(2, { title: 'Seen', readAt: at }),
    createMessage(3, { title: 'New', answers }),
    createMessage(4, { title: 'Storm', priority: 'urgent', answers }),
    createMessage(5, { title: 'Off', answers, state: 'cancelled' }),
    createMessage(6, { title: 'Over', priority: 'urgent', answers, state: 'resolved' }),
    createMessage(7, { title: 'Opened', priority: 'urgent', answers, readAt: at }),
    createMessage(8, { title: 'Heard', priority: 'urgent', readAt: at }),
    createMessage(10, { title: 'Asked', answers, readAt: at }),
    createMessage(9, { title: 'Calm', priority: 'urgent', allClearAt: at }),
    createMessage(12, { title: 'Late', priority: 'urgent', answers, expiresAt: yesterday() }),
    createMessage(14, {
      title: 'Other',
      answer: 'Got it',
      readAt: at,
      acknowledgedAt: at,
      answerRevision: 1,
      revision: 2,
      revisedAt: at,
    }),
    createMessage(13, { title: 'Corrected', priority: 'urgent', answers, answer: 'Got it' }),
  ]);
  const looks = async (name: string) => (await screen.findByText(name)).closest('li')?.className;
  assert.is(await looks('Done'), 'read');
  assert.is(await looks('Seen'), 'read');
  assert.is(await looks('New'), 'new');
  assert.is(await looks('Asked'), 'new', 'until it is answered');
  assert.is(await looks('Storm'), 'new urgent');
  assert.is(await looks('Opened'), 'new urgent', 'until it is answered');
  assert.is(await looks('Heard'), 'read', 'no answer needed');
  assert.is(await looks('Over'), 'new');
  assert.is(await looks('Late'), 'new', 'expired');
  assert.ok((await row('Late')).getByText('Expired'));
  assert.is((await row('Late')).queryByText('Urgent'), null);
  const earlier = (await row('Other')).getByText('Got it').closest('.chip');
  assert.is(earlier?.getAttribute('data-tone'), 'warn', 'answered the earlier text');
  assert.is(await looks('Corrected'), 'new', 'a correction of an answered message');
  assert.is(await looks('Calm'), 'new');
  assert.is((await row('Calm')).queryByText('No answer requested'), null, 'it may have been asked');
  (await row('Done')).getByText('Got it', { exact: false });
  assert.is((await row('Done')).getByText(/09:33/).getAttribute('data-tone'), 'ok');
  assert.is((await row('Hurt')).getByText(/09:33/).getAttribute('data-tone'), 'bad');
  assert.is((await row('Seen')).getByText('No answer requested').closest('.chip'), null, 'quiet');
  (await row('Off')).getByText('Canceled');
  assert.is((await row('Off')).queryByRole('button'), null, 'that is no longer needed');
  (await row('Over')).getByText('Resolved');
  assert.is((await row('Over')).queryByRole('button'), null, 'neither is that');
  const storm = await row('Storm');
  assert.is(storm.getByText('Urgent').getAttribute('data-tone'), 'bad');
  const group = storm.getByRole('group', { name: 'Answer to Storm' });
  assert.equal(
    within(group)
      .getAllByRole('button')
      .map(({ textContent, className }) => [textContent, className]),
    [
      ['On my way', ''],
      ['Got it', 'plain'],
      ['Can’t', 'plain'],
    ],
    'the sender’s order; only what is urgent has a main button',
  );
  assert.is((await row('New')).getByRole('button', { name: 'On my way' }).className, 'plain');
});

test('shows an answer at once, and sends it once with its time', async () => {
  openMessageWithAnswers('Storm', 'On my way', 'Got it');
  await screen.findByText('Storm');
  await sendPendingReceipts(); // the screen's own reports would include the answer
  const release = fakeApi.holdReplies(SEND_RECEIPTS_CALL);
  pressElement(button('On my way'));
  const storm = await row('Storm');
  await waitFor(() => assert.is(storm.queryByRole('button'), null));
  storm.getByText('On my way');
  assert.is(screen.queryByText('You’ve answered everything'), null, 'not before it is recorded');
  release();
  await storm.findByText(/· \d\d:\d\d/);
  await screen.findByText('You’ve answered everything');
  const [receipt, ...more] = fakeInbox.sentReceipts();
  assert.equal(more, []);
  assert.equal(
    [receipt?.messageId, receipt?.kind, receipt?.answer],
    ['m1', 'acknowledged', 'On my way'],
  );
  assert.ok(Math.abs(Date.parse(receipt?.at ?? '') - Date.now()) < 60_000);
  assert.equal(await readPendingReceipts(person), []);
});

test('takes back a rejected answer, says why, and sends it again on Retry', async () => {
  openMessageWithAnswers('Storm', 'On my way');
  await screen.findByText('Storm');
  fakeApi.reject(SEND_RECEIPTS_CALL, 500);
  pressElement(button('On my way'));
  await notices().findByText('Failed to send your answer.');
  await findButton('On my way');
  assert.equal(await readPendingReceipts(person), [], 'it is not sent silently');
  fakeInbox.acceptReceipts();
  pressElement(notices().getByRole('button', { name: 'Retry' }));
  await (await row('Storm')).findByText(/· \d\d:\d\d/);
  assert.is(screen.queryByText('Failed to send your answer.'), null);
  assert.is(fakeInbox.findMessage('m1')?.answer, 'On my way');
});

test('marks an answer given offline as waiting, and sends it once online', async () => {
  openMessageWithAnswers('Storm', 'On my way', 'Got it');
  await screen.findByText('Storm');
  fakeInbox.loseRequests();
  pressElement(button('On my way'));
  const storm = await row('Storm');
  const chip = await storm.findByText(/sends when you’re back online/);
  assert.is(chip.textContent, 'On my way · sends when you’re back online');
  assert.is(chip.getAttribute('data-tone'), 'warn');
  comeBack();
  await screen.findByText(/^Offline\. Shown as of .* 1 answer not sent yet\.$/, {
    collapseWhitespace: true,
    selector: '.strip',
  });
  assert.equal(
    (await readPendingReceipts(person)).map(({ kind }) => kind),
    ['acknowledged'],
  );
  fakeInbox.install([createMessage(1, { title: 'Storm', answers: ['On my way', 'Got it'] })]);
  dispatchEvent(new Event('online'));
  await storm.findByText(/· \d\d:\d\d/);
  assert.is(fakeInbox.findMessage('m1')?.answer, 'On my way');
  await waitFor(() => assert.is(document.querySelector('.strip'), null));
});

test('keeps a waiting answer after a restart, then sends it', async () => {
  openMessageWithAnswers('Storm', 'On my way');
  await screen.findByText('Storm');
  fakeInbox.loseRequests();
  pressElement(button('On my way'));
  await screen.findByText(/sends when you’re back online/);
  cleanup();
  runOut();
  fakeInbox.install([createMessage(1, { title: 'Storm', answers: ['On my way'] })]);
  signIn();
  showInbox();
  await screen.findByText('Storm');
  await waitFor(() => assert.is(screen.queryByRole('button', { name: 'On my way' }), null));
});

test('shows the answer of another device that was first', async () => {
  openMessageWithAnswers('Storm', 'On my way', 'Got it');
  await screen.findByText('Storm');
  const at = new Date().toISOString();
  fakeInbox.changeMessage('m1', { answer: 'Got it', acknowledgedAt: at, readAt: at });
  pressElement(button('On my way'));
  await (await row('Storm')).findByText('Got it');
  assert.is(screen.queryByText('On my way'), null);
});

test('loads twenty older messages at a time until none are left', async () => {
  openInbox(createMessages(45));
  await screen.findByText('Title 45');
  await waitFor(() => assert.is(titles().length, 20));
  await pressOlder();
  await screen.findByText('Title 6');
  assert.is(titles().length, 40);
  await pressOlder();
  await screen.findByText('Title 1');
  assert.equal(
    titles(),
    createMessages(45)
      .reverse()
      .map(({ title }) => title),
  );
  assert.is(screen.queryByRole('button', { name: 'Show older' }), null);
  assert.equal(
    fakeApi.requestsTo(LIST_MESSAGES_CALL).map(({ query }) => query.before),
    [undefined, '26', '6'],
  );
});

for (const [what, count] of [
  ['a part of a page is left', 30],
  ['a whole page is left, and then nothing', 40],
] as const)
  test(`removes Show older once the oldest messages are deleted, where ${what}`, async () => {
    openInbox(createMessages(45).slice(-count));
    await screen.findByText('Title 45');
    await pressOlder();
    await screen.findByText(`Title ${46 - count}`);
    if (screen.queryByRole('button', { name: 'Show older' })) await pressOlder();
    await waitFor(() => assert.is(screen.queryByRole('button', { name: 'Show older' }), null));
    assert.is(titles().length, count);
  });

test('shows failed older messages with Retry', async () => {
  openInbox(createMessages(21));
  await findButton('Show older');
  fakeInbox.loseRequests();
  await pressOlder();
  await notices().findByText('Failed to load messages.');
  fakeInbox.install(createMessages(21));
  await pressOlder();
  await screen.findByText('Title 1');
});

for (const [when, happens] of [
  ['a push', () => fakePush.tell({ type: 'shown', shown: { title: '', body: '' } })],
  ['a return to the page', comeBack],
  ['a connection', () => dispatchEvent(new Event('online'))],
  ['a minute', () => clock.advance(60_000)],
] as const)
  test(`adds new messages once on top after ${when}`, async () => {
    openInbox(createMessages(2));
    await screen.findByText('Title 2');
    const oldElement = screen.getByText('Title 2').closest('li');
    fakeInbox.addMessage(createMessage(3));
    await happens();
    await screen.findByText('Title 3');
    assert.equal(titles(), ['Title 3', 'Title 2', 'Title 1']);
    assert.is(screen.getByText('Title 2').closest('li'), oldElement, 'it is the same row');
    assert.is(fakeApi.requestsTo(LIST_MESSAGES_CALL).at(-1)?.query.after, '2');
  });

test('shows messages that came without a push on opening', async () => {
  fakeInbox.install(createMessages(2));
  const stop = followInbox(); // as with room at the edge of the page
  await waitFor(() => assert.is(inboxRows.value.length, 2));
  fakeInbox.addMessage(createMessage(3));
  showInbox();
  await screen.findByText('Title 3');
  stop();
});

test('marks a message read elsewhere with the next update', async () => {
  openInbox(createMessages(2));
  await screen.findByText('Title 2');
  fakeInbox.changeMessage('m1', { readAt: new Date().toISOString() });
  comeBack();
  await waitFor(() => assert.is(screen.getByText('Title 1').closest('li')?.className, 'read'));
});

test('marks a resolved message with the next update, without extra reads', async () => {
  openInbox([createMessage(1, { answers: ['Got it'] }), createMessage(2)]);
  await screen.findByText('Title 2');
  fakeInbox.changeMessage('m1', { state: 'resolved' });
  comeBack();
  await screen.findByText('Resolved');
  assert.is(screen.queryByRole('button', { name: 'Got it' }), null);
  const requestCount = fakeApi.requestsTo(LIST_MESSAGES_CALL).length;
  fakeInbox.addMessage(createMessage(3));
  comeBack();
  await screen.findByText('Title 3');
  assert.is(fakeApi.requestsTo(LIST_MESSAGES_CALL).length, requestCount + 1);
});

test('shows everything that arrived during a longer time offline', async () => {
  openInbox(createMessages(2));
  await screen.findByText('Title 2');
  for (let seq = 3; seq <= 130; seq++) fakeInbox.addMessage(createMessage(seq));
  comeBack();
  await waitFor(() => assert.is(titles().length, 130));
  assert.equal(
    titles(),
    createMessages(130)
      .reverse()
      .map(({ title }) => title),
  );
});

test('fills the gap before a message known only from its push', async () => {
  await clearOtherPerson(person);
  await keepMessages(person, createMessages(3));
  await keepPush(person, { ...createMessage(40), pushed: true });
  openInbox(createMessages(40));
  const newestFirst = createMessages(40)
    .reverse()
    .map(({ title }) => title);
  await waitFor(() => assert.equal(titles(), newestFirst.slice(0, 20)));
  await pressOlder();
  await waitFor(() => assert.equal(titles(), newestFirst));
});

test('shows stored messages offline, with their time', async () => {
  openInbox(createMessages(3));
  await screen.findByText('Title 3');
  cleanup();
  runOut();
  signIn();
  fakeInbox.loseRequests();
  showInbox();
  await screen.findByText('Title 3');
  await screen.findByText(/^Offline\. Shown as of/, { selector: '.strip' });
});

test('shows no message of the previous person to the next', async () => {
  openInbox(createMessages(3));
  await screen.findByText('Title 3');
  cleanup();
  endSession();
  person++;
  signIn();
  fakeInbox.loseRequests();
  showInbox();
  await screen.findByText('Failed to load messages.');
  assert.equal(titles(), []);
});

test('ignores a response meant for another person’s session', async () => {
  openInbox(createMessages(3));
  const release = fakeApi.holdReplies(LIST_MESSAGES_CALL);
  cleanup();
  showInbox();
  await waitFor(() => assert.ok(fakeApi.requestsTo(LIST_MESSAGES_CALL).length > 0));
  endSession();
  person++;
  signIn();
  release();
  await clock.advance(0);
  assert.equal(titles(), []);
});

test('searches on the server, and says when nothing is found', async () => {
  openInbox([createMessage(1, { message: 'Feeder 7' }), createMessage(2)]);
  await screen.findByText('Title 2');
  typeInto(screen.getByLabelText('Search Messages'), 'feeder');
  await clock.advance(250);
  await waitFor(() => assert.equal(titles(), ['Title 1']));
  assert.is(fakeApi.requestsTo(LIST_MESSAGES_CALL).at(-1)?.query.query, 'feeder');
  typeInto(screen.getByLabelText('Search Messages'), 'transformer');
  await clock.advance(250);
  await waitFor(() => assert.equal(titles(), []));
  assert.ok(
    screen
      .getAllByRole('status')
      .some(
        ({ textContent }) => textContent === 'No results for “transformer”. Try a shorter search.',
      ),
  );
  typeInto(screen.getByLabelText('Search Messages'), '');
  await clock.advance(250);
  await waitFor(() => assert.is(titles().length, 2));
});

test('finds more than twenty messages', async () => {
  openInbox([...createMessages(30), createMessage(31, { message: 'Storm' })]);
  await screen.findByText('Title 31');
  typeInto(screen.getByLabelText('Search Messages'), 'text');
  await clock.advance(250);
  await waitFor(() => assert.is(screen.queryByText('Title 31'), null));
  await pressOlder();
  await waitFor(() => assert.is(titles().length, 30));
  assert.is(fakeApi.requestsTo(LIST_MESSAGES_CALL).at(-1)?.query.before, '11');
  assert.is(screen.queryByRole('button', { name: 'Show older' }), null);
});

test('keeps the search field when nothing is found or left', async () => {
  openInbox(createMessages(1));
  await screen.findByText('Title 1');
  typeInto(screen.getByRole('searchbox'), 'nothing of it');
  await clock.advance(250);
  await screen.findByText(/^No results for/);
  fakeInbox.install([]);
  comeBack();
  await waitFor(() => assert.is(inboxRows.value.length, 0));
  await screen.findByText(/^No results for/);
  assert.ok(screen.getByRole('searchbox'));
  assert.is(screen.queryByText('No messages yet'), null);
});

test('says that the inbox is empty', async () => {
  openInbox();
  await screen.findByText('No messages yet');
  assert.is(screen.queryByLabelText('Search Messages'), null);
});

test('shows failed messages with Retry', async () => {
  fakeInbox.install();
  fakeApi.reject(LIST_MESSAGES_CALL, 500, 'The database is away.');
  showInbox();
  await screen.findByText('The database is away.');
  fakeInbox.install(createMessages(1));
  pressElement(button('Retry'));
  await screen.findByText('Title 1');
  assert.is(screen.queryByText('The database is away.'), null);
});

test('keeps the reading position when new rows arrive', async () => {
  openInbox(createMessages(3));
  await screen.findByText('Title 3');
  const place = (name: string) => titles().indexOf(name) * 100;
  const { getBoundingClientRect } = Element.prototype;
  const scrolls: number[] = [];
  const { scrollBy } = globalThis;
  Object.assign(globalThis, { scrollBy: (_: number, by: number) => scrolls.push(by) });
  Element.prototype.getBoundingClientRect = function (this: Element) {
    const scrolled = scrolls.reduce((sum, by) => sum + by, 0);
    const top = place(this.querySelector('b')?.textContent ?? '') - scrolled;
    return { top, bottom: top + 100 } as DOMRect;
  };
  try {
    fakeInbox.addMessage(createMessage(4));
    comeBack();
    await screen.findByText('Title 4');
    await waitFor(() => assert.equal(scrolls, [100]));
  } finally {
    Element.prototype.getBoundingClientRect = getBoundingClientRect;
    Object.assign(globalThis, { scrollBy });
  }
});

for (const [place, Screen] of [
  ['the inbox', Inbox],
  ['home', () => <NewMessages onKnown={() => {}} />],
] as const)
  test(`pins no alarm that was over before ${place} opened`, async () => {
    const alarm = { answers: ['On my way'], readAt: yesterday(), topic: null };
    const alarms = [1, 2, 3, 4].map((seq) => createMessage(seq, { ...alarm, priority: 'urgent' }));
    await keepMessages(person, alarms); // what the device still knows
    fakeInbox.install(alarms);
    const at = new Date().toISOString();
    fakeInbox.changeMessage('m2', { state: 'resolved', answer: 'On my way', acknowledgedAt: at });
    fakeInbox.changeMessage('m3', { allClearAt: at, answers: [], revision: 2 });
    const release = fakeApi.holdReplies(LIST_MESSAGES_CALL);
    showScreen(<Screen />, '/');
    await screen.findByRole('heading', { name: 'Waiting for your answer' });
    const pinned = () =>
      [...document.querySelectorAll('section:first-of-type li b')].map((one) => one.textContent);
    await waitFor(() => assert.ok(pinned().includes('Title 3'), 'until the server responds'));
    release();
    await waitFor(() => assert.equal(pinned(), ['Title 4', 'Title 1']));
    fakeInbox.changeMessage('m4', { state: 'cancelled' });
    await refreshInbox();
    await screen.findByText('Canceled');
    assert.equal(pinned(), ['Title 4', 'Title 1'], 'it was open on the page');
  });

test('shows only the newest reminder of a check-in at home', async () => {
  const answers = ['I’m OK', 'I need help'];
  const reminder = { priority: 'urgent', link: '/check-in', answers, topic: null } as const;
  fakeInbox.install([
    createMessage(1, { ...reminder, title: 'Are you OK?' }),
    createMessage(2, { ...reminder, title: 'Please answer' }),
    createMessage(3, { title: 'Storm', topic: null }),
  ]);
  showScreen(<NewMessages onKnown={() => {}} />, '/');
  await screen.findByText('Storm');
  assert.equal(titles(), ['Please answer', 'Storm']);
});

test.run();
