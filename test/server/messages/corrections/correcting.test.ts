import * as assert from 'uvu/assert';
import { recordOutcomes } from '../../../../server/db/outbox/outcomes';
import { MAX_RECIPIENTS_WRITTEN_AT_ONCE } from '../../../../server/messages/sending/ledger';
import { createMessageJobs } from '../../../../server/messages/sending/message-jobs';
import type { Body, Receipt } from '../../../../src/shared/contract';
import {
  MINUTE_MS,
  createEscalationHelpers,
  notifyAgainAfter,
} from '../../../support/server/escalation';
import { createAudienceHelpers } from '../../../support/server/audience';
import type { Person } from '../../../support/server/server';
import { serverSuite } from '../../../support/server/server';

const { test, server } = serverSuite('corrections');
let admin: Person;
let people: Person[];
let audience: ReturnType<typeof createAudienceHelpers>;
let escalation: ReturnType<typeof createEscalationHelpers>;

test.before.each(async () => {
  audience = createAudienceHelpers(server);
  escalation = createEscalationHelpers(server);
  admin = await server.createPerson('ADMIN', { username: 'ada' });
  people = [];
  for (let nth = 0; nth < 4; nth += 1) people.push(await audience.createMember(1));
});

const send = async (body: Partial<Body<'POST /api/admin/messages'>> = {}): Promise<string> => {
  const { status, body: sent } = await server.sendMessage(admin, {
    userIds: people.map(({ id }) => id),
    message: 'Stop work in the north.',
    answers: ['Got it', 'No'],
    ...body,
  });
  assert.is(status, 202);
  server.clock.now += 1000;
  return sent.messageId;
};
const correct = (
  id: string,
  body: Partial<Body<'POST /api/admin/messages/:id/correct'>> = {},
  as = admin,
) =>
  server.call('POST /api/admin/messages/:id/correct', {
    as,
    params: { id },
    body: { message: 'Stop work in the north AND the harbor.', ask: true, ...body },
  });
const allClear = (id: string, message?: string) =>
  server.call('POST /api/admin/messages/:id/all-clear', {
    as: admin,
    params: { id },
    body: message === undefined ? {} : { message },
  });
const answer = (as: Person, messageId: string, receiptFields: Partial<Receipt> = {}) =>
  server.sendReceipts(as, [
    { messageId, kind: 'acknowledged', answer: 'Got it', ...receiptFields },
  ]);
const listRecipients = async (id: string, query: Record<string, string> = {}) =>
  (
    await server.call('GET /api/admin/messages/:id/recipients', {
      as: admin,
      params: { id },
      query,
    })
  ).body.recipients;
const answersOf = async (id: string, { username }: Person) => {
  const recipients = await listRecipients(id);
  const foundPerson = recipients.find(({ user }) => user?.username === username);
  const { answerRevision, formerAnswers } = foundPerson ?? {};
  return {
    answer: foundPerson?.answer,
    ...(answerRevision !== undefined && { answerRevision }),
    ...(formerAnswers && { formerAnswers }),
  };
};
/** The lines of the CSV, in the order of people. */
const fileOf = async (id: string, query = ''): Promise<string[]> => {
  const headers = { Authorization: `Bearer ${admin.token}` };
  const path = `/api/admin/messages/${id}/recipients.csv${query}`;
  const response = await server.request(path, { headers });
  return (await response.text()).split('\r\n');
};
/** How many were shown the correction, and the all-clear. */
const displayedCounts = async (id: string) => {
  const { people: counts } = (
    await server.call('GET /api/admin/messages/:id', { as: admin, params: { id } })
  ).body;
  return [counts.correctionDisplayed, counts.allClearDisplayed];
};
const answeredEarlierText = async (id: string) =>
  (await server.call('GET /api/admin/messages/:id', { as: admin, params: { id } })).body.people
    .answeredEarlierText;
/** How many are unread, and whether the newest says so. */
const unreadOf = async (as: Person) => {
  const { messages, unread } = await entryOf(as);
  return [unread, messages[0]?.readAt === null];
};
const entryOf = async (as: Person) =>
  (await server.call('GET /api/notifications/messages', { as })).body;
