/** The timeline of a step shows what was recorded, never what was only tried. */
import * as assert from 'uvu/assert';
import type { PolicyStep, StepOutcome } from '../../../src/shared/contract';
import { recordOutcomes } from '../../../server/db/outbox/outcomes';
import type { DeliveryState } from '../../../server/db/schema';
import { MailError } from '../../../server/lib/mail';
import { removeWebhook } from '../../../server/webhooks/webhooks';
import { inTransaction } from '../../../server/db/transaction';
import {
  MINUTE_MS,
  createEscalationHelpers,
  notifyAgainAfter,
} from '../../support/server/escalation';
import type { Person } from '../../support/server/server';
import { receiverReplyWithStatus } from '../../support/webhooks/receiver';
import { webhookSuite } from '../../support/webhooks/webhook-suite';

const withMail = webhookSuite('escalation outcomes', { SMTP_URL: 'smtp://mail.example' });
const withoutMail = webhookSuite('escalation outcomes without mail');
const { test, setup } = withMail;
let escalation: ReturnType<typeof createEscalationHelpers>;
for (const suite of [withMail, withoutMail])
  suite.test.before.each(() => void (escalation = createEscalationHelpers(suite.setup.server)));

const MAIL_STEP: PolicyStep = { after: 60, action: 'mail' };
const COUNTS_SHOWN_IF_NOT_ZERO = {
  failed: 0,
  notPossible: 0,
  notNeeded: 0,
  waiting: 0,
  unknown: 0,
  done: 0,
};

/** The non-zero counts of a step, and its reasons as `outcome reason status people`. */
async function outcomeOf(id: string, position = 0): Promise<[Partial<StepOutcome>, ...string[]]> {
  const { outcome } = (await escalation.readEscalation(id)).steps[position]!;
  if (!outcome) return [{}];
  const { reasons, people, ...counts } = outcome;
  const sum = Object.values(counts).reduce((all, one) => all + one, 0);
  assert.is(sum, people, 'the counts sum to the people');
  const nonZeroCounts = Object.entries(counts).filter(
    ([name, count]) => count > 0 && name in COUNTS_SHOWN_IF_NOT_ZERO,
  );
  return [
    Object.fromEntries(nonZeroCounts),
    ...reasons.map(
      ({ outcome: what, reason, status: code, people: many }) =>
        `${what} ${reason}${code === null ? '' : ` ${code}`} ${many}`,
    ),
  ];
}

withoutMail.test('says that mail is not set up, and mails no one', async () => {
  const { server } = withoutMail.setup;
  const person = await server.createPerson('TECHNICIAN', {
    email: 'ana@mail.example',
    isVerified: true,
  });
  const id = await escalation.sendEscalating([MAIL_STEP], { userIds: [person.id] });
  await escalation.advance(1);
  await server.sendMails();
  assert.equal(await outcomeOf(id), [{ notPossible: 1 }, 'notPossible mail-not-set-up 1']);
  assert.equal(
    [server.mails.length, (await escalation.readEscalation(id)).steps[0]?.people],
    [0, 0],
  );
});

test('marks a mail as done when accepted, and as failed when no longer retried', async () => {
  const { server } = setup;
  const mailed = (name: string) =>
    server.createPerson('TECHNICIAN', { email: `${name}@mail.example`, isVerified: true });
  const [goodPerson, wrongPerson, latePerson, answeredPerson] = [
    await mailed('good'),
    await mailed('wrong'),
    await mailed('late'),
    await mailed('answered'),
  ];
  const unverifiedPerson = await server.createPerson('TECHNICIAN', { email: 'typed@mail.example' });
  const people = [goodPerson, wrongPerson, latePerson, answeredPerson, unverifiedPerson];
  const id = await escalation.sendEscalating([MAIL_STEP], {
    userIds: people.map((person) => person.id),
    expiresAt: new Date(server.clock.now + 30 * MINUTE_MS).toISOString(),
  });
  await escalation.advance(1);
  const noAddress = 'notPossible no-address 1';
  assert.equal(await outcomeOf(id), [{ notPossible: 1, waiting: 4 }, noAddress]);
  await escalation.answer(answeredPerson, id);
  const { mail } = server.services;
  server.services.mail = async (one) => {
    if (one.to.startsWith('wrong')) throw new MailError('EENVELOPE 550', 'rejected', true);
    if (one.to.startsWith('late')) throw new MailError('ECONNREFUSED', 'retry', true);
    await mail(one);
  };
  await server.sendMails();
  const rejectedMail = 'failed mail-refused 1';
  assert.equal(await outcomeOf(id), [
    { done: 1, failed: 1, notPossible: 1, notNeeded: 1, waiting: 1 },
    rejectedMail,
    noAddress,
  ]);
  server.clock.now += 28.9 * MINUTE_MS;
  server.services.wakeMail();
  await server.sendMails();
  assert.equal(await outcomeOf(id), [
    { done: 1, failed: 2, notPossible: 1, notNeeded: 1 },
    'failed mail-given-up 1',
    rejectedMail,
    noAddress,
  ]);
});

