import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { Dashboard } from '../../../../src/screens/dashboard/Dashboard';
import {
  act,
  button,
  clock,
  dialog,
  fakeApi,
  notices,
  pressElement,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  typeInto,
  waitFor,
  within,
} from '../../../support/app/app';
import type { ReachBoardPerson, SentMessage } from '../../../../src/shared/contract';
import type { InsightDay } from '../../../../src/state/insights';
import { createBoard, createCheckIn } from '../../../support/app/factories/check-ins';
import { setHidden } from '../../../support/app/browser';
import { endSession, signInAs } from '../../../support/app/session';
import { fakePush } from '../../../support/push-services/fake-push';
import {
  numbersUpTo,
  createSentMessage,
  createTopic,
  createUser,
  sentPages,
  userPages,
} from '../../../support/app/factories/people';
import {
  minutesAgo,
  createOverview,
  createPushService,
  createReachBoardPerson,
  reachPages,
} from '../../../support/app/factories/reach';

const test = screenSuite('dashboard');
const OVERVIEW = 'GET /api/admin/overview';
const LIST = 'GET /api/admin/messages';
const CHECK_INS = 'GET /api/admin/check-ins';

test.before.each(() => {
  fakePush.install('default');
  signInAs('ADMIN', { id: 1 });
  replyTrend();
  fakeApi.reply(CHECK_INS, createBoard([]));
  fakeApi.reply(LIST, sentPages([]));
});

const NO_COUNTS = { messages: null, recipients: null, displayed: null, read: null, asked: null };
const createDay = (day: string, change: Partial<InsightDay> = {}): InsightDay => ({
  ...{ day, ...NO_COUNTS, acknowledged: null, prompt: null, medianSeconds: null, p95Seconds: null },
  ...{ reachable: null, people: null, ...change },
});
function replyTrend(days: InsightDay[] = [], failing: ReachBoardPerson[] = []): void {
  const middle = { medianSeconds: null, p95Seconds: null };
  fakeApi.reply('GET /api/admin/insights', { days, makes: [], ...middle });
  fakeApi.reply('GET /api/admin/reach', reachPages(failing));
}
test.after.each(endSession);

const replyOverview = (change: Parameters<typeof createOverview>[0] = {}) =>
  fakeApi.reply(OVERVIEW, createOverview(change));
async function openDashboard(change: Parameters<typeof createOverview>[0] = {}) {
  replyOverview(change);
  showScreen(<Dashboard />, '/admin');
  await screen.findByRole('heading', { name: /^(System status|Three steps)/ });
}
const EMPTY = {
  people: { total: 1, reachable: 0, pending: 0 },
  topics: { total: 0, withoutSubscribers: 0 },
  ownDevices: 0,
};
test('shows other people’s uncleared alarms first', async () => {
  const at = minutesAgo(3);
  const alarm = { messageId: 'm1', at, people: 6, displayed: 3, answered: 2 };
  fakeApi.reply(
    CHECK_INS,
    createBoard([
      createCheckIn(20, { id: 1, state: 'help', alarm }),
      createCheckIn(68, { id: 2, state: 'missed', alarm: { ...alarm, allClearAt: at } }),
      createCheckIn(68, { id: 3, state: 'missed', alarm, person: { id: 1, username: 'me' } }),
      createCheckIn(5, { id: 4 }),
    ]),
  );
  const urgent = { priority: 'urgent' as const };
  await openDashboard({
    messages: [
      createSentMessage('m1', { ...urgent, title: 'm.okafor needs help' }),
      createSentMessage('m2', { ...urgent, title: 'Gale' }),
    ],
  });
  const note = await screen.findByRole('alert');
  assert.match(note.textContent ?? '', /^m\.okafor needs help\..* 2 of 6 people have answered\./);
  const link = screen.getByRole('link', { name: 'View alarm' });
  assert.is(link.getAttribute('href'), '/admin/messages/m1');
  const [status] = screen.getAllByRole('heading', { level: 2 });
  const order = note.compareDocumentPosition(status as Node);
  assert.ok(order & Node.DOCUMENT_POSITION_FOLLOWING, 'before all else');
  assert.equal(
    [...document.querySelectorAll('.inbox li b')].map((title) => title.textContent),
    ['Gale'],
    'the message of the alarm is not shown twice',
  );
});

const rows = () =>
  [...document.querySelectorAll('.inbox > li')].map((row) => row.querySelector('a > small'));

