import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfig } from '../../../server/config/config';
import { createLog, describeError } from '../../../server/lib/log';
import { createMailer, MailError } from '../../../server/lib/mail';

const test = suite('mail');
let folder: string;
let lines: string[];
test.before.each(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fieldbell-mail-'));
  lines = [];
});
test.after.each(() => rm(folder, { recursive: true }));

const log = createLog((line) => void lines.push(line));
const createTestMailer = (environment: Record<string, string> = {}) =>
  createMailer(
    readConfig({ DATA_DIR: folder, PUBLIC_URL: 'https://bell.example', ...environment }),
    log,
  );
const mail = {
  to: 'ana@mail.example',
  subject: 'Reset your password',
  text: 'Grüße\nhttps://bell.example/reset-password/abc\n',
  link: 'https://bell.example/reset-password/abc',
};

test('writes mails to private files without a mail server, and logs the link', async () => {
  await createTestMailer()(mail);
  const [name = ''] = await readdir(join(folder, 'mail'));
  const file = join(folder, 'mail', name);
  const text = await readFile(file, 'utf8');
  assert.match(text, /^From: Fieldbell <no-reply@bell\.example>$/m);
  assert.match(text, /^To: ana@mail\.example$/m);
  assert.match(text, /^Subject: Reset your password$/m);
  assert.is((await stat(file)).mode & 0o777, 0o600);
  assert.ok(lines.some((line) => line.includes(mail.link)));
});

test('keeps a hostile subject out of headers and log', async () => {
  const subject =
    'Störung\r\nBcc: eve@mail.example\r\n\r\n<b>x</b> =?utf-8?q?=0ABcc:_eve@mail.example?=';
  await createTestMailer()({
    ...mail,
    subject,
    text: '.\r\nBcc: eve@mail.example\r\n',
    isPrivate: true,
  });
  const [name = ''] = await readdir(join(folder, 'mail'));
  const file = await readFile(join(folder, 'mail', name), 'utf8');
  const [head = ''] = file.split('\n\n');
  const names = head
    .split('\n')
    .filter((line) => !/^\s/.test(line))
    .map((line) => line.split(':')[0]?.toLowerCase());
  assert.is(names.filter((each) => each === 'subject').length, 1);
  assert.not.ok(names.includes('bcc') || names.includes('cc'));
  assert.not.match(lines.join('\n'), /St.rung|eve@/);
});

/**
 * Speaks enough SMTP for a client, and records it.
 * @param given other answers by command; empty for
 * none
 */