/** Claims all pushes, and accepts them. */
async function accept() {
  const claimedPushes: Awaited<ReturnType<typeof audience.claimAll>> = [];
  for (;;) {
    const claims = await audience.claimAll();
    if (claims.length === 0) return claimedPushes;
    await recordOutcomes(
      server.services.db,
      claims.map((claim) => ({ claim, state: 'accepted', reason: null, attempted: true })),
      server.clock.now,
    );
    claimedPushes.push(...claims);
  }
}

test('asks everyone again under the same entry, and counts answers of the new text only', async () => {
  const id = await send();
  await accept();
  const [ana, ben, cy] = people as [Person, Person, Person];
  await answer(ana, id, { comment: 'With the van' });
  await answer(ben, id);
  const early = new Date(server.clock.now).toISOString();
  server.clock.now += 1000;
  const { status, body } = await correct(id, { title: 'Storm' });
  assert.is(status, 200);
  assert.equal(
    [body.revision, body.title, body.people.acknowledged, body.former?.map((each) => each.message)],
    [2, 'Storm', 0, ['Stop work in the north.']],
  );
  const pushes = await accept();
  assert.equal(
    pushes.map(({ message }) => [message.id, message.text, message.revision, message.round]),
    people.map(() => [id, 'Stop work in the north AND the harbor.', 2, 0]),
  );
  // A press on the old notification is recognized by its revision, or by its time.
  const timeNow = new Date(server.clock.now).toISOString();
  await answer(cy, id, { revision: 1 });
  await answer(cy, id, { at: early });
  await answer(ana, id, { revision: 2, answer: 'No' });
  const { messages, unread, revised } = await entryOf(ana);
  assert.equal(
    [unread, revised, messages.map((one) => [one.id, one.message, one.answer, one.comment])],
    [0, 1, [[id, 'Stop work in the north AND the harbor.', 'No', undefined]]],
  );
  const former = { revision: 1, answer: 'Got it', at: early, late: false };
  // It does not count, and both sides see it: the first to that text.
  const pressedLate = { ...former, at: timeNow };
  for (const [person, formerAnswers] of [
    [ben, [former]],
    [cy, [pressedLate]],
  ] as const) {
    const [entry] = (await entryOf(person)).messages;
    assert.equal([entry?.answer, entry?.formerAnswers], [null, formerAnswers]);
  }
  assert.equal(await answersOf(id, ana), {
    ...{ answer: 'No', answerRevision: 2 },
    formerAnswers: [{ ...former, comment: 'With the van' }],
  });
  assert.equal(await answersOf(id, ben), { answer: null, formerAnswers: [former] });
  const before = (await listRecipients(id, { formerAnswers: 'true' })).map(({ user }) => user?.id);
  assert.equal(new Set(before), new Set([ana.id, ben.id, cy.id]));
  const lines = await fileOf(id);
  assert.match(
    lines[0] ?? '',
    /,comment,answerRevision,revision1Answer,revision1Comment,revision1AcknowledgedAt,revision1Late$/,
  );
  assert.ok(lines[1]?.endsWith(`,,2,Got it,With the van,${early},false`), lines[1]);
  assert.ok(lines[3]?.endsWith(`,,,Got it,,${timeNow},false`), lines[3]);
  // A repeated request changes nothing.
  assert.is((await correct(id, { title: 'Storm' })).body.revision, 2);
  assert.equal(await accept(), []);
  // Two in a row notify once, with the newest text.
  await correct(id, { message: 'Stop work.' });
  await correct(id, { message: 'Stop work everywhere.' });
  assert.equal(
    (await accept()).map(({ message }) => message.text),
    people.map(() => 'Stop work everywhere.'),
  );
});

