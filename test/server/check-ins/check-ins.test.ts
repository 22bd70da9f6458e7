import * as assert from 'uvu/assert';
import type { Body, CheckIn, Receipt } from '../../../src/shared/contract';
import { CHECK_IN_ANSWERS } from '../../../src/shared/contract/check-ins';
import { readAuditLog } from '../../support/server/audit';
import { createAudienceHelpers } from '../../support/server/audience';
import { createCheckInHelpers } from '../../support/server/check-ins';
import type { Person } from '../../support/server/server';
import { serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('check-ins');
const { acceptAll, addDevice, claimAll, createMember, muteTopic, readDeliveries, readLedger } =
  createAudienceHelpers(server);
const checkInHelpers = createCheckInHelpers(server);
const [OK, HELP] = CHECK_IN_ANSWERS as [string, string];
const MINUTE_MS = 60_000;

let topic: number;
let watcher: Person;
let worker: Person;
test.before.each(async () => {
  topic = await server.createTopic('Control room');
  watcher = await createMember(1, topic);
  worker = await createMember(1);
  await checkInHelpers.enable(topic);
});

/** Gives the alarm's topic a policy with this step. */
async function setAlarmPolicy(
  as: Person,
  step: Body<'POST /api/admin/policies'>['steps'][number],
  more: Pick<Body<'POST /api/admin/policies'>, 'quorum'> & { next?: typeof step } = {},
): Promise<void> {
  const { next, ...ending } = more;
  const { body: policy } = await server.call('POST /api/admin/policies', {
    as,
    body: { name: 'Night', steps: [step, ...(next ? [next] : [])], ...ending },
  });
  await setAlarmTopic(as, topic, policy.id);
}
async function setAlarmTopic(
  as: Person,
  alarmTopicId: number,
  policyId: number | null,
): Promise<void> {
  const body = { enabled: true, graceMinutes: 5, alarmTopicId, policyId };
  assert.is((await server.call('PUT /api/admin/check-ins/settings', { as, body })).status, 200);
}
/** Not what its policy sent, which has the same title. */
const isAlarm = ({ policy }: { policy: string | null }): boolean => policy !== null;
const REPEAT_STEP = { after: 300, action: 'repeat' } as const;

/** On the newest reminder, unless `nth` says another. */
async function sendAnswer(
  answer: string,
  receiptFields: Partial<Receipt> = {},
  nth = -1,
): Promise<void> {
  const messages = await checkInHelpers.readMessages();
  const messageId = messages.filter(({ kind }) => kind === 'reminder').at(nth)?.id ?? '';
  await server.sendReceipts(worker, [
    { messageId, kind: 'acknowledged', answer, ...receiptFields },
  ]);
}
const readCurrent = async (): Promise<CheckIn> =>
  (await server.call('GET /api/check-ins/current', { as: worker })).body;
const titles = async (): Promise<string[]> =>
  (await checkInHelpers.readMessages()).map(({ title }) => title);
const sendAllClear = (messageId: string) =>
  server.call('POST /api/admin/messages/:id/all-clear', {
    as: checkInHelpers.admin(),
    params: { id: messageId },
    body: {},
  });
const startsAt = (minutes: number): string =>
  new Date(server.clock.now + minutes * MINUTE_MS).toISOString();

test('asks three times, alerts the topic and tells the person once, and sends the all-clear to the same people', async () => {
  await checkInHelpers.startCheckIn(worker, {
    minutes: 30,
    note: 'Pole 114',
    timeZone: 'Europe/Oslo',
  });
  await checkInHelpers.advance(24);
  assert.equal(await titles(), []);
  await checkInHelpers.advance(1);
  assert.equal(await titles(), ['Are you OK?']);
  assert.is((await readCurrent()).state, 'due');
  const reminderTimes = [startsAt(0), startsAt(5), startsAt(9)];
  const shown = {
    messageId: (await checkInHelpers.readMessages())[0]!.id,
    kind: 'displayed',
  } as const;
  await server.sendReceipts(worker, [shown]);
  for (const minutes of [5, 4, 1, 60]) await checkInHelpers.advance(minutes);
  const missed = `${worker.username} missed a check-in`;
  const lastTitle = 'Last reminder: Are you OK?';
  assert.equal(await titles(), [
    ...['Are you OK?', 'Are you OK?', lastTitle],
    ...['We’ve sent the alarm', missed],
  ]);
  const [reminder, second, last, alarmNotice, alarm] = await checkInHelpers.readMessages();
  assert.equal(
    [alarmNotice!.priority, alarmNotice!.answers, alarmNotice!.link],
    ['urgent', reminder!.answers, '/check-in'],
  );
  const alarmTime = /didn’t answer by (..:..)\./.exec(alarm!.text)?.[1];
  assert.is(
    alarmNotice!.text,
    `You didn’t answer by ${alarmTime}. If you’re OK, tell us, and we’ll send the all-clear.`,
  );
  assert.equal(
    (await claimAll()).flatMap(({ message: { id }, recipient }) =>
      recipient?.userId === worker.id ? [[id, recipient.withdrawnIds]] : [],
    ),
    [
      [reminder!.id, []],
      [second!.id, [reminder!.id]],
      [last!.id, [second!.id, reminder!.id]],
      [alarmNotice!.id, [last!.id, second!.id, reminder!.id]],
    ],
    'each closes the notifications of those before',
  );
  assert.equal(
    (await readDeliveries(reminder!.id)).map(({ user_id }) => user_id),
    [worker.id],
  );
  assert.equal([alarm!.priority, JSON.parse(reminder!.answers)], ['urgent', [OK, HELP]]);
  assert.match(alarm!.text, 'Note: Pole 114.\n');
  assert.match(alarm!.text, 'Times are local time in Oslo.');
  assert.equal(
    (await readLedger(alarm!.id)).map(({ user_id }) => user_id),
    [watcher.id],
  );
  assert.equal((await readCurrent()).alarm?.people, 1);
  assert.equal(
    (await readCurrent()).reminders,
    [
      { at: reminderTimes[0], state: 'displayed' },
      { at: reminderTimes[1], state: 'pending' },
      { at: reminderTimes[2], state: 'pending' },
    ],
    'as they were recorded, without the one that tells of the alarm',
  );

  // Who was alerted gets the all-clear, whatever they are subscribed to by then.
  await server.services.db.deleteFrom('subscriptions').execute();
  const { body: device } = await server.call('POST /api/notifications/register-device', {
    as: worker,
    body: { deviceToken: 'late', deviceType: 'web', userAgent: '' },
  });
  const displayLate = async (token: string) => {
    const receipts = [second, alarmNotice, alarm].map((message) => ({
      messageId: message!.id,
      kind: 'displayed' as const,
    }));
    const body = { receipts };
    const response = await server.call('POST /api/notifications/receipts', { as: { token }, body });
    return [...(response.body.withdrawn ?? [])].sort();
  };
  const key = device.deviceKey!;
  assert.equal(await displayLate(key), []);
  assert.equal((await readCurrent()).responders, []);
  const coming = { messageId: alarm!.id, kind: 'acknowledged', answer: 'Bin unterwegs' } as const;
  await server.sendReceipts(watcher, [{ ...coming, comment: 'Ten minutes' }]);
  assert.equal((await readCurrent()).responders, [
    { username: watcher.username, comment: 'Ten minutes' },
  ]);
  const countUnread = async () =>
    (await server.call('GET /api/notifications/messages', { as: worker })).body.unread;
  assert.is(await countUnread(), 4);
  await sendAnswer('Alles in Ordnung');
  const answered = [second!.id, alarmNotice!.id].sort();
  assert.equal(await displayLate(key), answered, 'before the job');
  await checkInHelpers.advance(0);
  assert.equal([await displayLate(key), await displayLate(worker.token)], [answered, []]);
  assert.is(await countUnread(), 0, 'earlier questions, too');
  assert.is((await titles()).at(-1), `All clear: ${worker.username}`);
  const allClear = (await checkInHelpers.readMessages()).at(-1)!;
  const ofClear = { as: checkInHelpers.admin(), params: { id: allClear.id } };
  assert.is((await server.call('GET /api/admin/messages/:id', ofClear)).body.isAllClear, true);
  const correction = { message: 'Gone.', ask: false };
  for (const { status, body } of [
    await server.call('POST /api/admin/messages/:id/correct', { ...ofClear, body: correction }),
    await server.call('POST /api/admin/messages/:id/all-clear', { ...ofClear, body: {} }),
  ])
    assert.match(`${status} ${JSON.stringify(body)}`, /^409 .*itself an all-clear/);
  assert.equal(
    (await readLedger(allClear.id)).map(({ user_id }) => user_id),
    [watcher.id],
  );
  for (const title of [missed, alarmNotice!.title]) {
    const [withdrawn] = await checkInHelpers.readMessages(title);
    assert.is(withdrawn?.resolved_at, server.clock.now);
  }
  assert.equal([(await readCurrent()).state, (await readCurrent()).alarm], ['running', null]);
  // After its end, it still says that there was an alarm.
  const params = { id: (await readCurrent()).id };
  server.clock.now += 60_000;
  await server.call('POST /api/check-ins/:id/end', { as: worker, params, body: {} });
  const ended = { as: checkInHelpers.admin(), query: { state: 'ended' } };
  const { checkIns } = (await server.call('GET /api/admin/check-ins', ended)).body;
  const { earlier } = (await server.call('GET /api/check-ins', { as: worker })).body;
  const sent = { messageId: alarm!.id, at: new Date(alarm!.created_at).toISOString() };
  assert.equal([checkIns[0]?.lastAlarm, earlier[0]?.lastAlarm], [sent, sent]);
  const file = await server.call('GET /api/account/export', { as: worker });
  assert.equal(
    file.body.checkIns.map(({ alarms }) => alarms),
    [[{ sentAt: sent.at }]],
  );
  const [entry] = await readAuditLog(server, checkInHelpers.admin(), 'check-in.end');
  assert.is(entry?.detail, 'After an alarm');
});

test('asks several people at once, each about their own check-in', async () => {
  const otherPerson = await createMember(1);
  await checkInHelpers.startCheckIn(otherPerson, { minutes: 60, timeZone: 'Asia/Tokyo' });
  await checkInHelpers.startCheckIn(watcher, { minutes: 55, timeZone: 'Europe/Oslo' });
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  // The first person is asked first, the second for the last time; the third's alarm is due.
  await checkInHelpers.advance(57);
  const written = (minutes: number, timeZone: string) =>
    new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone }).format(
      server.clock.now + (minutes - 57) * MINUTE_MS,
    );
  const reminders = await checkInHelpers.readMessages('Are you OK?');
  const responses = await Promise.all(
    reminders.map(async ({ id, text }) => [(await readDeliveries(id))[0]?.user_id, text]),
  );
  assert.equal(
    new Map(responses as [number, string][]),
    new Map([
      [otherPerson.id, `Your check-in is due at ${written(60, 'Asia/Tokyo')}.`],
      // The alarm would notify only the person's own device.
      [
        watcher.id,
        `Answer by ${written(60, 'Europe/Oslo')}. We can’t alert others right now. If you need help, call for help in another way.`,
      ],
    ]),
  );
  assert.is((await checkInHelpers.readMessages(`${worker.username} missed a check-in`)).length, 1);
  const messageId =
    reminders[responses.findIndex(([userId]) => userId === otherPerson.id)]?.id ?? '';
  await server.sendReceipts(otherPerson, [{ messageId, kind: 'acknowledged', answer: OK }]);
  await checkInHelpers.advance(5);
  const states = (await server.call('GET /api/admin/check-ins', { as: checkInHelpers.admin() }))
    .body;
  assert.equal(
    states.checkIns.map(({ person, state }) => [person.username, state]),
    [
      [worker.username, 'missed'],
      [watcher.username, 'missed'],
      [otherPerson.username, 'running'],
    ],
  );
});

