import { cleanup } from '@testing-library/preact';
import * as assert from 'uvu/assert';
import { ReachBoard } from '../../../../src/screens/reach/ReachBoard';
import { reachReason } from '../../../../src/screens/reach/reach-texts';
import type { ResponseOf, ReachBoardPerson } from '../../../../src/shared/contract';
import {
  act,
  button,
  chooseOption,
  clock,
  dialog,
  fakeApi,
  findButton,
  notices,
  pressElement,
  pressEscape,
  pressInDialog,
  screen,
  screenSuite,
  showScreen,
  tableRows,
  typeInto,
  waitFor,
  within,
  openDialog,
} from '../../../support/app/app';
import { allowCopying, rejectCopying, setHidden, setOnline } from '../../../support/app/browser';
import { failImports } from '../../../support/app/broken-imports';
import { numbersUpTo, createTopic, topicPages } from '../../../support/app/factories/people';
import {
  minutesAgo,
  createReachBoardPerson,
  createReachDevice,
  createDisplayedTest,
  reachPages,
} from '../../../support/app/factories/reach';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('reach');
const LIST = 'GET /api/admin/reach';
const TEST = 'POST /api/admin/reach/tests';
const REMOVE = 'DELETE /api/admin/devices/:id';
const realNow = Date.now;

test.before.each(() => void signInAs('ADMIN'));
test.after.each(endSession);
test.after.each(() => void (Date.now = realNow));

type LastTests = ResponseOf<typeof LIST>['lastTests'];

/** The board with these people and one reachable person. */
async function open(
  people: readonly ReachBoardPerson[],
  { path = '/admin/reach', lastTests = null }: { path?: string; lastTests?: LastTests } = {},
): Promise<void> {
  fakeApi.reply(
    'GET /api/admin/topics',
    topicPages([createTopic(3, { title: 'Storms' }), createTopic(4, { title: 'Outages' })]),
  );
  replyPeople(people, lastTests);
  showScreen(<ReachBoard />, path);
  await screen.findByRole('link', { name: /People$/ });
  await screen.findByRole('option', { name: 'Storms' });
}
const replyPeople = (people: readonly ReachBoardPerson[], lastTests: LastTests = null) =>
  fakeApi.reply(LIST, reachPages([...people, createReachBoardPerson(99, 'reachable')], lastTests));
const listRequestCount = () => fakeApi.requestsTo(LIST).length;
const lastQuery = () => fakeApi.requestsTo(LIST).at(-1)?.query;
const tiles = () =>
  within(screen.getByRole('navigation', { name: 'Show people by state' }))
    .getAllByRole('link')
    .map((link) => [link.textContent, link.getAttribute('aria-current')]);
const findStatus = (text: RegExp) =>
  waitFor(() =>
    assert.ok(
      screen.getAllByRole('status').some(({ textContent }) => text.test(textContent ?? '')),
      `nothing says ${text}`,
    ),
  );
const row = (name: string) => tableRows().find(([first]) => first === name);

test('opens on people who need attention, with counts of each kind', async () => {
  await open([
    createReachBoardPerson(1, 'silent'),
    createReachBoardPerson(2, 'failing'),
    createReachBoardPerson(3, 'late'),
    createReachBoardPerson(4, 'pending'),
    createReachBoardPerson(5, 'no_device'),
    createReachBoardPerson(6, 'untested'),
  ]);
  assert.is(lastQuery()?.state, 'attention');
  assert.is(lastQuery()?.limit, '25');
  assert.equal(tiles(), [
    ['7 People', null],
    ['2 Reachable', null],
    ['1 Reachable, but late included in Reachable', null],
    ['5 Needs attention', 'true'],
  ]);
  assert.equal(
    tableRows().map(([name, state]) => [name, state]),
    [
      ['user1', 'Silent'],
      ['user2', 'Failing'],
      ['user4', 'Not registered'],
      ['user5', 'No device'],
      ['user6', 'Untested'],
    ],
  );
  assert.is(document.title, 'Reach · Fieldbell');
});