for (const [name, path] of [
  ['Manage Users', '/admin/users'],
  ['Manage Topics', '/admin/topics'],
] as const) {
  test(`links a card to ${name}`, async () => {
    await openDashboard();
    assert.ok(screen.getByRole('heading', { level: 1, name: 'Dashboard' }));
    pressElement(screen.getByRole('link', { name: new RegExp(`^${name}`) }));
    assert.is(location.pathname, path);
  });
}

test('counts users, topics, missing registrations and topics without subscribers', async () => {
  await openDashboard();
  const texts = [...document.querySelectorAll('.card p:last-child')].map((one) => one.textContent);
  assert.equal(texts, ['60 users · 6 haven’t registered', '12 topics · 1 without subscribers']);
  cleanup();
  await openDashboard({
    people: { total: 2, reachable: 2, pending: 0 },
    topics: { total: 1, withoutSubscribers: 0 },
  });
  assert.ok(screen.getByText('2 users'));
  assert.ok(screen.getByText('1 topic'));
  assert.is(screen.queryByText(/registered|without/), null);
});

test('links to the composer and to all messages', async () => {
  await openDashboard();
  const href = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
  assert.is(href('New message'), '/admin/messages/new');
  assert.is(href('All messages'), '/admin/messages');
});

test('says how many are not reachable, and links to them', async () => {
  await openDashboard();
  const note = screen.getByText('16 people aren’t reachable yet.').closest('.note');
  assert.is(note?.textContent, '16 people aren’t reachable yet.See who', 'the tile has the others');
  assert.is(note?.getAttribute('data-tone'), 'warn');
  assert.is(screen.getByRole('link', { name: 'See who' }).getAttribute('href'), '/admin/reach');
});

test('shows no note when everyone is reachable', async () => {
  await openDashboard({ people: { total: 60, reachable: 60, pending: 0 } });
  assert.is(screen.queryByText(/reachable yet|are reachable/), null);
});

test('shows the progress of the last three messages, with links', async () => {
  await openDashboard({
    messages: [
      createSentMessage('a', { priority: 'urgent', title: 'Gale' }),
      createSentMessage('b', { people: { total: 24, displayed: 24, read: 24, acknowledged: 24 } }),
      createSentMessage('c', { answers: [], people: { total: 22, displayed: 22, read: 21 } }),
      createSentMessage('d', { title: 'The fourth' }),
      createSentMessage('e', { title: 'The fifth' }),
    ],
  });
  assert.equal(
    rows().map((row) => row?.textContent),
    [
      '18 of 31 answered · 7 haven’t yet 1 failed, 4 not reachable, 1 muted',
      'All 24 answered',
      '21 of 22 read',
      '18 of 31 answered · 7 haven’t yet 1 failed, 4 not reachable, 1 muted',
    ],
  );
  assert.is(
    screen.getByRole('link', { name: /^Urgent: Gale/ }).getAttribute('href'),
    '/admin/messages/a',
  );
  assert.is(
    document.querySelector('.inbox > .urgent')?.textContent?.startsWith('Urgent: Gale'),
    true,
  );
  assert.is(screen.queryByText('The fifth'), null);
});

test('shows urgent messages first while someone has not answered', async () => {
  const urgent = { priority: 'urgent' as const };
  await openDashboard({
    messages: [
      createSentMessage('a', { title: 'Calm' }),
      createSentMessage('b', { ...urgent, title: 'Over', allClearAt: new Date().toISOString() }),
      createSentMessage('c', { ...urgent, title: 'Gale' }),
    ],
  });
  const titlesIn = (name: string) =>
    [...screen.getByRole('region', { name }).querySelectorAll('li b')].map(
      (each) => each.textContent,
    );
  assert.equal(titlesIn('Waiting for answers'), ['Gale']);
  assert.equal(titlesIn('Last messages'), ['Calm', 'Over']);
  const status = document.querySelector('main .note[role="status"], .note[role="status"]') as Node;
  const order = screen
    .getByRole('region', { name: 'Waiting for answers' })
    .compareDocumentPosition(status);
  assert.ok(order & Node.DOCUMENT_POSITION_FOLLOWING, 'before the status');
});

