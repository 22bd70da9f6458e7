import * as assert from 'uvu/assert';
import { addJob } from '../../../../server/db/jobs/jobs';
import { MailError } from '../../../../server/lib/mail';
import type { Mail } from '../../../../server/lib/mail';
import { messageMail } from '../../../../server/messages/message-mail';
import { queueAccountMail } from '../../../../server/accounts/mail/mail-jobs';
import { createMailSender } from '../../../../server/accounts/mail/mail-sender';
import type { Services } from '../../../../server/services';
import type { Person } from '../../../support/server/server';
import { serverSuite } from '../../../support/server/server';

const METRICS_TOKEN = 'a-token-for-prometheus';
const { test, server } = serverSuite('background mail', { environment: { METRICS_TOKEN } });
const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
const EMAIL = 'ana@mail.example';
const serverDownError = (): MailError => new MailError('ESOCKET', 'retry', true);
/** The mail server received everything, then went silent. */
const silentServerError = (): MailError => new MailError('ETIMEDOUT', 'retry', false);
let ana: Person;
let admin: Person;
test.before.each(async () => {
  ana = await server.createPerson('CUSTOMER', { username: 'ana', email: EMAIL });
  admin = await server.createPerson('ADMIN');
});

const requestMail = async (email = EMAIL): Promise<void> => {
  assert.is((await server.requestPasswordReset(email)).status, 200);
};
/** Another process on the same database. */
const otherProcess = (mail: (mail: Mail) => Promise<void>) => {
  const services: Services = { ...server.services, mail };
  return createMailSender(() => services, messageMail);
};
const listJobs = () => server.services.db.selectFrom('jobs').selectAll().execute();
/** Makes all jobs older. */
const ageMails = (milliseconds: number) =>
  server.services.db
    .updateTable('jobs')
    .set({ created_at: server.clock.now - milliseconds })
    .execute();
const health = async () => (await server.call('GET /api/health')).body.mail;
const tokenOf = (mail: Mail | undefined): string => mail?.link.split('/').at(-1) ?? '';
const reset = async (token: string) => (await server.resetPassword(token, 'a new password')).status;