const device = createReachDevice;
const YESTERDAY = minutesAgo(24 * 60);
for (const [sentence, person] of [
  ['Last device removed 12 Oct 2025', { lost: { at: '2025-10-12T12:00:00Z', why: 'removed' } }],
  [
    'Last device signed out 12 Oct 2025',
    { lost: { at: '2025-10-12T12:00:00Z', why: 'signed_out' } },
  ],
  [
    'Last device moved to another account 12 Oct 2025',
    { lost: { at: '2025-10-12T12:00:00Z', why: 'replaced' } },
  ],
  ['Notifications are blocked on the device', { lost: { at: YESTERDAY, why: 'blocked' } }],
  ['The push service no longer recognizes the device', { lost: { at: YESTERDAY, why: 'gone' } }],
  ['No device to notify', {}],
  [
    'Link created 12 Oct 2025, not used yet',
    { state: 'pending', invitation: { token: 't', createdAt: '2025-10-12T12:00:00Z' } },
  ],
  [
    'Rejected by the push service 4 times since yesterday',
    { devices: [device(1, { state: 'failing', refusals: 4, lastAcceptedAt: YESTERDAY })] },
  ],
  [
    'Rejected by the push service once',
    { devices: [device(1, { state: 'failing', refusals: 1, lastAcceptedAt: null })] },
  ],
  [
    'The push service no longer recognizes the device',
    {
      devices: [
        device(1, {
          state: 'failing',
          lastTest: createDisplayedTest('t', { failure: { stage: 'accepted', reason: 'gone' } }),
        }),
      ],
    },
  ],
  [
    'Xiaomi: 5 notifications accepted in 14 days, none displayed',
    { devices: [device(1, { state: 'silent', model: 'Redmi Note 12', unanswered: 5 })] },
  ],
  [
    'Samsung: 8 or more notifications accepted in 14 days, none displayed',
    { devices: [device(1, { state: 'silent', unanswered: 8 })] },
  ],
  [
    'Desktop, nothing displayed yet',
    { devices: [device(1, { state: 'untested', deviceType: 'web', model: '' })] },
  ],
  [
    'iPhone: notifications appear more than a minute late',
    { devices: [device(1, { state: 'late', deviceType: 'ios' })] },
  ],
  // The best of several devices decides.
  [
    'Samsung: 3 notifications accepted in 14 days, none displayed',
    {
      devices: [
        device(1, { state: 'failing', refusals: 2 }),
        device(2, { state: 'silent', unanswered: 3 }),
      ],
      state: 'silent',
    },
  ],
] as [string, Partial<ReachBoardPerson>][])
  test(`explains why a person is not reachable: ${sentence} (${JSON.stringify(person).length})`, () => {
    const state = person.state ?? person.devices?.[0]?.state ?? 'no_device';
    assert.is(
      reachReason({ ...createReachBoardPerson(1, 'no_device'), ...person, state }),
      sentence,
    );
  });

test('shows when each phone was last seen, and its last test', async () => {
  const tested = (
    id: number,
    lastTest: ReachBoardPerson['devices'][0]['lastTest'],
    lastSeenAt = minutesAgo(0),
  ) =>
    createReachBoardPerson(id, 'silent', {
      devices: [device(id, { state: 'silent', lastTest, lastSeenAt })],
    });
  const unshown = { displayed: null };
  await open([
    tested(1, null, '2025-11-02T12:00:00Z'),
    tested(
      2,
      createDisplayedTest('b', {
        failure: { stage: 'accepted', reason: 'refused' },
        createdAt: minutesAgo(0),
      }),
    ),
    tested(3, createDisplayedTest('c', { stages: { ...unshown, received: null } })),
    tested(4, createDisplayedTest('d', { stages: unshown })),
    tested(5, createDisplayedTest('e', { lateBy: 40_000 })),
    tested(
      6,
      createDisplayedTest('f', {
        createdAt: minutesAgo(0),
        stages: { ...unshown, accepted: null },
      }),
      YESTERDAY,
    ),
    createReachBoardPerson(7, 'no_device'),
  ]);
  const cells = tableRows().map(([, , , seen, last]) => [seen?.replace(/ \d\d:\d\d/, ''), last]);
  assert.equal(cells, [
    ['2 Nov 2025', '-'],
    ['Today', 'Failed today'],
    ['Today', 'Not received'],
    ['Today', 'Not displayed'],
    ['Today', 'Late by 40 s'],
    ['Yesterday', 'In progress'],
    ['-', '-'],
  ]);
});