test('finds people who were not shown the correction, and notifies them again', async () => {
  const id = await send();
  await accept();
  const [ana, ben, cy, dan] = people as [Person, Person, Person, Person];
  const state = 'correction_not_displayed';
  const missed = async () => (await listRecipients(id, { state })).map(({ user }) => user?.id);
  const repeat = async (body: Body<'POST /api/admin/messages/:id/repeat'>) =>
    (await server.call('POST /api/admin/messages/:id/repeat', { as: admin, params: { id }, body }))
      .body.people;
  for (const person of [ana, ben]) await answer(person, id);
  assert.equal(await missed(), [], 'there is no correction yet');
  server.clock.now += 1000;
  await correct(id, { ask: false });
  await accept();
  const displayed = { messageId: id, kind: 'displayed', revision: 2 } as const;
  await server.sendReceipts(ana, [displayed]);
  await server.sendReceipts(cy, [displayed]);
  // Ben answered the earlier text; Dan answered neither.
  assert.equal(new Set(await missed()), new Set([ben.id, dan.id]));
  assert.equal(await displayedCounts(id), [2, undefined]);
  const names = (await fileOf(id, `?state=${state}`))
    .slice(1, -1)
    .map((line) => line.split(',')[0]);
  assert.equal(names, [ben.username, dan.username]);
  server.clock.now += 1000;
  assert.is(await repeat({ state, userIds: [ana.id, cy.id] }), 0);
  assert.is(await repeat({ state: 'acknowledged' }), 0, 'they have answered');
  assert.is(await repeat({ state }), 2);
  const pushes = await accept();
  assert.equal(
    pushes.map(({ recipient, message }) => [recipient?.userId, message.text, message.round]),
    [ben, dan].map((one) => [one.id, 'Stop work in the north AND the harbor.', 1]),
  );
  // Shown or answered between the request and the push: not notified.
  server.clock.now += 1000;
  assert.is(await repeat({ state }), 2);
  await server.sendReceipts(ben, [displayed]);
  await answer(dan, id, { revision: 1 });
  assert.equal(
    (await audience.claimAll()).map(({ skipReason }) => skipReason),
    ['answered', 'answered'],
  );
  assert.equal(await missed(), [dan.id]);
});

test('lets given answers stand unless they are asked again', async () => {
  const id = await send();
  const [ana, ben] = people as [Person, Person];
  await answer(ana, id);
  await server.sendReceipts(ben, [{ messageId: id, kind: 'read' }]);
  server.clock.now += 1000;
  const { body } = await correct(id, { ask: false });
  const { acknowledged, read, displayed: seen, correctionDisplayed } = body.people;
  assert.equal([acknowledged, read, seen, correctionDisplayed], [1, 1, 1, 0]);
  assert.is(body.people.answeredEarlierText, 1);
  assert.equal(await unreadOf(ana), [1, true], 'new again, though answered');
  // The first pushes were not claimed yet: they carry the new text, once.
  assert.equal(
    (await accept()).map(({ message }) => message.text),
    people.map(() => 'Stop work in the north AND the harbor.'),
  );
  assert.is((await answer(ben, id, { revision: 1 })).body.recorded, 1);
  assert.is((await entryOf(ben)).messages[0]?.answer, 'Got it');
  assert.equal(await unreadOf(ben), [1, true], 'he answered the old text');
  const opened = { messageId: id, kind: 'read' } as const;
  await server.sendReceipts(ben, [{ ...opened, revision: 1 }]);
  assert.equal(await unreadOf(ben), [1, true]);
  await server.sendReceipts(ben, [{ ...opened, revision: 2 }]);
  assert.equal(await unreadOf(ben), [0, false]);
  // Ben pressed on the old text, after the correction.
  const [, , cy, dan] = people as [Person, Person, Person, Person];
  await answer(cy, id);
  await answer(dan, id, { revision: 99 });
  const revisions = async () =>
    Promise.all(people.map(async (one) => (await answersOf(id, one)).answerRevision));
  assert.equal(await revisions(), [1, 1, 2, 2]);
  assert.is(await answeredEarlierText(id), 2);
  const ownRevision = async (one: Person) => (await entryOf(one)).messages[0]?.answerRevision;
  assert.equal(await Promise.all(people.map(ownRevision)), [1, 1, 2, 2]);
  assert.equal(
    (await fileOf(id)).slice(1, -1).map((line) => line.split(',').at(-1)),
    ['1', '1', '2', '2'],
  );
  const displayed = { messageId: id, kind: 'displayed', revision: 2 } as const;
  const recorded = (await server.sendReceipts(ana, [displayed, displayed])).body;
  assert.equal(recorded, { recorded: 1 }, 'she has seen the first text, too');
  assert.equal(await displayedCounts(id), [4, undefined]);
  assert.equal(await unreadOf(ana), [1, true], 'displayed, not opened');
  const { messages } = (
    await server.call('GET /api/notifications/messages', { as: ana, query: { unread: 'true' } })
  ).body;
  assert.is(messages.length, 1);
  await server.sendReceipts(ana, [{ ...opened, revision: 2 }]);
  assert.equal(await unreadOf(ana), [0, false]);
  const { db } = server.services;
  await db.updateTable('recipients').set({ answer_revision: null }).execute();
  assert.equal(await revisions(), [1, 2, 2, 2], 'by their time, if an older version wrote them');
  assert.is(await answeredEarlierText(id), 1);
});