test('spreads the reminders of many people, and no alarm waits behind them', async () => {
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  for (let nth = 0; nth < 60; nth += 1)
    await checkInHelpers.startCheckIn(await createMember(0, topic), { minutes: 40 });
  await checkInHelpers.advance(35);
  const count = async (title: string) => (await checkInHelpers.readMessages(title)).length;
  const missed = `${worker.username} missed a check-in`;
  assert.equal([await count('Are you OK?'), await count(missed)], [25, 1]);
  server.clock.now += 100;
  await server.jobs.runDue();
  const questionCount = await count('Are you OK?');
  assert.ok(questionCount > 25 && questionCount <= 50, String(questionCount));
  server.clock.now += 200;
  await server.jobs.runDue();
  assert.is(await count('Are you OK?'), 60);
});

test('writes the alarm in each language, and isolates names of the other direction', async () => {
  const name = 'sami \u202eسامي\u2069';
  await server.services.db
    .updateTable('users')
    .set({ username: name })
    .where('id', '=', worker.id)
    .execute();
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  for (const minutes of [25, 5, 5]) await checkInHelpers.advance(minutes);
  await server.call('PUT /api/account/language', { as: watcher, body: { language: 'de' } });
  const { body } = await server.call('GET /api/notifications/messages', { as: watcher });
  const [alarm] = body.messages;
  assert.is(alarm?.title, 'Check-in von \u2068sami سامي\u2069 nicht beantwortet');
  assert.equal(alarm?.answers, ['Bin unterwegs']);
});

test('judges a late answer by when it was pressed, and says so', async () => {
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  await checkInHelpers.advance(25);
  const pressedAt = startsAt(2);
  await checkInHelpers.advance(5);
  await checkInHelpers.advance(5);
  // The phone comes back within the time that the person's answer began.
  await checkInHelpers.advance(10);
  await sendAnswer(OK, { at: pressedAt }, 0);
  await checkInHelpers.advance(0);
  assert.is((await titles()).at(-1), `All clear: ${worker.username}`);
  assert.match(
    (await checkInHelpers.readMessages()).at(-1)!.text,
    'The server received this answer at',
  );
  const { answeredAt, receivedAt, dueAt } = await readCurrent();
  assert.equal([answeredAt, receivedAt], [pressedAt, startsAt(0)]);
  assert.is(Date.parse(dueAt), Date.parse(pressedAt) + 30 * MINUTE_MS);
});

test('counts answers on a phone whose clock is a day behind', async () => {
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const at = startsAt(-24 * 60);
  for (let nth = 0; nth < 2; nth += 1) {
    await checkInHelpers.advance(25);
    await sendAnswer(OK, { at });
  }
  await checkInHelpers.advance(10);
  assert.equal(await titles(), ['Are you OK?', 'Are you OK?']);
  await checkInHelpers.advance(15);
  await sendAnswer(HELP, { at });
  await checkInHelpers.advance(1);
  assert.is((await titles()).at(-1), `${worker.username} needs help`);
});

test('corrects the times of a phone whose clock is half an hour behind', async () => {
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  await checkInHelpers.advance(25);
  const clock = (minutes: number) => startsAt(minutes - 30);
  const body = { at: clock(-3), sentAt: clock(0) };
  await server.call('POST /api/check-ins/:id/ok', { as: worker, params: { id }, body });
  assert.is((await readCurrent()).answeredAt, startsAt(-3));
  const [reminder] = await checkInHelpers.readMessages('Are you OK?');
  const help = { messageId: reminder!.id, kind: 'acknowledged', answer: HELP } as const;
  const send = (receipt: Receipt) =>
    server.call('POST /api/notifications/receipts', {
      as: worker,
      body: { receipts: [receipt], sentAt: clock(0) },
    });
  await send({ ...help, at: clock(-2) });
  await checkInHelpers.advance(1);
  assert.is((await titles()).at(-1), `${worker.username} needs help`);
  // By the phone's clock, the answers to later reminders come before the help.
  await server.call('POST /api/check-ins/:id/ok', { as: worker, params: { id }, body: {} });
  for (const [title, passes] of [
    ['Are you OK?', [25]],
    ['We’ve sent the alarm', [25, 5, 5]],
  ] as const) {
    for (const minutes of passes) await checkInHelpers.advance(minutes);
    const asked = (await checkInHelpers.readMessages(title)).at(-1)!;
    await send({ messageId: asked.id, kind: 'acknowledged', answer: OK, at: clock(0) });
    const { state, answeredAt } = await readCurrent();
    assert.equal([state, answeredAt], ['running', startsAt(0)], title);
  }
});