test('says who uses a browser tab on a phone instead of the installed app', async () => {
  const phone = (id: number, change: Partial<ReachBoardPerson['devices'][0]>) =>
    createReachBoardPerson(id, 'silent', { devices: [device(id, { state: 'silent', ...change })] });
  await open([
    phone(1, { installed: false }),
    phone(2, { installed: null }),
    phone(3, { installed: false, deviceType: 'web' }),
  ]);
  const tab = 'Uses a browser tab, not the installed app';
  assert.equal(
    tableRows().map(([, , why]) => why?.includes(tab)),
    [true, false, false],
  );
});

test('filters by tile and State, and puts it into the address', async () => {
  await open(
    [
      createReachBoardPerson(1, 'silent'),
      createReachBoardPerson(2, 'late'),
      createReachBoardPerson(3, 'failing'),
    ],
    {
      path: '/admin/reach?page=2',
    },
  );
  pressElement(screen.getByRole('link', { name: /but late/ }));
  await screen.findByText('user2');
  assert.is(location.search, '?state=late');
  assert.is(lastQuery()?.state, 'late');
  pressElement(screen.getByRole('link', { name: /^\d+ Reachable$/ }));
  await screen.findByText('user99');
  assert.equal(
    tableRows().map(([name]) => name),
    ['user2', 'user99'],
  );
  assert.is(location.search, '?state=reachable');
  pressElement(screen.getByRole('link', { name: /People$/ }));
  await screen.findByText('user1');
  assert.is(lastQuery()?.state, undefined);
  chooseOption(screen.getByLabelText('State'), 'Failing');
  await waitFor(() =>
    assert.equal(
      tableRows().map(([name]) => name),
      ['user3'],
    ),
  );
  assert.is(location.search, '?state=failing');
  assert.is(
    tiles().some(([, current]) => current),
    false,
  );
  chooseOption(screen.getByLabelText('State'), 'Needs attention');
  await screen.findByText('user1');
  assert.is(location.search, '');
});

test('filters by topic, also from the address, and sends search and rows to the server', async () => {
  await open([createReachBoardPerson(1, 'silent')], { path: '/admin/reach?topic=3' });
  assert.is(lastQuery()?.topic, '3');
  assert.is(screen.getByLabelText<HTMLSelectElement>('Topic').value, '3');
  chooseOption(screen.getByLabelText('Topic'), 'Outages');
  await waitFor(() => assert.is(lastQuery()?.topic, '4'));
  chooseOption(screen.getByLabelText('Topic'), 'All topics');
  await waitFor(() => assert.is(lastQuery()?.topic, undefined));
  chooseOption(screen.getByLabelText('Rows'), '100');
  await waitFor(() => assert.is(lastQuery()?.limit, '100'));
  typeInto(screen.getByLabelText('Search Users'), 'user');
  await clock.advance(250);
  await waitFor(() => assert.is(lastQuery()?.query, 'user'));
  assert.is(location.search, '?query=user&rows=100');
});