test('shows an urgent message first while someone needs help, although all have answered', async () => {
  const everyone = { total: 24, displayed: 24, read: 24, acknowledged: 24 };
  const answers = ['Safe', 'Need help'];
  const urgent = { priority: 'urgent' as const, answers, people: everyone };
  await openDashboard({
    messages: [
      createSentMessage('a', { ...urgent, title: 'Calm', tally: { Safe: 24 } }),
      createSentMessage('b', { ...urgent, title: 'Gale', tally: { Safe: 21, 'Need help': 3 } }),
    ],
  });
  const [row, ...others] = within(
    screen.getByRole('region', { name: 'People need help' }),
  ).getAllByRole('listitem');
  assert.is(others.length, 0);
  assert.match(row?.textContent ?? '', /Gale.*3 people need help All 24 answered$/);
  assert.is(screen.getByText('3 people need help').getAttribute('data-tone'), 'bad');
});

/** The list answers each filter separately. */
const replyLists = (urgent: SentMessage[], needsHelp: SentMessage[]) =>
  fakeApi.reply(LIST, (request) =>
    sentPages(request.query.state === 'needs_help' ? needsHelp : urgent)(request),
  );

test('shows calls for help and urgent messages that wait, although newer ones hide them', async () => {
  const alarm = { messageId: 'm0', at: minutesAgo(3), people: 6, displayed: 3, answered: 2 };
  fakeApi.reply(CHECK_INS, createBoard([createCheckIn(20, { id: 1, state: 'help', alarm })]));
  const createUrgent = (nth: number, change: Parameters<typeof createSentMessage>[1] = {}) =>
    createSentMessage(`m${nth}`, {
      ...{ priority: 'urgent', title: `Urgent ${nth}`, sendAt: minutesAgo(nth), ...change },
    });
  const alarmMessage = createUrgent(0, { title: 'm.okafor needs help' });
  const needsHelp = { answers: ['Safe', 'Need help'], tally: { 'Need help': 3 } };
  const allClearAt = minutesAgo(1);
  const urgentMessages = [
    alarmMessage,
    createUrgent(1),
    createUrgent(2, { allClearAt }),
    createUrgent(3, { expiresAt: minutesAgo(1) }),
    createUrgent(4, { answers: [] }),
    createUrgent(5),
    createUrgent(6),
    createUrgent(7),
    createUrgent(8),
  ];
  const oldCalls = [
    createUrgent(99, needsHelp),
    createUrgent(98, { ...needsHelp, expiresAt: minutesAgo(60) }),
  ];
  replyLists(urgentMessages, oldCalls);
  const messages = [alarmMessage, createUrgent(1), createSentMessage('c', { title: 'Routine' })];
  await openDashboard({ messages });
  const waiting = () => within(screen.getByRole('region', { name: 'Waiting for answers' }));
  const help = () => within(screen.getByRole('region', { name: 'People need help' }));
  const titles = () => [...document.querySelectorAll('.inbox li b')].map((b) => b.textContent);
  const firstFive = ['Urgent 1', 'Urgent 5', 'Urgent 6', 'Urgent 7', 'Urgent 8'];
  const all = ['Urgent 98', 'Urgent 99', ...firstFive, 'Routine'];
  await waitFor(() => assert.equal(titles(), all));
  assert.is(help().getAllByRole('listitem').length, 2);
  assert.is(waiting().queryByRole('link', { name: 'All messages' }), null);
  replyLists([...urgentMessages, createUrgent(9)], oldCalls);
  await clock.advance(15_000);
  const link = await waiting().findByRole('link', { name: 'All messages' });
  assert.is(link.getAttribute('href'), '/admin/messages?priority=urgent');
  assert.equal(titles(), all);
});

test('calls a message scheduled or canceled, and nothing more', async () => {
  const noPeople = { total: 0, displayed: 0, read: 0, acknowledged: 0 };
  await openDashboard({
    messages: [
      createSentMessage('a', {
        state: 'scheduled',
        sendAt: '2099-01-01T06:00:00.000Z',
        people: { ...noPeople, total: 22 },
      }),
      createSentMessage('b', { state: 'cancelled', people: noPeople }),
    ],
  });
  assert.equal(
    rows().map((row) => row?.textContent),
    ['Scheduled', 'Canceled'],
  );
});

test('shows “Canceled” or “Resolved” on a stopped message that everyone saw', async () => {
  const people = { total: 3, displayed: 3, read: 0, acknowledged: 1 };
  await openDashboard({
    messages: [
      createSentMessage('a', { state: 'cancelled', people }),
      createSentMessage('b', { state: 'resolved', people }),
    ],
  });
  assert.equal(
    rows().map((row) => row?.textContent),
    ['1 of 3 answered · 2 didn’t Canceled', '1 of 3 answered · 2 didn’t Resolved'],
  );
});