test('keeps help against an earlier OK that was held up, or that a wrong clock makes later', async () => {
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  await checkInHelpers.advance(25);
  const params = { id };
  const pressOk = (body: object) =>
    server.call('POST /api/check-ins/:id/ok', { as: worker, params, body });
  // Held up for 90 seconds; then by a clock that is 40 seconds ahead.
  const heldUp = { at: startsAt(0), sentAt: startsAt(0) };
  const early = { at: startsAt(1 + 40 / 60), sentAt: startsAt(2 + 40 / 60) };
  await checkInHelpers.advance(1.5);
  const at = startsAt(0);
  await server.call('POST /api/check-ins/:id/help', {
    as: worker,
    params,
    body: { at, sentAt: at },
  });
  await pressOk(heldUp);
  await checkInHelpers.advance(0.5);
  await pressOk(early);
  const end = await server.call('POST /api/check-ins/:id/end', {
    as: worker,
    params,
    body: heldUp,
  });
  assert.is(end.status, 409);
  await checkInHelpers.advance(1);
  assert.is((await titles()).at(-1), `${worker.username} needs help`);
  // After the help it counts.
  await pressOk({ at: startsAt(0), sentAt: startsAt(0) });
  await checkInHelpers.advance(1);
  assert.is((await titles()).at(-1), `All clear: ${worker.username}`);
});

test('keeps the alarm if an earlier OK arrives after a second call for help', async () => {
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const params = { id };
  await checkInHelpers.advance(25);
  await server.call('POST /api/check-ins/:id/help', { as: worker, params, body: {} });
  await checkInHelpers.advance(1);
  const at = startsAt(0);
  await checkInHelpers.advance(1);
  // Half a minute late: shown with the time of the press, as in the alarm.
  const pressedAt = startsAt(-0.5);
  const body = { at: pressedAt };
  await server.call('POST /api/check-ins/:id/help', { as: worker, params, body });
  await checkInHelpers.advance(1);
  await sendAnswer(OK, { at });
  const { state, presses } = await readCurrent();
  assert.is(state, 'help');
  const calledAt = [startsAt(-3), pressedAt];
  assert.equal(presses, [
    { kind: 'help', at: calledAt[0] },
    { kind: 'help', at: calledAt[1] },
  ]);
});

test('shows who else gave the all-clear, adds none of its own, and alerts again on a new call', async () => {
  const admin = checkInHelpers.admin();
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const help = () =>
    server.call('POST /api/check-ins/:id/help', { as: worker, params: { id }, body: {} });
  const alarms = async () =>
    (await checkInHelpers.readMessages(`${worker.username} needs help`)).length;
  const checkInOf = async (messageId: string) => {
    const params = { id: messageId };
    return (await server.call('GET /api/admin/messages/:id', { as: admin, params })).body.checkIn;
  };
  await checkInHelpers.advance(25);
  await help();
  await checkInHelpers.advance(1);
  const { alarm } = await readCurrent();
  await server.call('POST /api/admin/messages/:id/all-clear', {
    as: admin,
    params: { id: alarm?.messageId ?? '' },
    body: { message: 'He is back.' },
  });
  assert.is((await readCurrent()).alarm?.allClearBy, admin.username);
  await checkInHelpers.advance(1);
  assert.is((await checkInOf(alarm?.messageId ?? ''))?.needsAnswer, true);
  const notices = () => checkInHelpers.readMessages('Your check-in isn’t over');
  const [notice] = await notices();
  assert.match(notice!.text, `${admin.username} gave the all-clear at `);
  assert.match(notice!.text, '\n“He is back.”\nWe won’t check on you again until you answer.');
  assert.equal(
    (await readDeliveries(notice!.id)).map(({ user_id }) => user_id),
    [worker.id],
  );
  assert.is((await readCurrent()).reminders?.length, 1, 'the notice is no question');
  const { body: called } = await help();
  assert.is(called.alarm, null, 'not yet: the alarm before was about another call');
  await checkInHelpers.advance(1);
  assert.equal([await alarms(), (await readCurrent()).alarm?.allClearAt], [2, undefined]);
  await server.call('POST /api/admin/messages/:id/all-clear', {
    as: admin,
    params: { id: (await readCurrent()).alarm?.messageId ?? '' },
    body: {},
  });
  await sendAnswer(OK);
  await checkInHelpers.advance(1);
  assert.equal(await checkInHelpers.readMessages(`All clear: ${worker.username}`), []);
  assert.equal(
    (await notices()).map(({ resolved_at }) => resolved_at),
    [server.clock.now],
    'an answer withdraws it, and comes before the second',
  );
  assert.equal(
    (await readCurrent()).earlierAlarms?.map(({ messageId }) => messageId),
    [alarm?.messageId],
  );
  assert.equal(await checkInOf(alarm?.messageId ?? ''), {
    ...{ username: worker.username, needsAnswer: false },
    ...{ answeredAt: startsAt(-1), endedAt: null },
  });
});

for (const areAccepted of [true, false])
  test(`gives the all-clear also for a check-in’s earlier alarms, once to each person, ${areAccepted ? 'after' : 'before'} the push services accepted them`, async () => {
    const admin = checkInHelpers.admin();
    await setAlarmPolicy(admin, REPEAT_STEP);
    const early = await createMember(1, topic);
    const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
    for (const minutes of [25, 5, 5]) await checkInHelpers.advance(minutes);
    if (areAccepted) await acceptAll();
    // The next alarm goes to others, too: `early` gets only the first alarm.
    const second = await server.createTopic('Night shift');
    await server.subscribe(admin, watcher.id, second);
    const late = await createMember(1, second);
    const { body: settings } = await server.call('GET /api/admin/check-ins/settings', {
      as: admin,
    });
    await setAlarmTopic(admin, second, settings.policyId ?? 0);
    await server.call('POST /api/check-ins/:id/help', { as: worker, params: { id }, body: {} });
    await checkInHelpers.advance(1);
    if (areAccepted) await acceptAll();
    const alarms = async () =>
      (await checkInHelpers.readMessages()).filter(({ kind }) => kind === 'message');
    const [missed, help] = (await alarms()).map((alarm) => alarm.id) as [string, string];
    const { status } = await server.call('POST /api/admin/messages/:id/all-clear', {
      as: admin,
      params: { id: help },
      body: { message: 'He is back.' },
    });
    assert.is(status, 200);
    const cleared = [server.clock.now, admin.id, 'He is back.', 'all-clear', admin.id];
    assert.equal(
      (await alarms()).map((alarm) => [
        ...[alarm.all_clear_at, alarm.all_clear_by, alarm.all_clear],
        ...[alarm.stopped, alarm.stopped_by],
      ]),
      [cleared, cleared],
    );
    const pushes = (await claimAll()).filter(({ message }) => message.allClear !== null);
    const notified = pushes.flatMap(({ message, recipient }) =>
      recipient ? [[recipient.userId, message.id, recipient.withdrawnIds]] : [],
    );
    assert.equal(
      notified.sort(([one], [other]) => Number(one) - Number(other)),
      [
        [watcher.id, help, [missed]],
        [early.id, missed, []],
        [late.id, help, []],
      ],
      'and the notification of the other alarm closes',
    );
    const entries = await readAuditLog(server, admin, 'message.clear');
    assert.is(entries.length, 2);
    // The watcher was shown the all-clear of the second alarm, which is for the first one, too.
    await server.sendReceipts(watcher, [{ messageId: help, kind: 'displayed' }]);
    const lacking = async (messageId: string) => {
      const params = { id: messageId };
      const query = { state: 'all_clear_not_displayed' };
      const page = await server.call('GET /api/admin/messages/:id/recipients', {
        ...{ as: admin, params, query },
      });
      return page.body.recipients.map(({ user }) => user?.id);
    };
    assert.equal([await lacking(missed), await lacking(help)], [[early.id], [late.id]]);
    await checkInHelpers.advance(6);
    assert.equal(
      (await alarms()).map(({ rounds }) => rounds),
      [1, 1],
      'no one is notified again',
    );
    // The person's own answer comes later, and withdraws nothing of it.
    await sendAnswer(OK);
    await checkInHelpers.advance(0);
    assert.equal(
      (await alarms()).map(({ state, resolved_at }) => [state, resolved_at]),
      [
        ['sent', null],
        ['sent', null],
      ],
    );
  });