test('keeps counting everyone in its tiles during a search', async () => {
  const replySearchable = () =>
    fakeApi.reply(LIST, ({ query }) =>
      reachPages(
        query.query
          ? []
          : [createReachBoardPerson(1, 'silent'), createReachBoardPerson(99, 'reachable')],
      )({
        query,
      }),
    );
  const counts = [
    ['2 People', null],
    ['1 Reachable', null],
    ['0 Reachable, but late included in Reachable', null],
    ['1 Needs attention', 'true'],
  ];
  await open([createReachBoardPerson(1, 'silent')]);
  replySearchable();
  typeInto(screen.getByLabelText('Search Users'), 'zzz');
  await clock.advance(250);
  await screen.findByText(/^No results for/);
  assert.equal(tiles(), counts);
  assert.is(listRequestCount(), 2, 'the counts are known');
  cleanup();
  replySearchable();
  showScreen(<ReachBoard />, '/admin/reach?query=zzz');
  await screen.findByText(/^No results for/);
  assert.equal(tiles(), counts, 'also if the address has the search');
});

for (const [label, option] of [
  ['Topic', 'Outages'],
  ['State', 'Silent'],
  ['Rows', '50'],
] as const)
  test(`shows ${label} from its first page after a change`, async () => {
    await open(
      numbersUpTo(120).map((id) => createReachBoardPerson(id, 'silent')),
      { path: '/admin/reach?page=2' },
    );
    assert.is(lastQuery()?.page, '2');
    chooseOption(screen.getByLabelText(label), option);
    await waitFor(() => assert.is(lastQuery()?.page, '1'));
    assert.is(new URLSearchParams(location.search).get('page'), null);
  });

test('filters by a deleted topic, but not by an invalid one', async () => {
  await open([createReachBoardPerson(1, 'silent')], {
    path: '/admin/reach?topic=17&state=gone&rows=7',
  });
  assert.is(lastQuery()?.topic, '17');
  assert.is(location.search, '?topic=17');
  assert.ok(screen.getByRole('option', { name: 'Topic 17' }));
  cleanup();
  await open([createReachBoardPerson(1, 'silent')], { path: '/admin/reach?topic=-1' });
  assert.is(lastQuery()?.topic, undefined);
});

test('offers all topics over all pages', async () => {
  fakeApi.reply('GET /api/admin/topics', topicPages(numbersUpTo(230).map((id) => createTopic(id))));
  replyPeople([createReachBoardPerson(1, 'silent')]);
  showScreen(<ReachBoard />, '/admin/reach');
  await screen.findByRole('option', { name: 'Topic 230' });
  assert.is(screen.getByLabelText<HTMLSelectElement>('Topic').options.length, 231);
});

test('offers one remedy per row, and removes the device', async () => {
  await open([
    createReachBoardPerson(1, 'pending', {
      invitation: { token: 'a+b', createdAt: minutesAgo(1) },
    }),
    createReachBoardPerson(2, 'no_device'),
    createReachBoardPerson(3, 'silent'),
    createReachBoardPerson(4, 'failing'),
    createReachBoardPerson(5, 'untested'),
    createReachBoardPerson(6, 'pending'),
  ]);
  assert.equal(
    [...document.querySelectorAll('tbody .actions')].map((cell) =>
      [...cell.querySelectorAll('button')].map((one) => one.textContent),
    ),
    [
      ['Copy link'],
      ['Copy advice'],
      ['Copy advice', 'Remove device'],
      ['Test', 'Remove device'],
      ['Test', 'Remove device'],
      [],
    ],
  );
  const copiedTexts = allowCopying();
  pressElement(button('Copy link for user1'));
  await notices().findByText('Registration link for user1 copied.');
  pressElement(button('Copy advice for user2'));
  await notices().findByText('Advice for user2 copied.');
  pressElement(button('Copy advice for user3'));
  await notices().findByText('Advice for user3 copied.');
  assert.is(copiedTexts[0], `${location.origin}/register/a%2Bb`);
  assert.match(copiedTexts[1] ?? '', /press Enable Notifications/);
  assert.match(copiedTexts[2] ?? '', /Never auto sleeping apps/);
});