async function startSmtp(
  given: Partial<Record<string, string>> = {},
): Promise<{ url: string; commands: string[]; stop(): void }> {
  const commands: string[] = [];
  const server = createServer((socket) => {
    let isReadingData = false;
    socket.write('220 test\r\n');
    socket.setEncoding('utf8').on('data', (chunk) => {
      for (const line of String(chunk).split('\r\n').filter(Boolean)) {
        commands.push(line);
        if (isReadingData && line !== '.') continue;
        if (line === '.') isReadingData = false;
        if (line === 'DATA') isReadingData = true;
        const [command = ''] = line.split(' ');
        const replies: Record<string, string> = { DATA: '354 go on', QUIT: '221 bye', ...given };
        const reply = replies[command] ?? '250 ok';
        if (reply !== '') socket.write(`${reply}\r\n`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    commands,
    stop: () => void server.close(),
  };
}

test('sends mail to the mail server, without link or email in the log', async () => {
  const smtp = await startSmtp();
  await createTestMailer({ SMTP_URL: smtp.url, MAIL_FROM: 'Bell <bell@bell.example>' })(mail);
  assert.ok(smtp.commands.includes('MAIL FROM:<bell@bell.example>'));
  assert.ok(smtp.commands.includes('RCPT TO:<ana@mail.example>'));
  assert.not.match(lines.join('\n'), /reset-password\/abc|ana@/);
  assert.match(lines.join('\n'), /mail sent/);
  smtp.stop();
});

test('sends no password unencrypted, unless the address allows it', async () => {
  const smtp = await startSmtp({
    EHLO: '250-ready\r\n250 AUTH PLAIN',
    AUTH: '235 yes',
    STARTTLS: '502 unknown',
  });
  const url = smtp.url.replace('//', '//bell:secret@');
  const error = await createTestMailer({ SMTP_URL: url })(mail).catch((reason: unknown) => reason);
  assert.match((error as MailError).code, 'ETLS');
  assert.not.match(smtp.commands.join(), /AUTH/);
  await createTestMailer({ SMTP_URL: `${url}?requireTLS=false` })(mail);
  assert.match(smtp.commands.join(), /AUTH PLAIN/);
  smtp.stop();
});

test('adds no header or recipient for line ends in email or subject', async () => {
  const smtp = await startSmtp();
  const evil = {
    ...mail,
    to: 'ana@mail.example\r\nBcc: evil@mail.example',
    subject: 'Hello\r\nBcc: evil@mail.example',
  };
  await createTestMailer({ SMTP_URL: smtp.url })(evil).catch(() => undefined);
  await createTestMailer({ SMTP_URL: smtp.url })({
    ...mail,
    to: 'ana@mail.example, evil@mail.example',
  }).catch(() => undefined);
  for (const line of smtp.commands) {
    assert.not.match(line, /^Bcc:/i);
    assert.not.match(line, /^RCPT TO:<evil/);
  }
  smtp.stop();
});

test('logs the codes of a rejected recipient, not the reply with the address', async () => {
  const smtp = await startSmtp({ RCPT: '550 5.1.1 <ana@mail.example>: no such user here' });
  await createTestMailer({ SMTP_URL: smtp.url })(mail).catch((error: unknown) =>
    log.error('not sent', describeError(error)),
  );
  assert.match(lines.join(), '"code":"EENVELOPE 550"');
  assert.not.match(lines.join(), /ana@|no such user/);
  smtp.stop();
});

/**
 * The error of sending.
 * @param answers of the mail server; without any it can't be reached
 */
async function fail(
  replies?: Partial<Record<string, string>>,
  limits = { silence: 10_000, total: 30_000 },
): Promise<MailError> {
  const smtp = await startSmtp(replies);
  if (replies === undefined) smtp.stop();
  const error = await createMailer(
    readConfig({ DATA_DIR: folder, SMTP_URL: smtp.url }),
    log,
    limits,
  )(mail).catch((reason: unknown) => reason);
  smtp.stop();
  assert.instance(error, MailError);
  return error as MailError;
}
const outcomeOf = ({ outcome, isUndelivered }: MailError) => [outcome, isUndelivered];

test('rejects an unknown recipient for good, and retries everything else', async () => {
  assert.equal(outcomeOf(await fail({ RCPT: '550 no such user' })), ['rejected', true]);
  assert.equal(outcomeOf(await fail({ RCPT: '450 come back later' })), ['retry', true]);
  assert.equal(outcomeOf(await fail({ MAIL: '550 you are not welcome' })), ['retry', true]);
  assert.equal(outcomeOf(await fail({ '.': '554 this looks like spam' })), ['retry', true]);
  assert.equal(outcomeOf(await fail()), ['retry', true]);
});

test('distinguishes a failing mail server from a failing email', async () => {
  const ofServer = async (replies?: Partial<Record<string, string>>) =>
    (await fail(replies)).isServerFault;
  assert.ok(await ofServer(), 'it cannot be reached');
  assert.ok(await ofServer({ MAIL: '550 you are not welcome' }));
  assert.ok(await ofServer({ RCPT: '421 closing' }));
  for (const replies of [
    { RCPT: '550 no such user' },
    { RCPT: '450 greylisted' },
    { '.': '554 this looks like spam' },
  ])
    assert.not(await ofServer(replies), JSON.stringify(replies));
});

test('treats silence after the whole mail as possibly delivered', async () => {
  assert.equal(outcomeOf(await fail({ '.': '' }, { silence: 200, total: 30_000 })), [
    'retry',
    false,
  ]);
});

test.run();