test('records every answer, sends each alarm, and delays all-clears of many alarms', async () => {
  await setAlarmPolicy(checkInHelpers.admin(), REPEAT_STEP);
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const own = { as: worker, params: { id } };
  const calls = {
    ok: () => server.call('POST /api/check-ins/:id/ok', { ...own, body: { minutes: 5 } }),
    help: () => server.call('POST /api/check-ins/:id/help', { ...own, body: {} }),
    end: () => server.call('POST /api/check-ins/:id/end', { ...own, body: {} }),
  };
  const pressed = async (call: keyof typeof calls): Promise<number> => {
    const { status } = await calls[call]();
    await server.jobs.runDue();
    return status;
  };
  await checkInHelpers.advance(25);
  for (let nth = 0; nth < 10; nth += 1) {
    server.clock.now += 1000;
    assert.equal([await pressed('help'), await pressed('ok')], [200, 200]);
  }
  const count = async (title: string) => (await checkInHelpers.readMessages(title)).length;
  const [alarm, allClearTitle] = [`${worker.username} needs help`, `All clear: ${worker.username}`];
  assert.is(await pressed('help'), 200);
  await sendAnswer(OK);
  await server.jobs.runDue();
  assert.equal(
    [(await readCurrent()).state, await count(alarm), await count(allClearTitle)],
    ['running', 11, 10],
  );
  const ringing = server.services.db.selectFrom('messages').where('stopped', 'is', null);
  const rings = await ringing.where('title', '=', alarm).select('id').execute();
  assert.equal(rings, [], 'nothing rings after an OK, though the all-clear waits');
  // One more alarm follows after a minute, because the earlier alarm still stands.
  await pressed('help');
  assert.is(await count(alarm), 11);
  await checkInHelpers.advance(1);
  assert.is(await count(alarm), 12);
  assert.is(await pressed('ok'), 200);
  await checkInHelpers.advance(4);
  assert.is(await count(allClearTitle), 10);
  await checkInHelpers.advance(1);
  assert.is(await count(allClearTitle), 11);
  const open = server.services.db.selectFrom('check_in_messages').where('state', '=', 'open');
  const kinds = await open.select('kind').execute();
  assert.equal(
    kinds.map(({ kind }) => kind),
    ['reminder', 'reminder'],
    'those of the new time stay',
  );
  const { resolved_at } = (await checkInHelpers.readMessages(alarm)).at(-1)!;
  assert.is(resolved_at, server.clock.now);
  await checkInHelpers.advance(5);
  assert.equal([(await readCurrent()).state, (await readCurrent()).alarm?.people], ['missed', 1]);
  assert.is((await calls.help()).body.alarm, null, 'the missed alarm is not the help’s');
  await server.jobs.runDue();
  assert.is((await readCurrent()).alarm?.people, 1);
  assert.is(await count(alarm), 13, 'at once: the alarm before is not about help');
  await pressed('ok');
  assert.is(await pressed('end'), 200);
  await checkInHelpers.advance(6);
  assert.is(await count(allClearTitle), 12, 'after the end, too');
  for (let nth = 0; nth < 30; nth += 1) {
    const params = { id: (await checkInHelpers.startCheckIn(worker, { minutes: 30 })).id };
    await server.call('POST /api/check-ins/:id/help', { as: worker, params, body: {} });
    if (nth % 2 === 0) await server.jobs.runDue();
    await server.call('POST /api/check-ins/:id/end', { as: worker, params, body: {} });
  }
  await server.jobs.runDue();
  assert.ok((await count(alarm)) <= 24, 'not by starting again either');
});

test('takes the last of a hundred answers in one call', async () => {
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  await checkInHelpers.advance(25);
  const [reminder] = await checkInHelpers.readMessages('Are you OK?');
  await checkInHelpers.advance(3);
  await server.sendReceipts(
    worker,
    Array.from({ length: 100 }, (_, nth) => ({
      messageId: reminder!.id,
      kind: 'acknowledged',
      answer: nth % 2 === 0 ? HELP : OK,
      at: new Date(server.clock.now - 60_000 + nth * 100).toISOString(),
    })),
  );
  const { state, answers } = await readCurrent();
  assert.equal([state, answers], ['running', 1]);
});

test('keeps the alarm if the time since a late answer is over, too', async () => {
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  await checkInHelpers.advance(25);
  const pressedAt = startsAt(0);
  for (const minutes of [5, 5, 60]) await checkInHelpers.advance(minutes);
  await sendAnswer(OK, { at: pressedAt }, 0);
  await checkInHelpers.advance(0);
  assert.is((await titles()).at(-1), `${worker.username} missed a check-in`);
  const { state, answeredAt } = await readCurrent();
  assert.equal([state, answeredAt], ['missed', pressedAt]);
});

test('counts an “I’m OK” on an old reminder for a newer check-in, but not from before it', async () => {
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  await checkInHelpers.advance(25);
  const pressedBefore = startsAt(0);
  await server.call('POST /api/check-ins/:id/end', { as: worker, params: { id }, body: {} });
  await checkInHelpers.advance(5);
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  await checkInHelpers.advance(20);
  await sendAnswer(OK, { at: pressedBefore });
  assert.is((await readCurrent()).answers, 0);
  await sendAnswer(OK, { at: startsAt(-1), changes: true });
  const { answers, answeredAt } = await readCurrent();
  assert.equal([answers, answeredAt], [1, startsAt(-1)]);
});

test('does not end an alarm by an “I’m OK” of a clock that was ahead', async () => {
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  await checkInHelpers.advance(25);
  await checkInHelpers.advance(10);
  await sendAnswer(OK, { at: startsAt(180) }, 0);
  assert.is((await readCurrent()).state, 'missed');
});

test('alerts at once when the person asks for help, on an old reminder, too', async () => {
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  await checkInHelpers.advance(25);
  await sendAnswer(OK);
  await server.call('POST /api/check-ins/:id/end', { as: worker, params: { id }, body: {} });
  // The first answer of a message counts in the ledger; help is heard all the same, and whatever
  // another phone sends at the same moment.
  const odd = { messageId: '\0', kind: 'acknowledged', answer: HELP } as const;
  await Promise.all([sendAnswer(HELP), server.sendReceipts(watcher, [odd])]);
  await checkInHelpers.advance(1);
  assert.is((await titles()).at(-1), `${worker.username} needs help`);
  assert.is((await readCurrent()).state, 'help');
});

test('counts who comes by the policy for its quorum, and sends them the all-clear, too', async () => {
  const second = await server.createTopic('Night shift');
  const night = await createMember(1, second);
  const step = { after: 60, action: 'notify', topicId: second } as const;
  await setAlarmPolicy(checkInHelpers.admin(), step, { quorum: 1, next: REPEAT_STEP });
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const params = { id };
  await server.call('POST /api/check-ins/:id/help', { as: worker, params, body: {} });
  for (const minutes of [0, 1]) await checkInHelpers.advance(minutes);
  const notified = (await checkInHelpers.readMessages()).at(-1)!;
  assert.match(notified.title, `${worker.username} needs help`);
  assert.match(notified.translations ?? '', `${worker.username} braucht Hilfe`);
  const coming = { messageId: notified.id, kind: 'acknowledged', answer: 'Bin unterwegs' } as const;
  await server.sendReceipts(night, [coming]);
  const { alarm, responders } = await readCurrent();
  assert.equal(
    [alarm?.answered, alarm?.people, responders],
    [1, 2, [{ username: night.username }]],
  );
  await checkInHelpers.advance(6);
  const [alarmRow] = await checkInHelpers.readMessages(`${worker.username} needs help`);
  assert.equal([alarmRow!.stopped, alarmRow!.rounds], ['quorum', 0], 'no one else is alerted');
  await server.call('POST /api/check-ins/:id/ok', { as: worker, params, body: {} });
  await checkInHelpers.advance(0);
  const [allClear] = await checkInHelpers.readMessages(`All clear: ${worker.username}`);
  assert.equal(
    (await readLedger(allClear!.id)).map(({ user_id }) => user_id),
    [watcher.id, night.id],
  );
  const resolved = await checkInHelpers.readMessages(notified.title);
  assert.ok(
    resolved.every(({ resolved_at }) => resolved_at !== null),
    'and nothing rings any more',
  );
});