test('shows text to copy by hand when the browser cannot copy', async () => {
  await open([
    createReachBoardPerson(1, 'pending', {
      invitation: { token: 'a+b', createdAt: minutesAgo(1) },
    }),
    createReachBoardPerson(3, 'silent'),
  ]);
  rejectCopying();
  pressElement(button('Copy link for user1'));
  await waitFor(() => assert.ok(dialog().getByDisplayValue(/register\/a%2Bb$/)));
  pressEscape();
  pressElement(button('Copy advice for user3'));
  const text = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: /selected advice/ });
  assert.match(text.value, /Never auto sleeping apps/);
});

test('reports missing advice code, and loads it again', async () => {
  await open([createReachBoardPerson(3, 'silent')]);
  const repair = failImports('./device-advice');
  pressElement(button('Copy advice for user3'));
  await notices().findByText('The advice couldn’t be loaded.');
  repair();
  allowCopying();
  pressElement(button('Copy advice for user3'));
  await notices().findByText('Advice for user3 copied.');
});

test('follows a tested person until the result, then stops', async () => {
  const silent = createReachBoardPerson(1, 'silent');
  const tested = (
    lastTest: ReachBoardPerson['devices'][0]['lastTest'],
    state: ReachBoardPerson['state'] = 'silent',
  ) => createReachBoardPerson(1, state, { devices: [device(1, { state, lastTest })] });
  await open([silent, createReachBoardPerson(2, 'failing')]);
  fakeApi.reply(TEST, { devices: 1 });
  pressElement(button('Test devices of user2'));
  await waitFor(() => assert.equal(fakeApi.requestsTo(TEST)[0]?.body, { userIds: [2] }));
  const waiting = createDisplayedTest('t', {
    createdAt: minutesAgo(0),
    stages: { displayed: null, received: null },
  });
  replyPeople([tested(waiting)]);
  await waitFor(() => assert.is(listRequestCount(), 2));
  await clock.advance(3000);
  await waitFor(() => assert.is(row('user1')?.[4], 'In progress'));
  replyPeople([tested(createDisplayedTest('t', { createdAt: minutesAgo(0) }))]);
  await clock.advance(3000);
  await waitFor(() => assert.match(row('user1')?.[4] ?? '', /^Today \d\d:\d\d$/));
  // A test started here is followed a few seconds longer.
  Date.now = () => realNow() + 11_000;
  await clock.advance(3000);
  await clock.advance(3000);
  const before = listRequestCount();
  await clock.advance(600_000);
  assert.is(listRequestCount(), before);
});

const SIZE = 'GET /api/admin/reach/tests';
async function testAll(): Promise<void> {
  fakeApi.reply(SIZE, { devices: 52, people: 40, quietDevices: 0, quietPeople: 0 });
  pressElement(button('Test all devices'));
  pressElement(await findButton('Test 52 devices'));
}

test('confirms Test all devices with its numbers, and says who is left out', async () => {
  await open([createReachBoardPerson(1, 'untested')]);
  fakeApi.reply(SIZE, { devices: 214, people: 180, quietDevices: 1, quietPeople: 1 });
  fakeApi.reply(TEST, { devices: 214, quietDevices: 1 });
  pressElement(button('Test all devices'));
  await waitFor(() =>
    assert.ok(
      dialog().getByText(
        'Test 214 devices belonging to 180 people? Each device gets a test notification within a minute. 1 more device belonging to 1 person in quiet hours won’t be tested.',
      ),
    ),
  );
  pressEscape();
  await waitFor(() => assert.is(screen.queryByText('Cancel'), null));
  assert.is(fakeApi.requestsTo(TEST).length, 0);
  pressElement(button('Test all devices'));
  pressElement(await findButton('Test 214 devices'));
  await findStatus(/^Testing 214 devices… · 1 device skipped because of quiet hours$/);
});