test('counts an answer that names no text for the one that was out when it was given', async () => {
  const id = await send();
  const [ana] = people as [Person];
  const at = new Date(server.clock.now).toISOString();
  for (const ask of [true, false]) {
    server.clock.now += MINUTE_MS;
    await correct(id, { message: `Stop work, asked: ${ask}`, ask });
  }
  await answer(ana, id, { at });
  const { answer: counted, formerAnswers } = await answersOf(id, ana);
  assert.equal([counted ?? null, formerAnswers?.[0]?.revision], [null, 1]);
});

test('escalates again if someone calls for help while a correction is on its way', async () => {
  const topicId = await audience.createCrowd(MAX_RECIPIENTS_WRITTEN_AT_ONCE);
  const [ana, ben] = [
    await audience.createMember(1, topicId),
    await audience.createMember(1, topicId),
  ];
  const answers = ['Safe', 'Need help'];
  const id = await escalation.sendEscalating(
    [notifyAgainAfter(10)],
    { topicIds: [topicId], answers },
    1,
  );
  for (const _ of [1, 2, 3]) await server.jobs.runDue();
  await answer(ana, id, { answer: 'Safe' });
  await correct(id, { ask: false });
  await answer(ben, id, { answer: 'Need help' });
  assert.is((await escalation.readMessageRow(id)).stopped, 'quorum');
  for (const _ of [1, 2, 3]) await server.jobs.runDue();
  assert.is((await escalation.readMessageRow(id)).stopped, null);
});

test('moves the same answer to the corrected text, if it says so', async () => {
  const id = await send();
  const [ana] = people as [Person];
  await answer(ana, id, { comment: 'With the van' });
  server.clock.now += 1000;
  await correct(id, { ask: false });
  const revisionOf = async () => (await answersOf(id, ana)).answerRevision;
  const answerAgain = async (receiptFields: Partial<Receipt>) =>
    (await answer(ana, id, receiptFields)).body.recorded;
  assert.is(
    await answerAgain({ changes: true, revision: 1 }),
    0,
    'pressed on the old notification',
  );
  assert.is(await answerAgain({ comment: 'On foot', revision: 2 }), 1);
  assert.is(await revisionOf(), 1, 'only the comment');
  assert.is(await answerAgain({ changes: true, revision: 2 }), 1);
  assert.is(await revisionOf(), 2);
  const [entry] = (await entryOf(ana)).messages;
  assert.equal(
    [entry?.answerRevision, entry?.comment, entry?.acknowledgedAt],
    [2, 'On foot', new Date(server.clock.now).toISOString()],
  );
  assert.is(await answerAgain({ changes: true, revision: 2 }), 0);
});

test('escalates for the newest text after enough people answered the old one', async () => {
  const id = await escalation.sendEscalating(
    [notifyAgainAfter(3)],
    { userIds: people.map((one) => one.id) },
    1,
  );
  await accept();
  await answer(people[0]!, id);
  assert.is((await escalation.readEscalation(id)).stopped, 'quorum');
  server.clock.now += 5 * MINUTE_MS;
  await correct(id);
  await accept();
  assert.is((await escalation.readEscalation(id)).stopped, null);
  await escalation.advance(2);
  assert.is((await escalation.readRounds(id)).length, 1, 'three minutes from the correction');
  await escalation.advance(1);
  assert.equal(
    (await escalation.readRounds(id))[1],
    people.map((one) => one.id),
  );
  await allClear(id);
  assert.is((await escalation.readEscalation(id)).stopped, 'all-clear');
});