test('lets no one cancel or correct the alarm, and alerts again if an older version did', async () => {
  const as = checkInHelpers.admin();
  const second = await server.createTopic('Night shift');
  await createMember(1, second);
  await setAlarmPolicy(as, { after: 60, action: 'notify', topicId: second });
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const help = () =>
    server.call('POST /api/check-ins/:id/help', { as: worker, params: { id }, body: {} });
  const cancel = (messageId: string) =>
    server.call('POST /api/admin/messages/:id/cancel', { as, params: { id: messageId } });
  await help();
  for (const minutes of [0, 1]) await checkInHelpers.advance(minutes);
  const [alarm, notified] = await checkInHelpers.readMessages();
  for (const message of [alarm, notified]) {
    const correction = { as, params: { id: message!.id }, body: { message: 'Drill', ask: true } };
    const correct = server.call('POST /api/admin/messages/:id/correct', correction);
    for (const { status, error } of [await cancel(message!.id), await correct]) {
      assert.is(status, 409);
      assert.match(String(error), 'Send the all-clear instead.');
    }
  }
  await server.services.db
    .updateTable('messages')
    .set({ state: 'cancelled', stopped: 'cancelled', stopped_at: server.clock.now })
    .where('id', '=', alarm!.id)
    .execute();
  assert.is((await readCurrent()).alarm?.people, 0, 'no one is alerted');
  await help();
  await checkInHelpers.advance(1);
  const alarms = (await checkInHelpers.readMessages(alarm!.title)).filter(isAlarm);
  assert.equal([alarms.length, (await readCurrent()).alarm?.people], [2, 1]);
  await server.call('POST /api/check-ins/:id/end', { as: worker, params: { id }, body: {} });
  assert.is((await cancel(alarms[1]!.id)).status, 200, 'it is over');
});

for (const nth of [0, 1])
  test(`gives an all-clear by hand also to those whom the policy notified, on ${nth === 0 ? 'the alarm' : 'their message'}`, async () => {
    const second = await server.createTopic('Night shift');
    const night = await createMember(1, second);
    await server.subscribe(checkInHelpers.admin(), watcher.id, second);
    await setAlarmPolicy(checkInHelpers.admin(), { after: 60, action: 'notify', topicId: second });
    const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
    const params = { id };
    await server.call('POST /api/check-ins/:id/help', { as: worker, params, body: {} });
    for (const minutes of [0, 1]) await checkInHelpers.advance(minutes);
    await acceptAll();
    const [alarm, notified] = await checkInHelpers.readMessages();
    await server.call('POST /api/admin/messages/:id/all-clear', {
      as: checkInHelpers.admin(),
      params: { id: [alarm, notified][nth]!.id },
      body: {},
    });
    assert.ok((await readCurrent()).alarm?.allClearAt);
    const pushes = await claimAll();
    assert.equal(
      pushes.map(({ message, recipient }) => [recipient?.userId, message.id, message.allClear]),
      [
        [watcher.id, notified!.id, ''],
        [night.id, notified!.id, ''],
      ],
    );
    assert.equal(pushes[0]?.recipient?.withdrawnIds, [alarm!.id]);
  });

const suspend = () =>
  server.call('POST /api/admin/users/:id/suspend', {
    as: checkInHelpers.admin(),
    params: { id: worker.id },
  });
const suspensionNotices = () =>
  checkInHelpers.readMessages(`${worker.username} was suspended during a check-in`);

for (const [when, minutes] of [
  ['who was not asked yet', 1],
  ['who was asked', 25],
] as const)
  test(`ends the check-in of a suspended person ${when}, and calls no one safe`, async () => {
    await setAlarmPolicy(checkInHelpers.admin(), REPEAT_STEP);
    const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30, note: 'Pole 114' });
    await checkInHelpers.advance(minutes);
    await suspend();
    await checkInHelpers.advance(0);
    // Not even a reinstated person has ended it themselves.
    await server.call('POST /api/admin/users/:id/reinstate', {
      as: checkInHelpers.admin(),
      params: { id: worker.id },
    });
    const [notice, ...others] = await suspensionNotices();
    assert.equal(others, []);
    assert.match(notice!.text, 'We don’t know whether they’re OK.');
    assert.match(notice!.text, 'Note: Pole 114');
    assert.equal(
      [notice!.priority, JSON.parse(notice!.answers), notice!.is_all_clear],
      ['normal', [], 0],
    );
    assert.equal(
      (await readLedger(notice!.id)).map(({ user_id }) => user_id),
      [watcher.id],
    );
    const board = await server.call('GET /api/admin/check-ins', {
      as: checkInHelpers.admin(),
      query: { state: 'ended' },
    });
    assert.equal(
      board.body.checkIns.map((checkIn) => [checkIn.id, checkIn.endReason]),
      [[id, 'suspended']],
    );
    const [end] = await readAuditLog(server, checkInHelpers.admin(), 'check-in.end');
    assert.is(end?.detail, 'User suspended, without an alarm');
    assert.is((await readAuditLog(server, checkInHelpers.admin(), 'check-in.suspend')).length, 1);
    assert.equal(await readAuditLog(server, checkInHelpers.admin(), 'check-in.clear'), []);
  });

for (const [when, title, happen] of [
  ['who did not answer', 'missed a check-in', () => checkInHelpers.advance(5)],
  ['whose alarm is due', 'missed a check-in', () => (server.clock.now += 5 * MINUTE_MS)],
  ['who called for help', 'needs help', () => sendAnswer(HELP)],
] as const)
  test(`keeps the alarm of a suspended person ${when}, until the all-clear`, async () => {
    const as = checkInHelpers.admin();
    const remove = () =>
      server.call('DELETE /api/admin/users/:id', { as, params: { id: worker.id } });
    await setAlarmPolicy(as, REPEAT_STEP);
    await checkInHelpers.startCheckIn(worker, { minutes: 30 });
    for (const minutes of [25, 5]) await checkInHelpers.advance(minutes);
    await happen();
    await suspend();
    await checkInHelpers.advance(0);
    const [notice, ...others] = await suspensionNotices();
    assert.equal(others, []);
    assert.match(notice!.text, 'so the alarm stays open until someone gives the all-clear.');
    assert.match(notice!.text, `\n${worker.username} `);
    assert.equal([notice!.priority, notice!.answers, notice!.policy], ['urgent', '[]', null]);
    assert.equal(
      (await readLedger(notice!.id)).map(({ user_id }) => user_id),
      [watcher.id],
    );
    await checkInHelpers.advance(6);
    const [alarm] = await checkInHelpers.readMessages(`${worker.username} ${title}`);
    assert.equal([alarm!.state, alarm!.stopped, alarm!.rounds], ['sent', null, 1], 'escalates');
    const ofAlarm = { as, params: { id: alarm!.id } };
    const shown = (await server.call('GET /api/admin/messages/:id', ofAlarm)).body;
    assert.is(shown.checkIn?.isSuspended, true);
    assert.match(String((await remove()).error), 'Suspend the user and send the all-clear first.');
    assert.is((await sendAllClear(alarm!.id)).status, 200);
    await checkInHelpers.advance(0);
    const [end] = await readAuditLog(server, as, 'check-in.end');
    assert.is(end?.detail, 'User suspended, after an alarm');
    assert.equal(await checkInHelpers.readMessages('Your check-in isn’t over'), []);
    assert.is((await remove()).status, 200);
  });

test('sends a suspended person’s call for help, even if an earlier one was cleared', async () => {
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const help = () =>
    server.call('POST /api/check-ins/:id/help', { as: worker, params: { id }, body: {} });
  await help();
  await checkInHelpers.advance(1);
  await server.call('POST /api/admin/messages/:id/all-clear', {
    as: checkInHelpers.admin(),
    params: { id: (await readCurrent()).alarm?.messageId ?? '' },
    body: {},
  });
  await checkInHelpers.advance(1);
  await help();
  await suspend();
  await checkInHelpers.advance(0);
  const [notice] = await suspensionNotices();
  assert.match(notice!.text, `${worker.username} pressed “I need help” at`);
  assert.is((await checkInHelpers.readMessages(`${worker.username} needs help`)).length, 2);
});

test('reports nothing about a suspended person whose alarm got the all-clear', async () => {
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  for (const minutes of [25, 5, 5]) await checkInHelpers.advance(minutes);
  const userState = async () =>
    (
      await server.call('GET /api/admin/users/:id', {
        as: checkInHelpers.admin(),
        params: { id: worker.id },
      })
    ).body.checkIn;
  assert.equal(await userState(), { state: 'missed', isAlarmOpen: true });
  await server.call('POST /api/admin/messages/:id/all-clear', {
    as: checkInHelpers.admin(),
    params: { id: (await readCurrent()).alarm?.messageId ?? '' },
    body: {},
  });
  assert.equal(await userState(), { state: 'missed', isAlarmOpen: false });
  await suspend();
  await checkInHelpers.advance(0);
  assert.equal([await suspensionNotices(), await userState()], [[], undefined]);
});

