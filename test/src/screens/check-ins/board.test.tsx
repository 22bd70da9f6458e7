import * as assert from 'uvu/assert';
import { CheckInBoardScreen } from '../../../../src/screens/check-ins/CheckInBoard';
import type { CheckIn, Role } from '../../../../src/shared/contract';
import {
  cleanup,
  fakeApi,
  findButton,
  fireEvent,
  pressElement,
  screen,
  screenSuite,
  showScreen,
  tableRows,
  waitFor,
} from '../../../support/app/app';
import { createCheckIn } from '../../../support/app/factories/check-ins';
import { createTopic } from '../../../support/app/factories/people';
import { endSession, signInAs } from '../../../support/app/session';

const test = screenSuite('check-in board');
const BOARD = 'GET /api/admin/check-ins';
const SETTINGS = 'GET /api/admin/check-ins/settings';
const SAVE = 'PUT /api/admin/check-ins/settings';
const saved = {
  isAdminReachable: false,
  ...{ enabled: false, graceMinutes: 7, alarmTopicId: null, policyId: 4, alarmTopic: null },
};

test.after.each(endSession);

/** Someone who missed a check-in, and someone who answered late. */
function openBoard(role: Role, path: string, isUnused = false, rows?: CheckIn[]): void {
  signInAs(role);
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  const alarm = {
    messageId: 'm1',
    at: at(-3),
    people: 6,
    unreachable: 1,
    displayed: 3,
    answered: 2,
  };
  const checkIns: CheckIn[] = [
    createCheckIn(68, { id: 1, state: 'missed', alarm }),
    createCheckIn(30, {
      ...{ id: 2, note: '', answers: 1, answeredAt: at(-20), receivedAt: at(-2) },
      person: { id: 8, username: 'a.lindqvist' },
    }),
  ];
  if (path.includes('ended')) {
    const lastAlarm = { messageId: 'm2', at: at(-30) };
    const earlierAlarms = [{ messageId: 'm1', at: at(-34) }];
    const answered = { lastAlarm, earlierAlarms, answers: 1, answeredAt: at(-12) };
    checkIns.splice(0, 2, createCheckIn(90, { state: 'ended', endedAt: at(-9), ...answered }));
  }
  const counts = { running: 1, due: 0, missed: 1, help: 0, ended: 5 };
  const noCounts = { running: 0, due: 0, missed: 0, help: 0, ended: 0 };
  fakeApi.reply(
    BOARD,
    isUnused
      ? { checkIns: [], counts: noCounts, total: 0, page: 1, limit: 25 }
      : { checkIns: rows ?? checkIns, counts, total: 2, page: 1, limit: 25 },
  );
  fakeApi.reply(SETTINGS, saved);
  fakeApi.reply('GET /api/admin/topics', {
    topics: [createTopic(3, { policyId: null })],
    total: 1,
    page: 1,
    limit: 100,
  });
  const policy = { id: 4, name: 'Night', quorum: null, steps: [], topics: 0 };
  fakeApi.reply('GET /api/admin/policies', { policies: [policy] });
  showScreen(<CheckInBoardScreen />, path);
}

test('shows watchers the alarm, the time left and late answers, and no settings', async () => {
  openBoard('TECHNICIAN', '/check-ins');
  const note = (await screen.findByRole('alert')).textContent ?? '';
  assert.match(note, /^m\.okafor missed a check-in\./);
  assert.match(
    note,
    '2 of 6 people have answered. Displayed to 3 of 6 people. We can’t notify 1 person.',
  );
  const [first, second] = tableRows().map((row) => row.map((cell) => cell.trim()));
  assert.equal(first?.slice(1, 4), ['Missed', '8 min overdue', 'Pole 114']);
  assert.match(
    second?.slice(1, 3).join() ?? '',
    /^Running Answered at .+, received at .+\.,30 min Due at .+, alarm at .+/,
  );
  assert.is(second?.[3], '-', 'no note of the person’s own');
  const links = screen.getAllByRole('link', { name: /^View alarm/ });
  assert.equal([...new Set(links.map((link) => link.getAttribute('href')))], ['/sent/m1']);
  cleanup();
  const alarm = { messageId: 'm3', at: '', people: 2, answered: 0, isToAdmins: true } as const;
  openBoard('TECHNICIAN', '/check-ins', false, [createCheckIn(68, { state: 'help', alarm })]);
  assert.match((await screen.findByRole('alert')).textContent ?? '', /needs help/);
  assert.not(screen.queryByRole('link', { name: /^View alarm/ }), 'it went to administrators only');
  assert.equal(fakeApi.requestsTo(SETTINGS), []);
});

