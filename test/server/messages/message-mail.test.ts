import * as assert from 'uvu/assert';
import { addJob } from '../../../server/db/jobs/jobs';
import { createMailSender } from '../../../server/accounts/mail/mail-sender';
import { MailError } from '../../../server/lib/mail';
import type { Mail } from '../../../server/lib/mail';
import { messageMail } from '../../../server/messages/message-mail';
import type { Services } from '../../../server/services';
import { type Person, serverSuite } from '../../support/server/server';

const { test, server } = serverSuite('mails of messages');
const [HOUR, DAY] = [3600_000, 24 * 3600_000];
let ada: Person;
let ana: Person;
test.before.each(async () => {
  ada = await server.createPerson('ADMIN', { username: 'ada' });
  ana = await server.createPerson('TECHNICIAN', {
    username: 'ana',
    email: 'ana@mail.example',
    isVerified: true,
  });
});

/** @returns the message id */
async function send(body: object = {}, people = [ana]): Promise<string> {
  const { status, body: reply } = await server.sendMessage(ada, {
    userIds: people.map(({ id }) => id),
    message: 'Stop all work.',
    ...body,
  });
  assert.is(status, 202);
  return reply.messageId;
}
const queueMail = (messageId: string, person = ana): Promise<void> =>
  addJob(
    { kind: 'mail-message', subject: `${person.id} ${messageId} 0` },
    server.services.db,
    server.clock.now,
  );
const sendMails = async (): Promise<Mail[]> => {
  server.services.wakeMail();
  await server.sendMails();
  return server.mails;
};
const listJobs = () => server.services.db.selectFrom('jobs').selectAll().execute();
const report = (messageId: string, receipt: object, as = ana) =>
  server.sendReceipts(as, [{ messageId, kind: 'read', ...receipt }]);

test('mails title, text, sender and a link to the message', async () => {
  const id = await send({ title: 'Störung', answers: ['Got it', 'Later'] });
  await queueMail(id);
  const [mail, ...others] = await sendMails();
  assert.equal(others, []);
  const link = `https://bell.example/messages/${id}`;
  assert.equal([mail?.to, mail?.subject, mail?.link], ['ana@mail.example', 'Störung', link]);
  for (const part of ['Hello ana,', 'Störung', 'Stop all work.', link, 'ada', 'Got it, Later'])
    assert.ok(mail?.text.includes(part), part);
  assert.match(mail?.text ?? '', /have not answered/);
  assert.equal(await listJobs(), []);
});

test('uses the topic as the subject, and asks only for reading without answers', async () => {
  const topic = await server.createTopic('Outages');
  await queueMail(await send({ topicIds: [topic] }));
  const [mail] = await sendMails();
  assert.is(mail?.subject, 'Outages');
  assert.not.match(mail?.text ?? '', /answer/);
  assert.match(mail?.text ?? '', /have not read/);
});

const obstacles: Record<string, (id: string) => Promise<unknown>> = {
  'was answered': (id) => report(id, { kind: 'acknowledged', answer: 'Got it' }),
  'was canceled': (id) =>
    server.services.db
      .updateTable('messages')
      .set({ state: 'cancelled' })
      .where('id', '=', id)
      .execute(),
  'was stopped, as enough have answered': (id) =>
    server.services.db
      .updateTable('messages')
      .set({ stopped: 'quorum', stopped_at: server.clock.now })
      .where('id', '=', id)
      .execute(),
  'has ended': async () => void (server.clock.now += DAY),
  'ends within five seconds, as the clock of another server may say that it has': async () =>
    void (server.clock.now += DAY - 5000),
  'is of someone who was deleted': () =>
    server.services.db.deleteFrom('users').where('id', '=', ana.id).execute(),
  'is of someone without an address': () =>
    server.services.db.updateTable('users').set({ email: null }).execute(),
  'was swept': (id) => server.services.db.deleteFrom('messages').where('id', '=', id).execute(),
};
for (const [reason, addObstacle] of Object.entries(obstacles)) {
  test(`sends no mail of a message that ${reason} since`, async () => {
    // Others have not answered either.
    const id = await send({ answers: ['Got it'] }, [ana, ada]);
    await queueMail(id);
    await addObstacle(id);
    assert.equal(await sendMails(), []);
    assert.equal(
      (await listJobs()).filter(({ kind }) => kind === 'mail-message'),
      [],
    );
  });
}

test('mails people who read but did not answer, and no one who only had to read', async () => {
  const asking = await send({ answers: ['Got it'] });
  const telling = await send();
  for (const id of [asking, telling]) {
    await report(id, {});
    await queueMail(id);
  }
  assert.equal(
    (await sendMails()).map(({ link }) => link.split('/').at(-1)),
    [asking],
  );
});

test('retries a mail until its message expires, even longer than a day', async () => {
  const expiresAt = new Date(server.clock.now + 30 * HOUR).toISOString();
  const id = await send({ expiresAt });
  await queueMail(id);
  const tried: number[] = [];
  const services: Services = {
    ...server.services,
    mail: async () => {
      tried.push(server.clock.now);
      throw new MailError('ESOCKET', 'retry', true);
    },
  };
  const mailing = createMailSender(() => services, messageMail);
  const startedAt = server.clock.now;
  for (let jobs = await listJobs(); jobs.length > 0; jobs = await listJobs()) {
    server.clock.now = Math.max(server.clock.now, jobs[0]?.due_at ?? 0);
    await mailing.runDue();
  }
  const last = tried.at(-1) ?? 0;
  assert.ok(last > startedAt + 29 * HOUR && last < startedAt + 30 * HOUR, String(last - startedAt));
  const [line, ...others] = server.log
    .map((each) => JSON.parse(each))
    .filter(({ event }) => event === 'mail abandoned');
  assert.equal(others, []);
  assert.equal([line.user, line.message], [ana.id, id]);
  assert.not.match(server.log.join('\n'), /ana@|Stop all work/);
});

test.run();