test('deletes no one whose check-in has not ended, or whose end others still have to learn', async () => {
  const remove = () =>
    server.call('DELETE /api/admin/users/:id', {
      as: checkInHelpers.admin(),
      params: { id: worker.id },
    });
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  assert.match(String((await remove()).error), 'Suspend the user first.');
  await suspend();
  assert.match(String((await remove()).error), 'Try again later.');
  await checkInHelpers.advance(0);
  assert.is((await remove()).status, 200);
  assert.is((await suspensionNotices()).length, 1);
});

test('closes a person’s earlier all-clear and alarm when a new alarm about them arrives', async () => {
  const press = async (kind: 'help' | 'end', id: number) => {
    const own = { as: worker, params: { id }, body: {} };
    assert.is((await server.call(`POST /api/check-ins/:id/${kind}`, own)).status, 200);
    await checkInHelpers.advance(0);
    return acceptAll();
  };
  const first = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  await press('help', first.id);
  await press('end', first.id);
  // More canceled messages than one push closes must not hide the all-clear.
  for (let other = 0; other < 4; other++) {
    const colleague = await createMember(1);
    const { id } = await checkInHelpers.startCheckIn(colleague, { minutes: 30 });
    const own = { as: colleague, params: { id }, body: {} };
    for (const kind of ['help', 'end'] as const) {
      await server.call(`POST /api/check-ins/:id/${kind}`, own);
      await checkInHelpers.advance(0);
    }
  }
  await acceptAll();
  await checkInHelpers.advance(10);
  const second = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const own = { as: worker, params: { id: second.id }, body: {} };
  await server.call('POST /api/check-ins/:id/help', own);
  await checkInHelpers.advance(0);
  const [push] = await claimAll();
  const [earlierAlarm] = await checkInHelpers.readMessages(`${worker.username} needs help`);
  const [allClear] = await checkInHelpers.readMessages(`All clear: ${worker.username}`);
  assert.equal(push?.recipient?.withdrawnIds.slice(0, 2), [allClear!.id, earlierAlarm!.id]);
  assert.is(allClear!.expires_at, server.clock.now, 'it is not sent any more if it waited');
  assert.equal(
    (await readLedger(allClear!.id)).map(({ user_id, read_at }) => [user_id, read_at]),
    [[watcher.id, null]],
    'and its entry in the inbox stays unread',
  );
});

test('shows when a late call for help arrived', async () => {
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const at = startsAt(0);
  await checkInHelpers.advance(12);
  const params = { id };
  const call = (body: object) =>
    server.call('POST /api/check-ins/:id/help', { as: worker, params, body });
  await call({ at });
  await checkInHelpers.advance(0);
  const { helpAt, helpReceivedAt } = await readCurrent();
  assert.equal([helpAt, helpReceivedAt], [at, startsAt(0)]);
  const [alarm] = await checkInHelpers.readMessages(`${worker.username} needs help`);
  assert.match(alarm!.text, 'The server received this answer at');
  await checkInHelpers.advance(1);
  await call({});
  assert.is((await readCurrent()).helpReceivedAt, undefined, 'the second was not late');
});

test('loses no press of a clock that was wrong at the press and right when it was sent', async () => {
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  await checkInHelpers.advance(5);
  await server.call('POST /api/check-ins/:id/ok', { as: worker, params: { id }, body: {} });
  await checkInHelpers.advance(10);
  const body = { at: startsAt(-60), sentAt: startsAt(0) };
  await server.call('POST /api/check-ins/:id/ok', { as: worker, params: { id }, body });
  assert.is((await readCurrent()).dueAt, startsAt(30));
  await checkInHelpers.advance(5);
  await server.call('POST /api/check-ins/:id/help', { as: worker, params: { id }, body });
  assert.is((await readCurrent()).state, 'help');
  await server.call('POST /api/check-ins/:id/ok', { as: worker, params: { id }, body });
  assert.is((await readCurrent()).state, 'help', 'it may have been pressed before the call');
  await server.call('POST /api/check-ins/:id/ok', { as: worker, params: { id }, body: {} });
  assert.is((await readCurrent()).state, 'running');
  await checkInHelpers.advance(5);
  const slowBody = { at: startsAt(-20), sentAt: startsAt(0), age: 2 * MINUTE_MS };
  await server.call('POST /api/check-ins/:id/help', { as: worker, params: { id }, body: slowBody });
  const { state, helpAt } = await readCurrent();
  assert.equal({ state, helpAt }, { state: 'help', helpAt: startsAt(-2) }, 'after the answer');
  await checkInHelpers.advance(5);
  const again = { at: startsAt(-20), sentAt: startsAt(0), age: MINUTE_MS };
  await server.call('POST /api/check-ins/:id/help', { as: worker, params: { id }, body: again });
  assert.is((await readCurrent()).helpAt, startsAt(-1), 'a new call, not the former one');
});

test('keeps the alarm if no one knows when an OK was pressed, unless its age shows that it is fresh', async () => {
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const press = async (kind: 'ok' | 'help', body: object) =>
    (await server.call(`POST /api/check-ins/:id/${kind}`, { as: worker, params: { id }, body }))
      .body;
  const unknown = { at: '2001-01-01T00:00:00.000Z', sentAt: startsAt(40) };
  for (const minutes of [25, 5, 5, 5]) await checkInHelpers.advance(minutes);
  await sendAnswer(OK, { at: unknown.at }, 0);
  const { state, answers, answeredAt, presses } = await press('ok', unknown);
  assert.equal(
    { state, answers, answeredAt, presses },
    {
      ...{ state: 'missed', answers: 2, answeredAt: null },
      presses: [0, 0].map(() => ({ kind: 'ok', at: startsAt(0) })),
    },
  );
  await sendAnswer(OK, { at: unknown.at });
  assert.is((await readCurrent()).state, 'running', 'after “We’ve sent the alarm”');
  await press('help', {});
  await checkInHelpers.advance(1);
  assert.is((await press('ok', { ...unknown, age: MINUTE_MS })).state, 'help');
  // Its clock is still wrong.
  const fresh = { at: unknown.at, sentAt: unknown.at, age: 0 };
  assert.is((await press('ok', fresh)).state, 'running');
});

test('accepts a call for help with a device key after a new password ended the session', async () => {
  const password = 'correct horse battery';
  const lone = await server.createPerson('TECHNICIAN', { password });
  const { id } = await checkInHelpers.startCheckIn(lone, { minutes: 30 });
  const { body: device } = await server.call('POST /api/notifications/register-device', {
    as: lone,
    body: { deviceToken: 'own', deviceType: 'web', userAgent: '' },
  });
  const body = { current: password, password: 'a new password' };
  await server.call('PUT /api/account/password', { as: lone, body });
  const pressHelp = (token: string) =>
    server.call('POST /api/check-ins/:id/help', { as: { token }, params: { id }, body: {} });
  assert.is((await pressHelp(lone.token)).status, 401);
  assert.is((await pressHelp(device.deviceKey ?? '')).body.state, 'help');
});

test('lets only the person press, with a session or a device key', async () => {
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const pressOk = (token: string) =>
    server.call('POST /api/check-ins/:id/ok', { as: { token }, params: { id }, body: {} });
  assert.is((await pressOk(watcher.token)).status, 404);
  const { body: device } = await server.call('POST /api/notifications/register-device', {
    as: worker,
    body: { deviceToken: 'own', deviceType: 'web', userAgent: '' },
  });
  server.clock.now += MINUTE_MS;
  const pressedResponse = await pressOk(device.deviceKey ?? '');
  assert.equal([pressedResponse.status, pressedResponse.body.answers], [200, 1]);
  const end = () =>
    server.call('POST /api/check-ins/:id/end', { as: worker, params: { id }, body: {} });
  assert.equal([(await end()).status, (await end()).status], [200, 409]);
  assert.is((await pressOk(worker.token)).status, 409);
});