test('says when the number of devices is unknown, and tests nothing at zero', async () => {
  await open([createReachBoardPerson(1, 'untested')]);
  fakeApi.reject(SIZE, 404);
  pressElement(button('Test all devices'));
  await waitFor(() =>
    assert.ok(
      dialog().getByText(/^Failed to count .* Devices of people in quiet hours won’t be tested\.$/),
    ),
  );
  assert.is(
    dialog().getByRole<HTMLButtonElement>('button', { name: 'Test all devices' }).disabled,
    false,
  );
  pressEscape();
  await waitFor(() => assert.is(screen.queryByText('Cancel'), null));
  fakeApi.reply(SIZE, { devices: 0, people: 0, quietDevices: 3, quietPeople: 2 });
  pressElement(button('Test all devices'));
  await waitFor(() =>
    assert.ok(
      dialog().getByText(
        'All devices belong to people in quiet hours. Try again when the quiet hours end.',
      ),
    ),
  );
  assert.is(
    dialog().getByRole<HTMLButtonElement>('button', { name: 'Test all devices' }).disabled,
    true,
  );
});

test('counts tested devices, updates rows with results, and ends', async () => {
  await open([createReachBoardPerson(1, 'untested'), createReachBoardPerson(2, 'untested')]);
  fakeApi.reply(TEST, { devices: 52 });
  const round = { at: minutesAgo(0), devices: 52, until: minutesAgo(-1) };
  replyPeople(
    [createReachBoardPerson(1, 'untested'), createReachBoardPerson(2, 'untested')],
    round,
  );
  await testAll();
  await screen.findByText('Testing 52 devices…');
  assert.equal(fakeApi.requestsTo(TEST)[0]?.body, {});
  assert.is(button('Test all devices').disabled, true);
  replyPeople([createReachBoardPerson(1, 'untested'), createReachBoardPerson(2, 'late')], round);
  await clock.advance(3000);
  await waitFor(() =>
    assert.equal(
      tableRows().map(([name]) => name),
      ['user1'],
    ),
  );
  assert.equal(tiles()[2], ['1 Reachable, but late included in Reachable', null]);
  Date.now = () => realNow() + 61_000;
  await clock.advance(3000);
  assert.is(button('Test all devices').disabled, true, 'the last ones leave now');
  Date.now = () => realNow() + 122_000;
  await clock.advance(3000);
  await findStatus(/^Tested 52 devices (today|yesterday) \d\d:\d\d$/);
  assert.is(button('Test all devices').disabled, false);
  const before = listRequestCount();
  await clock.advance(600_000);
  assert.is(listRequestCount(), before);
});

test('runs a second test of all devices like the first', async () => {
  await open([createReachBoardPerson(1, 'untested')], {
    lastTests: { at: minutesAgo(60), devices: 9 },
  });
  fakeApi.reply(TEST, { devices: 10 });
  for (const devices of [10, 11]) {
    const shift = Date.now() - realNow() + 120_000;
    fakeApi.reply(TEST, { devices });
    replyPeople([createReachBoardPerson(1, 'untested')], {
      at: new Date(Date.now()).toISOString(),
      devices,
    });
    await testAll();
    await screen.findByText(`Testing ${devices} devices…`);
    Date.now = () => realNow() + shift;
    await clock.advance(3000);
    await findStatus(new RegExp(`^Tested ${devices} devices`));
  }
  assert.is(fakeApi.requestsTo(TEST).length, 2);
});

test('follows a test of all that someone else started, not while hidden', async () => {
  await open([createReachBoardPerson(1, 'untested')], {
    lastTests: { at: minutesAgo(0), devices: 1 },
  });
  await screen.findByText('Testing 1 device…');
  const before = listRequestCount();
  setHidden(true);
  await clock.advance(30_000);
  assert.is(listRequestCount(), before);
  await act(() => setHidden(false));
  await waitFor(() => assert.is(listRequestCount(), before + 1));
});