test('corrects, clears and cancels also what its policy sent to another topic', async () => {
  const topicId = await server.createTopic('Second line');
  const second = await audience.createMember(1, topicId);
  const escalate = async () => {
    const steps = [{ after: 60, action: 'notify', topicId } as const, notifyAgainAfter(9)];
    const id = await escalation.sendEscalating(steps, {
      userIds: people.map((one) => one.id),
      title: 'Gas',
      translations: { de: { message: 'Ventil A schließen.', answers: ['Verstanden'] } },
    });
    await accept();
    await escalation.advance(1);
    return id;
  };
  const readShown = async () => {
    const inbox = await server.call('GET /api/notifications/messages', { as: second });
    return inbox.body.messages[0]!;
  };
  const id = await escalate();
  await correct(id, { message: 'Do NOT close valve A.' });
  const corrected = await readShown();
  assert.equal(
    [corrected.message, corrected.revision, corrected.former?.length],
    ['Gas: Do NOT close valve A.', 2, 1],
  );
  await allClear(id, 'False alarm.');
  assert.is((await readShown()).allClear, 'False alarm.');
  const next = await escalate();
  await server.call('POST /api/admin/messages/:id/cancel', { as: admin, params: { id: next } });
  assert.is((await readShown()).state, 'cancelled');
});

test('counts calls for help across corrections, until each person answers the new text', async () => {
  const [ana, ben, cy, dan] = people as [Person, Person, Person, Person];
  const id = await escalation.sendEscalating(
    [notifyAgainAfter(3), notifyAgainAfter(60)],
    { userIds: people.map((one) => one.id), answers: ['Safe', 'Need help'] },
    1,
  );
  const help = { answer: 'Need help', revision: 1 };
  const safe = { answer: 'Safe', revision: 2 };
  const report = async (as: Person, fields: Partial<Receipt>) =>
    (await answer(as, id, fields)).body.recorded;
  const stopped = async () => (await escalation.readEscalation(id)).stopped;
  await report(ana, help);
  await report(ben, { ...safe, revision: 1 });
  assert.is(await stopped(), null, 'a quorum, but Ana needs help');
  server.clock.now += 1000;
  const early = new Date(server.clock.now).toISOString();
  server.clock.now += 1000;
  const { body } = await correct(id);
  assert.equal([body.tally, body.people.answeredEarlierText], [{ Safe: 0, 'Need help': 1 }, 1]);
  assert.is(await report(dan, safe), 1);
  assert.is(await stopped(), null);
  assert.is(await report(ben, { ...help, changes: true }), 1, 'changed before the correction came');
  assert.is(await report(cy, { ...help, at: early }), 1);
  assert.is(await report(cy, { ...help, at: early }), 0, 'a repeat');
  await report(dan, { ...help, at: early });
  assert.equal(await answersOf(id, ana), { answer: 'Need help', answerRevision: 1 });
  assert.equal(await answersOf(id, ben), { answer: 'Need help', answerRevision: 1 });
  assert.equal(
    (await fileOf(id)).slice(1, -1).map((line) => line.split(',').slice(3, 4)[0]),
    ['Need help', 'Need help', 'Need help', 'Safe'],
  );
  const { body: found } = await server.call('GET /api/admin/messages', {
    ...{ as: admin, query: { state: 'needs_help' } },
  });
  assert.equal(
    found.messages.map(({ tally, people: { answeredEarlierText: earlier } }) => [tally, earlier]),
    [[{ Safe: 1, 'Need help': 3 }, 3]],
  );
  server.clock.now += 1000;
  assert.is(await report(ana, { ...safe, answer: 'Need help' }), 1, 'to the new text');
  await correct(id, { message: 'All work stops.' });
  for (const person of [ana, ben, cy]) {
    assert.is(await stopped(), null);
    assert.is(await report(person, { ...safe, revision: 3 }), 1);
  }
  assert.is(await stopped(), 'quorum');
  const { formerAnswers, answer: last } = await answersOf(id, ana);
  assert.equal(
    [last, formerAnswers?.map(({ answer: given, revision }) => [given, revision])],
    [
      'Safe',
      [
        ['Need help', 1],
        ['Need help', 2],
      ],
    ],
  );
});