async function readMetric(sample: string): Promise<number> {
  const text = await (
    await server.request('/api/metrics', { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } })
  ).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${sample} `))
      ?.slice(sample.length + 1) ?? 0,
  );
}

/**
 * Lets time pass, and runs whatever is due.
 * @returns the minutes at which a mail was tried
 */
async function passTime(minutes: number, mail: (mail: Mail) => Promise<void>): Promise<number[]> {
  const [began, tried] = [server.clock.now, [] as number[]];
  const mailing = otherProcess(async (each) => {
    tried.push((server.clock.now - began) / MINUTE_MS);
    await mail(each);
  });
  for (;;) {
    await mailing.runDue();
    const next = Math.min(...(await listJobs()).map(({ due_at }) => due_at));
    if (next > began + minutes * MINUTE_MS) break;
    server.clock.now = next;
  }
  server.clock.now = began + minutes * MINUTE_MS;
  return tried;
}

test('retries a mail until the mail server accepts it, and its link works then', async () => {
  await requestMail();
  const mails: Mail[] = [];
  let left = 6;
  const tried = await passTime(60, async (mail) => {
    if (left-- > 0) throw serverDownError();
    mails.push(mail);
  });
  assert.is(tried.length, 7);
  assert.is(mails.length, 1);
  assert.is(await reset(tokenOf(mails[0])), 200);
  assert.equal(await listJobs(), []);
});

test('creates a link when its mail is sent, so the link has its whole lifetime', async () => {
  await requestMail();
  const mails: Mail[] = [];
  await passTime(5 * 60, async (mail) => {
    // Out of order for four hours.
    if (((await listJobs())[0]?.created_at as number) > server.clock.now - 4 * HOUR_MS)
      throw serverDownError();
    mails.push(mail);
    assert.is(await reset(tokenOf(mail)), 200);
  });
  assert.is(mails.length, 1);
});

test('gives up a mail after a day, once, with a log line and a metric', async () => {
  await requestMail();
  await ageMails(22 * HOUR_MS);
  const tried = await passTime(26 * 60, () => Promise.reject(serverDownError()));
  assert.ok(tried.length > 8 && tried.length < 40, String(tried.length));
  assert.ok((tried.at(-1) ?? 0) <= 2 * 60 && (tried.at(-1) ?? 0) > 90, tried.join());
  assert.equal(await listJobs(), []);
  assert.is(server.log.filter((line) => line.includes('"mail abandoned"')).length, 1);
  assert.is(await readMetric('fieldbell_mails_total{outcome="given-up"}'), 1);
  assert.is(await readMetric('fieldbell_mails_total{outcome="retry"}'), tried.length - 1);
});

test('resends a mail of a dead process once its lease expires, not before', async () => {
  await requestMail();
  let began = (): void => undefined;
  const sending = new Promise<void>((resolve) => (began = resolve));
  void otherProcess(() => {
    began();
    return new Promise(() => undefined);
  }).runDue();
  await sending;
  const next = otherProcess(async (mail) => void server.mails.push(mail));
  await next.runDue();
  assert.is(server.mails.length, 0);
  server.clock.now += MINUTE_MS;
  await next.runDue();
  assert.is(server.mails.length, 1);
  assert.is(await reset(tokenOf(server.mails[0])), 200);
});

test('commits a registration together with its mail', async () => {
  const { body } = await server.addUser(admin, 'ben', 'CUSTOMER');
  await server.completeRegistration(
    body.user.registrationToken ?? '',
    'a good password',
    'ben@mail.example',
  );
  assert.equal(
    (await listJobs()).map(({ kind, subject }) => [kind, subject]),
    [['mail-verification', String(body.user.id)]],
  );
  await server.sendMails();
  assert.equal(
    server.mails.map(({ to }) => to),
    ['ben@mail.example'],
  );
});

test('stores neither link nor email in a mail job', async () => {
  server.services.mail = () => Promise.reject(serverDownError());
  await requestMail();
  await requestMail('unknown@mail.example');
  const formerJobs = await listJobs();
  assert.is(formerJobs.length, 2);
  await server.sendMails();
  const remainingJobs = await listJobs();
  assert.equal(
    remainingJobs.map(({ subject }) => subject),
    [String(ana.id)],
    'the job without an account is gone',
  );
  assert.not.match(JSON.stringify([formerJobs, remainingJobs]), /@|http/);
  assert.not.match(server.log.join('\n'), /ana@|nobody@|reset-password\//);
});

test('does not flood a mailbox with retries of mails that may have arrived', async () => {
  for (let time = 0; time < 3; time += 1) await requestMail();
  const tried = await passTime(180, () => Promise.reject(silentServerError()));
  for (const from of [0, 60, 120])
    assert.ok(
      tried.filter((minute) => minute >= from && minute < from + 60).length <= 3,
      tried.join(),
    );
  assert.ok(tried.length >= 7, tried.join());
});

test('sends a mail again that is requested while it is being sent', async () => {
  await requestMail();
  let wasAsked = false;
  const mails: Mail[] = [];
  await otherProcess(async (mail) => {
    if (!wasAsked)
      await addJob(
        { kind: 'mail-password-reset', subject: String(ana.id) },
        server.services.db,
        server.clock.now,
      );
    wasAsked = true;
    mails.push(mail);
  }).runDue();
  assert.is(mails.length, 2);
  assert.equal([await reset(tokenOf(mails[0])), await reset(tokenOf(mails[1]))], [400, 200]);
  assert.equal(await listJobs(), []);
});

test('sends five mails at once, and a hanging one delays no other', async () => {
  for (let index = 0; index < 12; index += 1) {
    const { id } = await server.createPerson('CUSTOMER', { email: `p${index}@mail.example` });
    await addJob(
      { kind: 'mail-verification', subject: String(id) },
      server.services.db,
      server.clock.now,
    );
  }
  let [running, maxRunning] = [0, 0];
  let release = (): void => undefined;
  const hanging = new Promise<void>((resolve) => (release = resolve));
  const sent: string[] = [];
  const mailing = otherProcess(async ({ to }) => {
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    if (to.startsWith('p0@')) await hanging;
    // Waits until there were five: half of what the test asks.
    while (maxRunning < 5) await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    sent.push(to);
  });
  const first = mailing.runDue();
  while (sent.length < 11) await new Promise((resolve) => setImmediate(resolve));
  assert.is(maxRunning, 5);
  release();
  await first;
  assert.is(sent.length, 12);
});

test('pauses mail while the mail server rejects all, and probes it with one mail at a time', async () => {
  const { db } = server.services;
  for (let person = 0; person < 40; person += 1) {
    const email = `p${person}@mail.example`;
    const { id } = await server.createPerson('CUSTOMER', { username: `p${person}`, email });
    await queueAccountMail('mail-password-reset', id, db, server.clock.now);
  }
  let [tried, isDown] = [0, true];
  const mailing = otherProcess(async () => {
    tried += 1;
    if (isDown) throw new MailError('ESOCKET', 'retry', true, true);
  });
  await mailing.runDue();
  const first = tried;
  assert.ok(first < 10, `${first} were tried`);
  assert.is((await listJobs()).filter(({ attempts }) => attempts === 0).length, 40 - first);
  await mailing.runDue();
  assert.is(tried, first, 'they wait');
  assert.is(await health(), 'failing', 'to all processes');
  for (let minute = 1; minute <= 5; minute += 1) {
    server.clock.now += MINUTE_MS;
    await Promise.all([mailing.runDue(), mailing.runDue()]);
    assert.is(tried, first + minute, 'one at a time');
  }
  assert.is(
    server.log.filter((line) => line.includes('mail paused: SMTP server rejects all mail')).length,
    1,
  );
  isDown = false;
  server.clock.now += HOUR_MS;
  await mailing.runDue();
  assert.equal(await listJobs(), []);
  assert.is(await health(), 'ok');

  isDown = true;
  for (const { id } of await db.selectFrom('users').select('id').execute())
    await queueAccountMail('mail-verification', id, db, server.clock.now);
  tried = 0;
  await mailing.runDue();
  assert.ok(tried >= 5, `${tried} were tried when it took nothing another time`);
  assert.is(
    server.log.filter((line) => line.includes('mail paused: SMTP server rejects all mail')).length,
    2,
  );
});

test('reports a failing mail server in health until it accepts a mail', async () => {
  assert.is(await health(), 'ok');
  server.services.mail = () => Promise.reject(serverDownError());
  await requestMail();
  await server.sendMails();
  assert.is(await health(), 'failing');
  server.services.mail = async () => undefined;
  server.clock.now += HOUR_MS;
  server.services.wakeMail();
  await server.sendMails();
  assert.is(await health(), 'ok');
  assert.is(await readMetric('fieldbell_mails_total{outcome="sent"}'), 1);
});

test('gives up an email that the mail server does not know, and keeps mail healthy', async () => {
  server.services.mail = () => Promise.reject(new MailError('EENVELOPE 550', 'rejected', true));
  await requestMail();
  await server.sendMails();
  assert.equal([await health(), await listJobs()], ['ok', []]);
  assert.is(await readMetric('fieldbell_mails_total{outcome="refused"}'), 1);
});

test('reports mail as late after five minutes without a try, and as failing while it retries', async () => {
  await addJob(
    { kind: 'mail-verification', subject: String(ana.id) },
    server.services.db,
    server.clock.now,
  );
  server.clock.now += 4 * MINUTE_MS;
  assert.equal([await health(), await readMetric('fieldbell_mails_pending')], ['ok', 1]);
  server.clock.now += 2 * MINUTE_MS;
  assert.is(await health(), 'late');
  await otherProcess(() => Promise.reject(serverDownError())).runDue();
  assert.is(await health(), 'failing', 'it waits for its retry');
});

test('stops retrying a mail after a bug in writing it', async () => {
  await requestMail();
  await ageMails(22 * HOUR_MS);
  const tried = await passTime(26 * 60, () => Promise.reject(new TypeError('a bug of ours')));
  assert.ok(tried.length < 40);
  assert.equal(await listJobs(), []);
});

test('sends waiting mails at shutdown, and logs what fails', async () => {
  await requestMail();
  const mails: Mail[] = [];
  const mailing = otherProcess(async (mail) => void mails.push(mail));
  mailing.wake();
  mailing.wake();
  await mailing.settle(MINUTE_MS);
  assert.is(mails.length, 1);
  await server.services.db.schema.dropTable('jobs').execute();
  mailing.wake();
  await mailing.settle(MINUTE_MS);
  assert.ok(
    server.log.some((line) => line.includes('"job queue failed, retrying","queue":"mail"')),
  );
});

test('delays mail by a random time, so that no other request reveals it', () => {
  const real = globalThis.setTimeout;
  const delays = new Set<number>();
  const note = (_: unknown, delay: number): NodeJS.Timeout => {
    delays.add(delay);
    return real(() => undefined);
  };
  Object.assign(globalThis, { setTimeout: note });
  try {
    for (let time = 0; time < 50; time += 1) otherProcess(async () => undefined).wake();
  } finally {
    Object.assign(globalThis, { setTimeout: real });
  }
  assert.ok(delays.size > 20, [...delays].join());
});

test.run();