test('ends a test of any number of devices within ten minutes', async () => {
  await open([createReachBoardPerson(1, 'untested')], {
    lastTests: { at: minutesAgo(10.1), devices: 1e308 },
  });
  await findStatus(/^Tested /);
  await clock.advance(60_000);
  assert.is(listRequestCount(), 1);
});

test('sends one request at a time, and clears its timer when closed', async () => {
  await open([createReachBoardPerson(1, 'untested')], {
    lastTests: { at: minutesAgo(0), devices: 1 },
  });
  const before = listRequestCount();
  const release = fakeApi.holdReplies(LIST);
  await clock.advance(3000);
  await waitFor(() => assert.is(listRequestCount(), before + 1));
  await clock.advance(9000);
  assert.is(listRequestCount(), before + 1);
  release();
  await clock.advance(3000);
  await waitFor(() => assert.is(listRequestCount(), before + 2));
  cleanup();
  await clock.advance(60_000);
  assert.is(listRequestCount(), before + 2);
});

test('shows the server’s sentence for a second test too soon, and keeps the list', async () => {
  await open([createReachBoardPerson(1, 'untested')]);
  const sentence = 'Everybody was tested a moment ago. Try again at 14:09.';
  fakeApi.reject(TEST, 429, sentence);
  await testAll();
  await notices().findByText(sentence);
  assert.is(row('user1')?.[1], 'Untested');
  await waitFor(() => assert.is(button('Test all devices').disabled, false));
  await clock.advance(30_000);
  assert.is(listRequestCount(), 1);
});

test('says when there is no device to test', async () => {
  await open([createReachBoardPerson(1, 'untested')]);
  fakeApi.reply(TEST, { devices: 0 });
  await testAll();
  await notices().findByText('There are no devices to test.');
  pressElement(button('Test devices of user1'));
  await notices().findByText('user1 has no device to test.');
});

test('moves the focus to the heading when its row disappears', async () => {
  await open([createReachBoardPerson(1, 'untested'), createReachBoardPerson(2, 'untested')], {
    lastTests: { at: minutesAgo(0), devices: 2 },
  });
  button('Test devices of user1').focus();
  replyPeople([createReachBoardPerson(2, 'untested')], { at: minutesAgo(0), devices: 2 });
  await clock.advance(3000);
  await waitFor(() => assert.is(screen.queryByText('user1'), null));
  await waitFor(() => assert.is(document.activeElement?.textContent, 'Reach'));
  screen.getByLabelText('Search Users').focus();
  replyPeople([], { at: minutesAgo(0), devices: 2 });
  await clock.advance(3000);
  await screen.findByText('Nothing needs your attention');
  assert.is(document.activeElement, screen.getByLabelText('Search Users'));
});

test('confirms removing a device, and asks which of several', async () => {
  const several = [
    device(1, { state: 'failing', browser: 'Firefox' }),
    device(7, { state: 'silent' }),
  ];
  await open([createReachBoardPerson(1, 'silent', { devices: several })]);
  fakeApi.reply(REMOVE, { message: 'Signed out.' });
  await openDialog('Remove device of user1');
  pressInDialog('Cancel');
  assert.is(fakeApi.requestsTo(REMOVE).length, 0);
  await openDialog('Remove device of user1');
  const which = dialog().getByLabelText<HTMLSelectElement>('Device');
  assert.is(which.value, '7', 'the one that decides');
  chooseOption(
    dialog().getByLabelText('Device'),
    dialog().getByRole('option', { name: /Firefox/ }).textContent ?? '',
  );
  replyPeople([]);
  pressInDialog('Remove device');
  await notices().findByText('Device removed.');
  assert.is(fakeApi.requestsTo(REMOVE)[0]?.params.id, '1');
  await screen.findByText('Nothing needs your attention');
});