test('escalates again after answers had stopped it, if someone calls for help', async () => {
  const [ana, ben] = people as [Person, Person];
  const id = await escalation.sendEscalating(
    [notifyAgainAfter(3)],
    { userIds: people.map((one) => one.id), answers: ['Safe', 'Need help'] },
    1,
  );
  await accept();
  await answer(ana, id, { answer: 'Safe' });
  assert.is((await escalation.readEscalation(id)).stopped, 'quorum');
  await escalation.advance(5);
  assert.equal(await escalation.readRounds(id), []);
  await answer(ana, id, { answer: 'Need help', changes: true });
  await answer(ben, id, { answer: 'Safe' });
  assert.is((await escalation.readEscalation(id)).stopped, null);
  await escalation.advance(0);
  assert.equal(
    (await escalation.readRounds(id))[0],
    people.slice(2).map((one) => one.id),
  );
});

test('gives the all-clear visibly, once, and ends corrections', async () => {
  const id = await send({ priority: 'urgent' });
  await accept();
  const [reader] = people as [Person];
  const opened = { messageId: id, kind: 'read' } as const;
  await server.sendReceipts(reader, [opened]);
  assert.equal(await unreadOf(reader), [0, false]);
  server.clock.now += 1000;
  const { body } = await allClear(id, 'The wind is down.');
  assert.equal(await unreadOf(reader), [1, true]);
  assert.equal([body.allClear, typeof body.allClearAt], ['The wind is down.', 'string']);
  assert.equal(
    (await accept()).map(({ message }) => message.allClear),
    people.map(() => 'The wind is down.'),
  );
  assert.is((await entryOf(people[0]!)).messages[0]?.allClearBy, 'ada');
  await server.sendReceipts(reader, [opened]);
  assert.equal(await unreadOf(reader), [0, false]);
  for (const { status } of [await allClear(id), await correct(id), await audience.notifyAgain(id)])
    assert.is(status, 409);
});

test('does not count the all-clear as the message', async () => {
  const late = await audience.createMember(0);
  const [early, other] = people as [Person, Person];
  const id = await send({ priority: 'urgent', userIds: [early.id, other.id, late.id] });
  await accept();
  const displayedAt = new Date(server.clock.now).toISOString();
  await audience.addDevice(late);
  server.clock.now += 1000;
  await allClear(id);
  const notifiedIds = (await accept()).map(({ recipient }) => recipient?.userId);
  assert.equal(notifiedIds, [early.id, other.id, late.id]);
  server.clock.now += 1000;
  const displayed = { messageId: id, kind: 'displayed', revision: 1 } as const;
  for (const person of [other, late]) await server.sendReceipts(person, [displayed]);
  // Reported late, but displayed before the all-clear.
  await server.sendReceipts(early, [{ ...displayed, at: displayedAt }]);
  const states = async () =>
    (await listRecipients(id)).map((one) => [one.user?.id, one.state, one.displayedAt]);
  assert.equal(await states(), [
    [late.id, 'unreachable', null],
    [other.id, 'accepted', null],
    [early.id, 'displayed', displayedAt],
  ]);
  const { people: counts } = (
    await server.call('GET /api/admin/messages/:id', { as: admin, params: { id } })
  ).body;
  assert.equal([counts.displayed, counts.unreachable], [1, 1]);
  assert.equal(await displayedCounts(id), [undefined, 2]);
  // Only who was not shown the all-clear can still be notified, of the all-clear.
  const state = 'all_clear_not_displayed';
  const repeat = async (body: Body<'POST /api/admin/messages/:id/repeat'>) =>
    server.call('POST /api/admin/messages/:id/repeat', { as: admin, params: { id }, body });
  const missed = async () => (await listRecipients(id, { state })).map(({ user }) => user?.id);
  await answer(early, id);
  assert.equal(await missed(), [early.id]);
  assert.is((await repeat({ state: 'displayed,acknowledged' })).status, 409);
  server.clock.now += 1000;
  assert.is((await repeat({ state, userIds: [other.id, late.id] })).body.people, 0);
  assert.is((await repeat({ state: `${state},displayed` })).body.people, 1);
  assert.equal(
    (await accept()).map(({ recipient, message }) => [
      recipient?.userId,
      message.allClear,
      message.round,
    ]),
    [[early.id, '', 1]],
  );
  server.clock.now += 1000;
  assert.is((await repeat({ state })).body.people, 1);
  await server.sendReceipts(early, [displayed]);
  assert.equal(
    (await audience.claimAll()).map(({ skipReason }) => skipReason),
    ['answered'],
  );
  assert.equal([await missed(), await displayedCounts(id)], [[], [undefined, 3]]);
  assert.equal(
    (await states()).map(([, shown]) => shown),
    ['unreachable', 'accepted', 'acknowledged'],
  );
  // The app shows the all-clear below the message.
  await server.sendReceipts(late, [{ ...displayed, kind: 'read' }]);
  const ofLate = (await states()).find(([userId]) => userId === late.id);
  assert.is(ofLate?.[1], 'read');
  await server.sendReceipts(early, [{ ...displayed, kind: 'read' }]);
  assert.equal(await displayedCounts(id), [undefined, 3]);
});