test('shows reach since yesterday, answers, messages and failing devices', async () => {
  const asked = { asked: 50, acknowledged: 49, prompt: 46 };
  replyTrend(
    [
      createDay('2026-11-10', { ...asked, messages: 9, reachable: 46, people: 60 }),
      ...numbersUpTo(7).map((nth) => createDay(`2026-11-${10 + nth}`, { messages: 2 })),
    ],
    [createReachBoardPerson(3, 'failing')],
  );
  await openDashboard();
  const tiles = [...document.querySelectorAll('.tally > a')];
  assert.equal(
    tiles.map((tile) => [tile.getAttribute('href'), tile.textContent]),
    [
      ['/admin/reach', 'Reachable now44 of 602 fewer than on 10 Nov'],
      ['/admin/insights', 'Answered within 5 min92%Of people asked, last 30 days, counted hourly'],
      ['/admin/messages', 'Messages sent14Last 7 days, counted hourly'],
      [
        '/admin/reach?state=failing',
        'People with failing devices1 personDevices rejected by the push service',
      ],
    ],
  );
  assert.ok(screen.getByRole('img', { name: /^Reachable people over the last/ }));
  assert.ok(screen.getByText('user3'));
});

test('shows the rest when there are no insights', async () => {
  fakeApi.loseRequests('GET /api/admin/insights');
  await openDashboard();
  assert.is(document.querySelector('.tally'), null);
  assert.ok(screen.getByText('System status'));
});

test('says that there are no messages before the first one', async () => {
  await openDashboard();
  assert.ok(screen.getByText('No messages yet'));
});

/** Each part's sentence, chip, and button or link. */
const lines = () =>
  [...document.querySelectorAll('[aria-labelledby="well"] li:not(:has(details))')].map((line) => [
    line.querySelector('b')?.textContent,
    line
      .querySelector('b + span')
      ?.textContent?.replace(/(today|yesterday|tomorrow) \d\d:\d\d/g, 'lately'),
    line.querySelector('.chip')?.textContent ?? '',
    line.querySelector('button, a')?.textContent ?? '',
  ]);

const foldedLines = () => document.querySelector('[aria-labelledby="well"] details');

test('folds the parts that work into one line', async () => {
  await openDashboard();
  assert.is(foldedLines()?.querySelector('summary')?.textContent, 'Everything works');
  assert.is(foldedLines()?.hasAttribute('open'), false);
  assert.is(foldedLines()?.querySelectorAll('li').length, 6);
  assert.equal(lines(), [
    ['Push service: Mozilla', 'Accepting messages.', 'Good', ''],
    ['Waiting to be sent', 'Queue is empty.', 'Good', ''],
    ['Email', 'Accepting email. Last email accepted lately.', 'Good', ''],
    ['Your account', 'Your account has an email address.', 'Good', ''],
    ['Backup', 'Last backup lately.', 'Good', ''],
    ['Version', 'Fieldbell 1.4.0', '', ''],
  ]);
});

test('shows what each push service last did with our messages', async () => {
  const host = 'updates.push.services.mozilla.com';
  const waiting = { waiting: 124, oldestAt: minutesAgo(27) };
  for (const [change, text, chip] of [
    [{ state: 'quiet' }, 'No traffic since lately.', ''],
    [{ state: 'reachable' }, 'Reachable again since lately. Last message accepted lately.', ''],
    [
      { state: 'unreachable', reason: 'ENOTFOUND', ...waiting },
      `Unreachable since lately (${host}, ENOTFOUND). Last message accepted lately. 124 notifications waiting since lately.`,
      'Unreachable',
    ],
    [
      { state: 'refusing', reason: 'status-503', acceptedAt: null },
      `Rejecting messages since lately (${host}, status-503). No messages accepted yet.`,
      'Rejecting',
    ],
    [
      { state: 'throttled', throttledUntil: minutesAgo(-9), ...waiting },
      `Until lately, ${host} limits how many notifications we can send. Urgent messages go first. 124 notifications waiting since lately.`,
      'Throttled',
    ],
    [
      { state: 'unknown', reason: 'timeout' },
      `The last attempt failed lately (${host}, timeout).`,
      'Unknown',
    ],
    [
      { state: 'not_set_up', ...waiting },
      'Not set up. 124 notifications waiting since lately.',
      'Not set up',
    ],
  ] as const) {
    const delivery = change.state === 'unreachable' ? 'late' : 'ok';
    await openDashboard({
      health: { delivery, waiting: 124, pushServices: [createPushService(change)] },
    });
    assert.equal(lines()[0]?.slice(0, 3), ['Push service: Mozilla', text, chip]);
    assert.is(lines()[1]?.[2], delivery === 'late' ? 'Waiting' : '');
    cleanup();
  }
});