test('says when an ended check-in had alarms, and when its person answered', async () => {
  openBoard('TECHNICIAN', '/check-ins?state=ended');
  const link = await screen.findByRole('link', { name: /^View alarm/ });
  assert.is(link.getAttribute('href'), '/sent/m2');
  const [row] = tableRows().map((cells) => cells.map((cell) => cell.trim()));
  assert.match(
    row?.[1] ?? '',
    /^Ended after an alarm Alarms were sent at .+ and .+\. Answered “I’m OK” at .+\.$/,
  );
});

test('calls no one safe who was suspended during a check-in', async () => {
  const at = new Date(Date.now() - 60_000).toISOString();
  const end = { state: 'ended', endedAt: at, endReason: 'suspended' } as const;
  const help = { helpAt: new Date(Date.now() - 1_200_000).toISOString(), helpReceivedAt: at };
  const lastAlarm = { messageId: 'm1', at };
  openBoard('ADMIN', '/admin/check-ins?state=ended', false, [
    createCheckIn(9, end),
    createCheckIn(30, { ...end, ...help, id: 2, lastAlarm }),
  ]);
  await waitFor(() =>
    assert.equal(
      tableRows().map(([, state]) => state?.trim().slice(0, 9)),
      ['Suspended', 'Suspended'],
    ),
  );
  assert.match(
    tableRows()[1]?.[1] ?? '',
    /^Suspended An alarm was sent at .+\. Asked for help at .+, received at .+\.$/,
  );
});

test('shows an administrator only the way to turn check-ins on before their first use', async () => {
  openBoard('ADMIN', '/admin/check-ins', true);
  await screen.findByText(/^Check-ins are off, so people can’t start one\./);
  assert.ok(screen.getByRole('heading', { name: 'Settings' }));
  await screen.findByRole('switch');
  await waitFor(() => assert.is(screen.queryByText(/^Live/), null));
  assert.is(screen.queryByText('No check-ins'), null);
  assert.is(screen.queryByRole('search'), null);
  assert.is(screen.queryByRole('navigation', { name: 'Show people by state' }), null);
  assert.is(screen.queryByRole('link', { name: 'Turn them on in the settings' }), null);
});

test('saves the settings that an administrator changed, and keeps the others', async () => {
  openBoard('ADMIN', '/admin/check-ins');
  const reach = { people: 2, reachable: 0, muted: 0, unreachable: 2, held: 0 };
  fakeApi.reply('POST /api/admin/messages/audience', reach);
  await screen.findByText(/^Check-ins are off, so people can’t start one\./);
  pressElement(await screen.findByRole('switch', { name: 'Let people check in' }));
  const topic = screen.getByLabelText('Send the alarm to');
  fireEvent.change(topic, { target: { value: '3' } });
  await screen.findByText(
    /^We can’t notify any of the 2 subscribers of this topic\..*any administrator either\.$/,
  );
  assert.is(screen.queryByRole('link', { name: 'View policies' }), null);
  const escalation = screen.getByLabelText('Escalation');
  fireEvent.change(escalation, { target: { value: '' } });
  await screen.findByText(/^This topic has no escalation policy\./);
  const policies = screen.getByRole('link', { name: 'View policies' });
  assert.is(policies.getAttribute('href'), '/admin/policies');
  fireEvent.change(escalation, { target: { value: '4' } });
  fakeApi.reject(SAVE, 400, 'Choose a topic that has subscribers.');
  pressElement(await findButton('Save settings'));
  await screen.findByText('Choose a topic that has subscribers.');
  fireEvent.change(topic, { target: { value: '' } });
  assert.is(screen.queryByText('Choose a topic that has subscribers.'), null);
  fireEvent.change(topic, { target: { value: '3' } });
  fakeApi.reply(SAVE, { ...saved, enabled: true, alarmTopicId: 3 });
  pressElement(await findButton('Save settings'));
  await waitFor(() =>
    assert.equal(
      fakeApi
        .requestsTo(SAVE)
        .slice(1)
        .map(({ body }) => body),
      [{ enabled: true, graceMinutes: 7, alarmTopicId: 3, policyId: 4 }],
    ),
  );
  await waitFor(() => assert.is(screen.queryByText(/^Check-ins are off/), null));
  assert.is(
    screen.getAllByRole('link', { name: /^View alarm/ })[0]?.getAttribute('href'),
    '/admin/messages/m1',
  );
});

test.run();