test('counts the outcome of each push for the text that it carried', async () => {
  const [inFlight, waits, failing] = people as [Person, Person, Person];
  const settle = async (
    state: 'accepted' | 'failed',
    pushes: Awaited<ReturnType<typeof audience.claimAll>>,
  ) =>
    recordOutcomes(
      server.services.db,
      pushes.map((claim) => ({ claim, state, reason: null, attempted: true })),
      server.clock.now,
    );
  const userIds = [inFlight.id, waits.id, failing.id];
  const statesOf = async (id: string) => {
    const states = new Map((await listRecipients(id)).map((one) => [one.user?.id, one]));
    return userIds.map((userId) => {
      const { state, failure } = states.get(userId) ?? {};
      return failure === undefined ? state : `${state}: ${failure}`;
    });
  };
  const corrected = await send({ userIds });
  await accept();
  await correct(corrected, { ask: false });
  assert.equal(await statesOf(corrected), ['pending', 'pending', 'pending']);
  const ofFailing = (claim: { recipient: { userId: number } | undefined }) =>
    claim.recipient?.userId === failing.id;
  const claims = await audience.claimAll();
  await settle('failed', claims.filter(ofFailing));
  await settle(
    'accepted',
    claims.filter((claim) => !ofFailing(claim)),
  );
  assert.equal(await statesOf(corrected), ['accepted', 'accepted', 'failed: refused']);

  const cleared = await send({ userIds });
  const ofInFlight = await server.services.db
    .selectFrom('deliveries')
    .where('message_id', '=', cleared)
    .where('user_id', '=', inFlight.id)
    .select('id')
    .executeTakeFirstOrThrow();
  const hold = (until: number | null) =>
    server.services.db
      .updateTable('deliveries')
      .set({ claimed_until: until })
      .where('id', '=', ofInFlight.id)
      .execute();
  await hold(server.clock.now + MINUTE_MS);
  assert.is((await allClear(cleared)).status, 200);
  const allClears = await accept();
  assert.equal(
    allClears.map(({ message, recipient }) => [recipient?.userId, message.allClear]),
    userIds.map((userId) => [userId, '']),
  );
  assert.equal(await statesOf(cleared), ['pending', 'failed: cleared', 'failed: cleared']);
  await hold(null);
  await settle('failed', await audience.claimAll());
  assert.equal((await statesOf(cleared))[0], 'failed: refused');
  const { body } = await server.call('GET /api/admin/messages/:id', {
    ...{ as: admin, params: { id: cleared } },
  });
  assert.equal([body.total, body.accepted, body.failed], [1, 0, 1]);
});

test('sends a message that was corrected before its time with the new text, once', async () => {
  const id = await send({ undoSeconds: 10 });
  assert.is((await allClear(id)).status, 409);
  assert.is((await correct(id, { message: 'Stop.'.repeat(200) })).body.revision, 1);
  assert.is((await correct(id)).body.revision, 1);
  // No one has read the first two texts, so no search finds them.
  const search = (query: string) =>
    server.call('GET /api/admin/messages', { as: admin, query: { query } });
  assert.equal(
    [(await search('stop.stop.')).body.total, (await search('harbor')).body.total],
    [0, 1],
  );
  server.clock.now += 10_000;
  await server.jobs.runDue();
  assert.equal(
    (await accept()).map(({ message }) => [message.text, message.revision]),
    people.map(() => ['Stop work in the north AND the harbor.', 1]),
  );
});