test('runs one check-in for a person, and none while they are switched off', async () => {
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const start = { as: worker, body: { minutes: 30 } };
  assert.is((await server.call('POST /api/check-ins', start)).status, 409);
  const settings = { graceMinutes: 5, alarmTopicId: await server.createTopic(), policyId: null };
  const save = (enabled: boolean) =>
    server.call('PUT /api/admin/check-ins/settings', {
      as: checkInHelpers.admin(),
      body: { ...settings, enabled },
    });
  assert.is((await save(true)).status, 400, 'a topic without people');
  assert.is((await save(false)).status, 200);
  const watchersStart = { ...start, as: watcher };
  assert.is(
    (await server.call('POST /api/check-ins', watchersStart)).error,
    'Check-ins are turned off.',
  );
  const rightOf = async (as: Person) =>
    (await server.call('GET /api/account', { as })).body.mayCheckIn;
  assert.equal([await rightOf(worker), await rightOf(watcher)], [true, undefined]);
  // What runs goes on: its alarm goes to the administrators, because no one else is in the topic
  // who has registered.
  await server.subscribe(checkInHelpers.admin(), worker.id, settings.alarmTopicId);
  const { body: unregistered } = await server.addUser(
    checkInHelpers.admin(),
    'not.registered',
    'TECHNICIAN',
  );
  await server.subscribe(checkInHelpers.admin(), unregistered.user.id, settings.alarmTopicId);
  const { body: policy } = await server.call('POST /api/admin/policies', {
    as: checkInHelpers.admin(),
    body: { name: 'Night', steps: [{ after: 300, action: 'repeat' }] },
  });
  await server.services.db
    .updateTable('topics')
    .set({ policy_id: policy.id })
    .where('id', '=', settings.alarmTopicId)
    .execute();
  for (const minutes of [25, 5, 5]) await checkInHelpers.advance(minutes);
  const alarm = (await checkInHelpers.readMessages()).at(-1)!;
  assert.equal(
    (await readLedger(alarm.id)).map(({ user_id }) => user_id),
    [checkInHelpers.admin().id],
  );
  const { alarm: ownAlarm } = await readCurrent();
  assert.equal([ownAlarm?.topicTitle, ownAlarm?.isToAdmins], [undefined, true]);
  await checkInHelpers.advance(5);
  const repeatedMessage = (await checkInHelpers.readMessages(alarm.title)).at(-1);
  assert.is(repeatedMessage?.rounds, 1, 'by the topic’s policy all the same');
});

test('alerts the administrators, too, if no one in the topic would be notified', async () => {
  const warned = async () =>
    (await server.call('GET /api/check-ins', { as: worker })).body.isAlarmUndeliverable;
  assert.is(await warned(), undefined);
  await server.services.db.deleteFrom('devices').where('user_id', '=', watcher.id).execute();
  assert.is(await warned(), true, 'the worker’s own device counts for nothing');
  const areAdminsReachable = async () =>
    (await server.call('GET /api/admin/check-ins/settings', { as: checkInHelpers.admin() })).body
      .isAdminReachable;
  assert.is(await areAdminsReachable(), false);
  await addDevice(checkInHelpers.admin());
  assert.equal([await warned(), await areAdminsReachable()], [undefined, true]);
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  for (const minutes of [25, 5, 5]) await checkInHelpers.advance(minutes);
  const [alarm] = await checkInHelpers.readMessages(`${worker.username} missed a check-in`);
  const alerted = (await readLedger(alarm!.id)).map(({ user_id }) => user_id);
  assert.equal(new Set(alerted), new Set([watcher.id, checkInHelpers.admin().id]));
  const { alarm: ownAlarm } = await readCurrent();
  assert.equal([ownAlarm?.topicTitle, ownAlarm?.isToAdmins], [alarm!.topic_title, true]);
});

test('promises nothing to someone whose own device is the only one that gets the alarm', async () => {
  await server.services.db.deleteFrom('devices').where('user_id', '=', watcher.id).execute();
  await server.subscribe(checkInHelpers.admin(), worker.id, topic);
  await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  for (const minutes of [25, 5, 5]) await checkInHelpers.advance(minutes);
  const [notice] = await checkInHelpers.readMessages('We can’t notify anyone');
  assert.match(notice!.text, /^You didn’t answer by ..:.., but .* call for help in another way\./);
  const [alarm] = await checkInHelpers.readMessages(`${worker.username} missed a check-in`);
  await server.sendReceipts(worker, [{ messageId: alarm!.id, kind: 'displayed' }]);
  const alerted = (await readLedger(alarm!.id)).map(({ user_id }) => user_id);
  assert.equal(new Set(alerted), new Set([watcher.id, checkInHelpers.admin().id]));
  const { people, unreachable, displayed } = (await readCurrent()).alarm!;
  assert.equal([people, unreachable, displayed], [2, 2, 0]);
  const { body: message } = await server.call('GET /api/admin/messages/:id', {
    as: checkInHelpers.admin(),
    params: { id: alarm!.id },
  });
  assert.is(message.people.total, 2, 'on the alarm’s page, too');
  // The only administrator checks in, and no one else is in the topic: no one gets their alarm.
  await server.services.db
    .deleteFrom('subscriptions')
    .where('user_id', 'in', [watcher.id, worker.id])
    .execute();
  const as = checkInHelpers.admin();
  const { id } = await checkInHelpers.startCheckIn(as, { minutes: 30 });
  for (const minutes of [25, 5, 5]) await checkInHelpers.advance(minutes);
  const [unheard] = await checkInHelpers.readMessages(
    `${checkInHelpers.admin().username} missed a check-in`,
  );
  assert.is((await readLedger(unheard!.id)).length, 0, 'nor do they themselves');
  // A call for help that notifies no one is answered so, because the phone only says “sent”.
  await server.call('POST /api/check-ins/:id/ok', { as, params: { id }, body: {} });
  await checkInHelpers.advance(25);
  await server.call('POST /api/check-ins/:id/help', { as, params: { id }, body: {} });
  await checkInHelpers.advance(1);
  const helpNotice = (await checkInHelpers.readMessages(notice!.title)).at(-1)!;
  assert.match(helpNotice.text, /^You asked for help, but .* Call for help in another way\.$/);
  assert.equal(
    (await readLedger(helpNotice.id)).map(({ user_id }) => user_id),
    [as.id],
  );
  const { reminders } = (await server.call('GET /api/check-ins/current', { as })).body;
  assert.is(reminders?.length, 1, 'the notice is no question');
});

for (const hasPolicy of [true, false])
  test(`shows who comes also if a call for help follows the missed alarm, until the all-clear, ${hasPolicy ? 'with' : 'without'} a policy`, async () => {
    if (hasPolicy) await setAlarmPolicy(checkInHelpers.admin(), REPEAT_STEP);
    const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
    for (const minutes of [25, 5, 5]) await checkInHelpers.advance(minutes);
    const [missed] = await checkInHelpers.readMessages(`${worker.username} missed a check-in`);
    const call = async () => {
      await server.call('POST /api/check-ins/:id/help', { as: worker, params: { id }, body: {} });
      await checkInHelpers.advance(1);
    };
    await call();
    const states = (await checkInHelpers.readMessages())
      .filter(({ kind }) => kind === 'reminder')
      .map(({ title, state }) => [title, state]);
    assert.equal(
      states,
      [
        ['Are you OK?', 'sent'],
        ['Are you OK?', 'sent'],
        ['We’ve sent the alarm', 'cancelled'],
      ],
      'and asks no more whether the person is OK',
    );
    const come = (messageId: string) =>
      server.sendReceipts(watcher, [{ messageId, kind: 'acknowledged', answer: 'On my way' }]);
    const coming = async () => {
      const { alarm, responders } = await readCurrent();
      return [alarm?.answered, responders?.map(({ username }) => username)];
    };
    await come(missed!.id);
    assert.equal(await coming(), [1, [watcher.username]]);
    await come((await readCurrent()).alarm?.messageId ?? '');
    assert.equal(await coming(), [1, [watcher.username]], 'once');
    const countCalls = async () =>
      (await checkInHelpers.readMessages(`${worker.username} needs help`)).length;
    for (const expectedCount of [2, 2]) {
      await checkInHelpers.advance(1);
      await call();
      assert.is(await countCalls(), expectedCount, 'another alarm, until someone answers that one');
    }
    assert.equal(await coming(), [1, [watcher.username]]);
    await server.call('POST /api/admin/messages/:id/all-clear', {
      as: checkInHelpers.admin(),
      params: { id: (await readCurrent()).alarm?.messageId ?? '' },
      body: {},
    });
    await call();
    assert.equal(await coming(), [0, []]);
  });