test('shows nothing green without a recorded success', async () => {
  await openDashboard({
    health: {
      pushServices: [],
      mailSentAt: null,
      webhooks: { failing: 0, off: 0, total: 1, waiting: 0, succeededAt: null },
    },
  });
  const parts = () => lines().map((line) => line.slice(0, 3));
  const unused = [
    ['Webhooks', 'Not used yet.', ''],
    ['Push services', 'No messages sent yet.', ''],
    ['Email', 'Set up but not used yet.', ''],
  ];
  assert.equal(
    parts().filter(([name]) => unused.some(([other]) => other === name)),
    unused,
  );
});

test('shows a remedy with each fault', async () => {
  await openDashboard({
    withheld: 2,
    health: {
      delivery: 'refused',
      pushServices: [createPushService({ state: 'refusing' })],
      waiting: 12,
      mail: 'not_set_up',
      ownEmail: false,
      lastBackupAt: null,
    },
  });
  assert.equal(
    lines()
      .slice(0, -1)
      .map(([name, , ...rest]) => [name, ...rest]),
    [
      ['Withheld messages', 'Withheld', 'Send or cancel'],
      ['Push service: Mozilla', 'Rejecting', 'What to do'],
      ['Email', '', 'Set up email'],
      ['Your account', '', 'Add email'],
      ['Backup', '', 'What to do'],
      ['Waiting to be sent', '', ''],
    ],
  );
  assert.is(foldedLines(), null, 'nothing works, as recorded');
  pressElement(button('Set up email: Email'));
  assert.ok(dialog().getByText(/SMTP_URL/));
  pressInDialog('Close');
  pressElement(button('What to do: Backup'));
  assert.ok(dialog().getByText('backup FILE'));
});

test('distinguishes late, failing and old devices, and omits unknown states', async () => {
  await openDashboard({
    health: { delivery: 'late', waiting: 1, mail: 'failing', lastBackupAt: '2025-11-02T03:00:00Z' },
  });
  assert.equal(lines().slice(0, 2), [
    [
      'Email',
      'The mail server rejects our mail. Last email accepted lately.',
      'Failing',
      'What to do',
    ],
    [
      'Waiting to be sent',
      '1 notification. At least one is more than 5 minutes overdue.',
      'Late',
      'What to do',
    ],
  ]);
  assert.equal(lines()[2]?.slice(2), ['Old', 'What to do']);
  assert.is(foldedLines()?.querySelector('summary')?.textContent, 'Everything else works');
  cleanup();
  const { health, ...rest } = createOverview({ health: { mail: 'late' } });
  delete health.lastBackupAt;
  fakeApi.reply(OVERVIEW, { ...rest, health });
  showScreen(<Dashboard />, '/admin');
  await screen.findByText(/^Some emails are more than 5 minutes overdue\./);
  assert.is(screen.queryByText('Backup'), null);
});

test('reports failing and disabled webhooks with a link', async () => {
  const works = { failing: 0, off: 0, total: 1, waiting: 0, succeededAt: minutesAgo(5) };
  for (const [webhooks, text, chip] of [
    [{ ...works, failing: 1 }, '1 webhook is failing.', 'Failing'],
    [
      { ...works, failing: 2, off: 1 },
      '2 webhooks are failing, 1 webhook is disabled.',
      'Disabled',
    ],
    [{ ...works, off: 2 }, '2 webhooks are disabled.', 'Disabled'],
  ] as const) {
    await openDashboard({ health: { webhooks } });
    assert.equal(
      lines().find(([name]) => name === 'Webhooks'),
      ['Webhooks', text, chip, 'See webhooks'],
    );
    assert.is(
      screen.getByRole('link', { name: 'See webhooks' }).getAttribute('href'),
      '/admin/webhooks',
    );
    cleanup();
  }
  for (const [webhooks, ...sentence] of [
    [works, 'Last call succeeded lately.', 'Good'],
    [{ ...works, waiting: 2 }, '2 calls waiting.', ''],
  ] as const) {
    await openDashboard({ health: { webhooks } });
    assert.equal(
      lines()
        .find(([name]) => name === 'Webhooks')
        ?.slice(1, 3),
      sentence,
    );
    cleanup();
  }
  await openDashboard({ health: { webhooks: { ...works, total: 0 } } });
  assert.is(screen.queryByText('Webhooks'), null);
});