test('replaces a queued email with that of a later step', async () => {
  const { server } = setup;
  const person = await server.createPerson('TECHNICIAN', {
    email: 'ana@mail.example',
    isVerified: true,
  });
  const steps: PolicyStep[] = [MAIL_STEP, { after: 120, action: 'mail' }];
  const id = await escalation.sendEscalating(steps, { userIds: [person.id] });
  await escalation.advance(1);
  await escalation.advance(1);
  await server.sendMails();
  assert.equal(
    [await outcomeOf(id), await outcomeOf(id, 1), server.mails.length],
    [[{ notNeeded: 1 }], [{ done: 1 }], 1],
  );
});

/** A message whose webhook step has just run. */
async function escalate(...people: Person[]): Promise<string> {
  const url = setup.receiver.urlOf('/sms');
  const id = await escalation.sendEscalating([{ after: 60, action: 'webhook', url }], {
    userIds: people.map((person) => person.id),
  });
  await escalation.advance(1);
  await setup.server.webhookRunner.runDue();
  return id;
}

test("shows a call as waiting, with the webhook's response, until it is accepted", async () => {
  const id = await setup.addWebhook('/sms', []);
  setup.receiver.replies.set('/sms', receiverReplyWithStatus(503));
  const message = await escalate(
    await escalation.createMember(1),
    await escalation.createMember(1),
  );
  assert.equal(await outcomeOf(message), [{ waiting: 2 }, 'waiting webhook-answer 503 2']);
  setup.receiver.replies.clear();
  await setup.advance(MINUTE_MS);
  assert.equal(await outcomeOf(message), [{ done: 2 }]);
  assert.is((await setup.readWebhook(id)).last_status, 204);
});

test('says why a call is no longer made', async () => {
  const person = await escalation.createMember(1);
  const id = await setup.addWebhook('/sms', []);
  setup.receiver.replies.set('/sms', receiverReplyWithStatus(503));
  const [answered, removed] = [await escalate(person), await escalate(person)];
  await escalation.answer(person, answered);
  await setup.advance(MINUTE_MS);
  assert.equal(await outcomeOf(answered), [{ notNeeded: 1 }]);
  const { db } = setup.server.services;
  const tried = await escalate(person);
  await db.updateTable('webhook_calls').set({ created_at: 0 }).execute();
  await db.updateTable('policies').set({ steps: '[]' }).execute();
  await setup.advance(20 * MINUTE_MS);
  assert.equal(await outcomeOf(tried), [{ failed: 1 }, 'failed webhook-answer 503 1']);
  assert.equal(await outcomeOf(removed), [{ failed: 1 }, 'failed webhook-answer 503 1']);
  const last = await escalate(person);
  await db.updateTable('policies').set({ steps: '[]' }).execute();
  await inTransaction(db, (transaction) => removeWebhook(id, transaction));
  assert.equal(await outcomeOf(last), [{ notPossible: 1 }, 'notPossible webhook-removed 1']);
});

test('says for current and later steps that 410 disabled a webhook', async () => {
  const person = await escalation.createMember(1);
  await setup.addWebhook('/sms', []);
  setup.receiver.replies.set('/sms', receiverReplyWithStatus(410));
  const [first, next] = [await escalate(person), await escalate(person)];
  for (const id of [first, next])
    assert.equal(await outcomeOf(id), [{ notPossible: 1 }, 'notPossible webhook-off 1']);
});