test('reports a device that was already gone, and removes its row', async () => {
  await open([createReachBoardPerson(1, 'failing')]);
  fakeApi.reject(REMOVE, 404, 'There is no such device.');
  await openDialog('Remove device of user1');
  replyPeople([]);
  pressInDialog('Remove device');
  await dialog().findByText('There is no such device.');
  await screen.findByText('Nothing needs your attention');
});

test('copies all matching names over all pages', async () => {
  await open(
    numbersUpTo(130).map((id) => createReachBoardPerson(id === 99 ? 131 : id, 'silent')),
    {
      path: '/admin/reach?query=user&topic=3',
    },
  );
  const copiedTexts = allowCopying();
  pressElement(await findButton('Copy these 130 names'));
  await notices().findByText('130 names copied.');
  assert.is(copiedTexts[0]?.split('\n').length, 130);
  assert.equal(
    fakeApi
      .requestsTo(LIST)
      .filter(({ query }) => query.query)
      .map(({ query }) => [query.page, query.limit, query.query, query.topic, query.state]),
    [
      ['1', '25', 'user', '3', 'attention'],
      ['1', '100', 'user', '3', 'attention'],
      ['2', '100', 'user', '3', 'attention'],
    ],
  );
  pressElement(await findButton('Copy these 130 names'));
  await waitFor(() => assert.is(copiedTexts.length, 2, 'they can be copied again'));
});

test('reports no copied or failed names after leaving', async () => {
  for (const fails of [false, true]) {
    await open(numbersUpTo(30).map((id) => createReachBoardPerson(id, 'silent')));
    const copiedTexts = allowCopying();
    if (fails) fakeApi.loseRequests(LIST);
    const before = listRequestCount();
    const release = fakeApi.holdReplies(LIST);
    pressElement(await findButton('Copy these 30 names'));
    await waitFor(() => assert.is(listRequestCount(), before + 1));
    cleanup();
    showScreen(<p>Elsewhere</p>, '/admin');
    release();
    await clock.advance(0);
    if (!fails) await waitFor(() => assert.is(copiedTexts.length, 1));
    await clock.advance(0);
    assert.is(document.querySelector('.toast .note'), null);
    cleanup();
  }
});

test('copies the first thousand names only', async () => {
  await open(numbersUpTo(2500).map((id) => createReachBoardPerson(id + 100, 'silent')));
  const copiedTexts = allowCopying();
  pressElement(await findButton('Copy the first 1,000 names'));
  await notices().findByText('1,000 names copied.');
  assert.is(copiedTexts[0]?.split('\n').length, 1000);
  assert.is(listRequestCount(), 11);
});

test('shows the board without topics, with Retry', async () => {
  fakeApi.reject('GET /api/admin/topics', 500);
  replyPeople([createReachBoardPerson(1, 'silent')]);
  showScreen(<ReachBoard />, '/admin/reach');
  await screen.findByText('Failed to load topics.');
  assert.ok(await screen.findByText('user1'));
  fakeApi.reply('GET /api/admin/topics', topicPages([createTopic(3, { title: 'Storms' })]));
  pressElement(button('Retry'));
  await screen.findByRole('option', { name: 'Storms' });
});

test('disables tests and removal offline, and reads again once online', async () => {
  await open([createReachBoardPerson(1, 'failing')], {
    lastTests: { at: minutesAgo(0), devices: 1 },
  });
  await act(() => setOnline(false));
  await findStatus(/^You’re offline\. You can test devices when you’re back online\.$/);
  for (const name of ['Test all devices', 'Test devices of user1', 'Remove device of user1'])
    assert.is(button(name).disabled, true, name);
  const before = listRequestCount();
  await clock.advance(30_000);
  assert.is(listRequestCount(), before);
  await act(() => setOnline(true));
  await waitFor(() => assert.is(listRequestCount(), before + 1));
  assert.is(screen.queryByText(/^You can test devices/), null);
});

test.run();