test('reports held-back keys with a link to their topics', async () => {
  const keys = ['Grid & water', 'Storms'].map((topic) => ({
    key: 'SCADA',
    topic,
    alerts: 1240,
    since: minutesAgo(5),
  }));
  for (const [heldBack, label, path] of [
    [keys.slice(0, 1), 'See topic', '/admin/topics?query=Grid%20%26%20water'],
    [keys, 'See topics', '/admin/topics'],
  ] as const) {
    await openDashboard({ health: { heldBack: [...heldBack] } });
    const [, text = '', ...rest] = lines().find(([name]) => name === 'Topic keys') ?? [];
    const matches = text.match(/At least 1,240 messages were rejected\./g);
    assert.equal([matches?.length, ...rest], [heldBack.length, 'Limit exceeded', label]);
    assert.is(screen.getByRole('link', { name: label }).getAttribute('href'), path);
    cleanup();
  }
});

test('leads a new installation to its first notification in three steps', async () => {
  await openDashboard(EMPTY);
  assert.ok(screen.getByText('0 of 3 done'));
  assert.ok(screen.getByRole('link', { name: /^Manage Users/ }));
  assert.is(screen.queryByText('1 user'), null);
  assert.is(screen.queryByRole('link', { name: 'New message' }), null);
  assert.is(screen.queryByText(/reachable\.$/, { selector: 'b' }), null);
  const mains = () =>
    [...document.querySelectorAll('ol button:not(.plain), ol .press')].map(
      (one) => one.textContent,
    );
  assert.equal(mains(), ['Enable Notifications']);
  replyOverview({ ...EMPTY, ownDevices: 1 });
  await clock.advance(30_000);
  await screen.findByText('1 of 3 done');
  assert.equal(mains(), ['Add Topic']);
  assert.is(screen.getAllByText('Done').length, 1);
  const withTopic = { ...EMPTY, ownDevices: 1, topics: { total: 1, withoutSubscribers: 0 } };
  replyOverview(withTopic);
  await clock.advance(30_000);
  const send = await screen.findByRole('link', { name: 'Send a message' });
  assert.is(send.getAttribute('href'), '/admin/messages/new');
  assert.equal(mains(), ['Send a message']);
  assert.ok(screen.getByText('1 of 3 done'), 'no test was sent yet');
  replyOverview({ ...withTopic, messages: [createSentMessage('a')] });
  await clock.advance(30_000);
  await screen.findByText('2 of 3 done');
  assert.equal(mains(), ['Add users']);
  assert.is(screen.getByRole('link', { name: 'Add users' }).getAttribute('href'), '/admin/users');
  replyOverview({
    people: { total: 2, reachable: 1, pending: 1 },
    ownDevices: 1,
    messages: [createSentMessage('a')],
  });
  await clock.advance(30_000);
  await screen.findByText('1 person isn’t reachable yet.');
  assert.is(screen.queryByText('Three steps to your first notification'), null);
});

test('recognizes a used installation', async () => {
  await openDashboard({ ownDevices: 0, messages: [createSentMessage('a')] });
  assert.is(screen.queryByText('Three steps to your first notification'), null);
});

test('asks for permission, registers this browser and shows failures in step one', async () => {
  await openDashboard(EMPTY);
  fakeApi.reply('GET /api/notifications/devices', []);
  fakeApi.reply('GET /api/notifications/vapid-key', { publicKey: 'BAAB' });
  fakeApi.reject('POST /api/notifications/register-device', 500);
  pressElement(button('Enable Notifications'));
  await notices().findByText(/^Failed to initialize PWA/);
  fakeApi.reply('POST /api/notifications/register-device', ({ body }) => ({
    id: 5,
    deviceType: 'web',
    userAgent: '',
    createdAt: '',
    lastSeenAt: '',
    ...(body as { deviceToken: string }),
    deviceKey: 'key-of-5',
  }));
  replyOverview({ ...EMPTY, ownDevices: 1 });
  pressElement(button('Enable Notifications'));
  await notices().findByText('Notifications are on for this device.');
  await screen.findByText('1 of 3 done');
});