test('marks a repeat as done at the first accepted push, as failed at the last rejected one', async () => {
  const { server } = setup;
  const topic = await server.createTopic();
  const [goodPerson, badPerson, gonePerson, off] = [
    await escalation.createMember(2, topic),
    await escalation.createMember(1, topic),
    await escalation.createMember(1, topic),
    await escalation.createMember(1, topic),
  ];
  await escalation.createMember(0, topic);
  await escalation.muteTopic(off, topic);
  const id = await escalation.sendEscalating([notifyAgainAfter(1)], { topicIds: [topic] });
  await escalation.acceptAll();
  server.clock.now += MINUTE_MS;
  await server.jobs.runDue();
  const notPossible = ['notPossible muted 1', 'notPossible no-device 1'];
  assert.equal(await outcomeOf(id), [{ notPossible: 2, waiting: 3 }, ...notPossible]);
  const claims = await escalation.claimAll();
  const settle = (person: Person, nth: number, state: Exclude<DeliveryState, 'pending'>) => {
    const claim = claims.filter(({ recipient }) => recipient?.userId === person.id)[nth]!;
    const settlement = { claim, state, reason: state, attempted: true };
    return recordOutcomes(server.services.db, [settlement], server.clock.now);
  };
  await settle(goodPerson, 0, 'failed');
  await settle(badPerson, 0, 'failed');
  await settle(gonePerson, 0, 'gone');
  const failed = ['failed device-gone 1', 'failed push-refused 1'];
  assert.equal(await outcomeOf(id), [
    { failed: 2, notPossible: 2, waiting: 1 },
    ...[failed[0]!, ...notPossible, failed[1]!],
  ]);
  await settle(goodPerson, 1, 'accepted');
  const [counts] = await outcomeOf(id);
  assert.equal(counts, { done: 1, failed: 2, notPossible: 2 });
});

test('counts manual repeats by accepted pushes', async () => {
  const people = [await escalation.createMember(2), await escalation.createMember(0)];
  const id = await escalation.sendEscalating([notifyAgainAfter(9)], {
    userIds: people.map((person) => person.id),
  });
  await escalation.acceptAll();
  await escalation.notifyAgain(id);
  const noDevice = 'notPossible no-device 1';
  const { steps } = await escalation.readEscalation(id);
  const byHand = steps.findIndex(({ by }) => by !== null);
  assert.equal(await outcomeOf(id, byHand), [{ notPossible: 1, waiting: 1 }, noDevice]);
  await escalation.acceptAll();
  assert.equal(await outcomeOf(id, byHand), [{ done: 1, notPossible: 1 }, noDevice]);
});

test("shows the counts of another topic's message, or why none was sent", async () => {
  const { server } = setup;
  const [control, empty] = [await server.createTopic('Control'), await server.createTopic()];
  const person = await escalation.createMember(1);
  await escalation.createMember(1, control);
  const steps: PolicyStep[] = [control, empty].map((topicId, nth) => ({
    after: 60 * (nth + 1),
    action: 'notify',
    topicId,
  }));
  const id = await escalation.sendEscalating(steps, { userIds: [person.id] });
  server.clock.now += MINUTE_MS;
  await server.jobs.runDue();
  assert.equal(await outcomeOf(id), [{ waiting: 1 }]);
  await escalation.advance(1);
  assert.equal(await outcomeOf(id), [{ done: 1 }]);
  assert.equal(await outcomeOf(id, 1), [{ notPossible: 1 }, 'notPossible topic-empty 1']);
  const { messageId } = (await escalation.readEscalation(id)).steps[0]!;
  assert.is((await escalation.readMessageRow(messageId!)).title, '1 of 1 person has not answered');
});

test('shows outcomes as unknown that were never recorded', async () => {
  const { server } = setup;
  const person = await server.createPerson('TECHNICIAN', {
    email: 'ana@mail.example',
    isVerified: true,
  });
  const id = await escalation.sendEscalating([MAIL_STEP], { userIds: [person.id] });
  await escalation.advance(1);
  await server.services.db.deleteFrom('jobs').execute();
  const expires_at = server.clock.now - 3 * 24 * 60 * MINUTE_MS;
  await server.services.db.updateTable('messages').set({ expires_at }).execute();
  assert.equal(await outcomeOf(id), [{ unknown: 1 }]);
});

test.run();
withoutMail.test.run();