test('alerts the administrators on a new call if everyone who got the alarm was suspended', async () => {
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const call = async () => {
    await server.call('POST /api/check-ins/:id/help', { as: worker, params: { id }, body: {} });
    await checkInHelpers.advance(2);
    const alarms = await checkInHelpers.readMessages(`${worker.username} needs help`);
    const people = (await readLedger(alarms.at(-1)!.id)).map(({ user_id }) => user_id);
    return [alarms.length, people];
  };
  for (const _ of [1, 2]) assert.equal(await call(), [1, [watcher.id]]);
  const as = checkInHelpers.admin();
  await server.call('POST /api/admin/users/:id/suspend', { as, params: { id: watcher.id } });
  assert.equal(await call(), [2, [as.id]]);
});

const callForHelp = async (): Promise<void> => {
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  await server.call('POST /api/check-ins/:id/help', { as: worker, params: { id }, body: {} });
  await checkInHelpers.advance(0);
};
const manage = (endpoint: 'POST /api/admin/users/:id/suspend' | 'DELETE /api/admin/users/:id') =>
  server.call(endpoint, { as: checkInHelpers.admin(), params: { id: watcher.id } });

for (const [event, happen] of [
  ['is suspended', () => manage('POST /api/admin/users/:id/suspend')],
  ['is deleted', () => manage('DELETE /api/admin/users/:id')],
  [
    'signs out everywhere',
    () => server.call('POST /api/account/sign-out-everywhere', { as: watcher }),
  ],
  ['mutes the topic', () => muteTopic(watcher, topic)],
  [
    'leaves the topic',
    () =>
      server.services.db.deleteFrom('subscriptions').where('user_id', '=', watcher.id).execute(),
  ],
] as const)
  test(`alerts the administrators, once, if the only person who got the alarm ${event}`, async () => {
    const as = checkInHelpers.admin();
    await addDevice(as);
    await callForHelp();
    await checkInHelpers.advance(1);
    const readAlarms = () => checkInHelpers.readMessages(`${worker.username} needs help`);
    assert.is((await readAlarms()).length, 1);
    await happen();
    for (const minutes of [0.25, 1, 30]) await checkInHelpers.advance(minutes);
    const [, alarm, ...others] = await readAlarms();
    assert.equal(others, []);
    assert.match(alarm!.text, 'The earlier alarm no longer reaches anyone.');
    assert.equal(
      (await readDeliveries(alarm!.id)).map(({ user_id }) => user_id),
      [as.id],
    );
    const { alarm: shownAlarm, earlierAlarms } = await readCurrent();
    assert.equal([shownAlarm?.messageId, earlierAlarms?.length], [alarm!.id, 1]);
    const ofEarlier = { as, params: { id: earlierAlarms?.[0]?.messageId ?? '' } };
    const earlier = (await server.call('GET /api/admin/messages/:id', ofEarlier)).body;
    assert.is(earlier.checkIn?.newerAlarm?.messageId, alarm!.id);
    const [entry] = await readAuditLog(server, as, 'check-in.alarm');
    assert.is(entry?.detail, 'The earlier alarm no longer reached anyone');
  });

test('keeps an alarm with those whom its policy notified, and waits for someone who can be notified', async () => {
  const second = await server.createTopic('Night shift');
  const night = await createMember(1, second);
  await setAlarmPolicy(checkInHelpers.admin(), { after: 60, action: 'notify', topicId: second });
  await callForHelp();
  await checkInHelpers.advance(1);
  await addDevice(checkInHelpers.admin());
  const countAlarms = async () =>
    (await checkInHelpers.readMessages(`${worker.username} needs help`)).filter(isAlarm).length;
  const removeDevices = ({ id }: Person) =>
    server.services.db.deleteFrom('devices').where('user_id', '=', id).execute();
  await removeDevices(watcher);
  await checkInHelpers.advance(1);
  assert.is(await countAlarms(), 1, 'the policy notified someone');
  await removeDevices(checkInHelpers.admin());
  await removeDevices(night);
  for (const _ of [1, 2]) await checkInHelpers.advance(1);
  assert.is(await countAlarms(), 1, 'no one can be notified');
  await addDevice(checkInHelpers.admin());
  for (const _ of [1, 2]) await checkInHelpers.advance(1);
  assert.is(await countAlarms(), 2);
  const expired = { expires_at: server.clock.now };
  await server.services.db.updateTable('messages').set(expired).execute();
  for (const _ of [1, 2]) await checkInHelpers.advance(1);
  assert.is(await countAlarms(), 3, 'it expired');
  const cleared = await sendAllClear((await readCurrent()).alarm?.messageId ?? '');
  assert.is(cleared.status, 200);
  await removeDevices(checkInHelpers.admin());
  await addDevice(watcher);
  await checkInHelpers.advance(1);
  assert.is(await countAlarms(), 3, 'nothing after the all-clear');
});

test('pushes an alarm that notified no one to the first device registered afterwards, once', async () => {
  await server.services.db.deleteFrom('devices').where('user_id', '=', watcher.id).execute();
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const help = { as: worker, params: { id }, body: {} };
  await server.call('POST /api/check-ins/:id/help', help);
  await checkInHelpers.advance(0);
  const [alarm] = await checkInHelpers.readMessages(`${worker.username} needs help`);
  const register = (as: Person) =>
    server.call('POST /api/notifications/register-device', {
      as,
      body: { deviceToken: `late-${as.id}`, deviceType: 'web', userAgent: '' },
    });
  const pushedTo = async () => (await readDeliveries(alarm!.id)).map(({ user_id }) => user_id);
  assert.equal(await pushedTo(), []);
  for (let nth = 0; nth < 2; nth += 1) assert.is((await register(watcher)).status, 200);
  assert.equal(await pushedTo(), [watcher.id]);
  assert.is((await readCurrent()).alarm?.unreachable, 1, 'only the administrator');
  await server.call('POST /api/admin/messages/:id/all-clear', {
    as: checkInHelpers.admin(),
    params: { id: alarm!.id },
    body: {},
  });
  await register(checkInHelpers.admin());
  const pushed = await pushedTo();
  assert.not.ok(pushed.includes(checkInHelpers.admin().id), 'not after the all-clear');
});

test('keeps the topic of the alarm, and shows the board to its senders only', async () => {
  const as = checkInHelpers.admin();
  const { id } = await checkInHelpers.startCheckIn(worker, { minutes: 30 });
  const removeTopic = () =>
    server.call('DELETE /api/admin/topics/:id', { as, params: { id: topic } });
  assert.is((await removeTopic()).status, 409);
  const board = () => server.call('GET /api/admin/check-ins', { as: watcher });
  const grant = (topic_id: number) =>
    server.services.db
      .insertInto('topic_senders')
      .values({ topic_id, user_id: watcher.id })
      .execute();
  await grant(await server.createTopic());
  const watches = async () =>
    (await server.call('GET /api/account', { as: watcher })).body.watchesCheckIns;
  assert.equal([(await board()).status, await watches()], [403, undefined]);
  await grant(topic);
  assert.is(await watches(), true);
  for (const minutes of [25, 5, 5]) await checkInHelpers.advance(minutes);
  const [alarm] = await checkInHelpers.readMessages(`${worker.username} missed a check-in`);
  const params = { id: alarm!.id };
  const { body: shown } = await server.call('GET /api/sending/messages/:id', {
    as: watcher,
    params,
  });
  assert.is(shown.checkIn?.username, worker.username);
  const { counts, checkIns } = (await board()).body;
  assert.equal(
    [counts.missed, checkIns.map(({ person }) => person.username)],
    [1, [worker.username]],
  );
  const next = await server.createTopic('Night shift');
  await server.subscribe(as, watcher.id, next);
  await setAlarmTopic(as, next, null);
  const rejectedResponse = await removeTopic();
  assert.is(rejectedResponse.status, 409, 'as long as its alarm is out');
  assert.match(String(rejectedResponse.error), 'Send the all-clear first.');
  await server.call('POST /api/check-ins/:id/ok', { as: worker, params: { id }, body: {} });
  await checkInHelpers.advance(0);
  assert.is((await removeTopic()).status, 200);
});

test.run();