for (const { people: crowd, more } of [
  { people: 5001, more: {} },
  { people: 1500, more: { undoSeconds: 1 } },
])
  test(`corrects a message while its ${crowd} recipients are written`, async () => {
    const topic = await audience.createCrowd(crowd);
    const id = await send({ userIds: [], topicIds: [topic], ...more });
    await server.jobs.runSome();
    const earlyPushes = await accept();
    assert.ok(earlyPushes.length > 0 && earlyPushes.length < crowd);
    assert.is((await correct(id)).body.revision, 2);
    const secondProcess = createMessageJobs(() => server.services);
    const laterPushes: Awaited<ReturnType<typeof accept>> = [];
    // Two processes write, and pushes leave meanwhile.
    for (let isDone = false; !isDone; ) {
      const worked = await Promise.all([server.jobs.runSome(), secondProcess.runSome()]);
      isDone = !worked.includes(true);
      laterPushes.push(...(await accept()));
    }
    const newest = 'Stop work in the north AND the harbor.';
    assert.ok(
      laterPushes.every(({ message }) => message.text === newest && message.revision === 2),
    );
    const reached = laterPushes.map(({ recipient }) => recipient?.userId);
    assert.equal([reached.length, new Set(reached).size], [crowd, crowd], 'each of them once');
    const earlyUserIds = new Set(earlyPushes.map(({ recipient }) => recipient?.userId));
    const lastEarly = Math.max(
      ...reached.map((userId, nth) => (earlyUserIds.has(userId) ? nth : 0)),
    );
    assert.is(lastEarly, earlyPushes.length - 1, 'first those who have the old text');
    assert.ok((await audience.readLedger(id)).every(({ revision }) => revision === 2));
    const { body } = await allClear(id);
    assert.equal([body.state, body.people.total], ['sent', crowd]);
    await server.jobs.runDue();
    await accept();
    const { body: sent } = await server.call('GET /api/admin/messages/:id', {
      ...{ as: admin, params: { id } },
    });
    assert.equal(
      [sent.state, sent.accepted, sent.reachable],
      ['sent', earlyPushes.length + crowd, crowd],
      'without the pushes of the all-clear',
    );
  });

test('gives the all-clear while recipients are written, also to the others', async () => {
  const id = await send({
    userIds: [],
    topicIds: [await audience.createCrowd(1500)],
    undoSeconds: 1,
  });
  await server.jobs.runSome();
  const earlyPushes = await accept();
  assert.is((await allClear(id, 'The wind is down.')).status, 200);
  await server.jobs.runDue();
  const pushes = await accept();
  assert.equal([earlyPushes.length, pushes.length], [1000, 1500]);
  assert.ok(pushes.every(({ message }) => message.allClear === 'The wind is down.'));
});

test('shows a translated correction, and its original where it has none', async () => {
  const [ana, ben] = people as [Person, Person];
  const speak = (as: Person, language: 'de' | 'es') =>
    server.call('PUT /api/account/language', { as, body: { language } });
  await speak(ana, 'de');
  await speak(ben, 'es');
  const id = await send({
    translations: {
      de: { message: 'Arbeiten im Norden einstellen.', answers: ['Verstanden', 'Nein'] },
      es: { message: 'Parar en el norte.', answers: ['Entendido', 'No'] },
    },
  });
  for (const person of [ana, ben]) await answer(person, id);
  const translations = { de: { message: 'Im Norden UND im Hafen einstellen.' } };
  assert.equal((await correct(id, { translations })).body.translations, translations);
  const shown = async (as: Person) => {
    const [entry] = (await entryOf(as)).messages;
    const { answer: formerAnswer } = entry?.formerAnswers?.[0] ?? {};
    return [entry?.message, entry?.answers[0], entry?.former?.[0]?.message, formerAnswer];
  };
  assert.equal(await shown(ana), [
    'Im Norden UND im Hafen einstellen.',
    'Verstanden',
    'Arbeiten im Norden einstellen.',
    'Verstanden',
  ]);
  assert.equal(await shown(ben), [
    'Stop work in the north AND the harbor.',
    'Entendido',
    'Parar en el norte.',
    'Entendido',
  ]);
  // Spanish answers are no Spanish text.
  const { body } = await server.call('GET /api/admin/messages/:id/languages', {
    ...{ as: admin, params: { id } },
  });
  assert.equal(body.languages, [
    { language: null, people: 3 },
    { language: 'de', people: 1 },
  ]);
  const { isTranslated } = (await correct(id, { message: 'Stop work.', ask: false })).body;
  assert.is(isTranslated, undefined, 'only the answers are');
});

test.run();