test('asks again for a permission that was not granted', async () => {
  fakePush.decision = 'default';
  await openDashboard(EMPTY);
  for (let attempt = 1; attempt <= 3; attempt++) {
    pressElement(button('Enable Notifications'));
    await notices().findByText('Notification permission is required');
    await waitFor(() => assert.is(button('Enable Notifications').disabled, false));
    pressElement(button('Close notice'));
    await waitFor(() => assert.is(notices().queryByText(/required$/), null));
  }
});

test('explains in step one how to unblock notifications', async () => {
  fakePush.install('denied');
  await openDashboard(EMPTY);
  const way = screen.getByRole('link', { name: 'See what to do' });
  assert.is(way.getAttribute('href'), '/subscriptions');
});

test('subscribes the creator of the first topic at once', async () => {
  await openDashboard({ ...EMPTY, ownDevices: 1 });
  pressElement(button('Add Topic'));
  typeInto(dialog().getByLabelText('Title'), 'Grid outages');
  typeInto(dialog().getByLabelText('Description'), 'Power cuts.');
  fakeApi.reply('POST /api/admin/topics', createTopic(5));
  fakeApi.reject('POST /api/admin/subscriptions', 500, 'Not now.');
  replyOverview({ ...EMPTY, ownDevices: 1, topics: { total: 1, withoutSubscribers: 1 } });
  pressInDialog('Add Topic');
  await notices().findByText('Not now.');
  await screen.findByRole('link', { name: 'Send a message' });
  assert.equal(fakeApi.requestsTo('POST /api/admin/subscriptions')[0]?.body, {
    userId: 1,
    topicId: 5,
  });
});

test('shows the cards when the overview fails, with Retry', async () => {
  fakeApi.loseRequests(OVERVIEW);
  showScreen(<Dashboard />, '/admin');
  await screen.findByText('Failed to load the dashboard. Check your connection and try again.');
  assert.ok(screen.getByRole('link', { name: /^Manage Users/ }));
  replyOverview({ messages: [createSentMessage('a', { title: 'Storm' })] });
  pressElement(button('Retry'));
  await screen.findByText('Storm');
  fakeApi.reject(OVERVIEW, 500);
  await clock.advance(30_000);
  await screen.findByRole('alert');
  assert.ok(screen.getByText('Storm'));
});

test('shows users, topics and messages when the server has no overview', async () => {
  fakeApi.reject(OVERVIEW, 404);
  fakeApi.reject('GET /api/admin/insights', 404);
  fakeApi.reply('GET /api/admin/users', userPages(numbersUpTo(60).map((id) => createUser(id))));
  fakeApi.loseRequests('GET /api/admin/topics');
  fakeApi.reply(LIST, sentPages([createSentMessage('a', { title: 'Storm' })]));
  showScreen(<Dashboard />, '/admin');
  await screen.findByText('Storm');
  assert.ok(screen.getByText('60 users'));
  const lastMessages = fakeApi
    .requestsTo(LIST)
    .find(({ query }) => !(query.priority || query.state));
  assert.is(lastMessages?.query.limit, '8');
  assert.is(screen.queryByText(/System status|Three steps|people are reachable/), null);
  fakeApi.loseRequests(LIST);
  await clock.advance(30_000);
  await screen.findByText('Failed to load messages. Check your connection and try again.');
});

test('reads again every 15 seconds while visible, and not after leaving', async () => {
  await openDashboard();
  replyOverview({ messages: [createSentMessage('a', { title: 'Storm' })] });
  await clock.advance(14_999);
  assert.is(fakeApi.requestsTo(OVERVIEW).length, 1);
  await clock.advance(1);
  await screen.findByText('Storm');
  setHidden(true);
  await clock.advance(120_000);
  assert.is(fakeApi.requestsTo(OVERVIEW).length, 2);
  await act(() => setHidden(false));
  await waitFor(() => assert.is(fakeApi.requestsTo(OVERVIEW).length, 3));
  cleanup();
  await clock.advance(120_000);
  assert.is(fakeApi.requestsTo(OVERVIEW).length, 3);
});

test.run();
