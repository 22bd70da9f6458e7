/** Mail by SMTP, or, without it, into files, so that an installation works before anybody has set up mail. */
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Config } from './config';
import type { Log } from './log';

export interface Mail {
  /** One address, checked before. */
  to: string;
  subject: string;
  text: string;
  /** The link that the text contains. */
  link: string;
}

export type Mailer = (mail: Mail) => Promise<void>;

const TIMEOUT_MILLISECONDS = 10_000;

/** Rejects when the mail server does not take the mail; nothing is retried. */
export function createMailer(config: Config, log: Log): Mailer {
  // nodemailer would read files and addresses that a mail refers to; ours never do.
  const safe = { disableFileAccess: true, disableUrlAccess: true };
  const compose = (mail: Mail) => ({
    from: config.mailFrom,
    // As an object an address is taken whole: no list, no second recipient.
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    ...safe,
  });

  if (config.smtpUrl !== undefined) {
    const timeouts = { connectionTimeout: TIMEOUT_MILLISECONDS, greetingTimeout: TIMEOUT_MILLISECONDS, socketTimeout: TIMEOUT_MILLISECONDS };
    const transport = createTransport({ url: config.smtpUrl, ...timeouts });
    return async (mail) => {
      await transport.sendMail(compose(mail)).catch((error: unknown) => {
        throw describeRefusal(error);
      });
      log.info('mail sent', { subject: mail.subject });
    };
  }

  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  const folder = join(config.dataDir, 'mail');
  return async (mail) => {
    const { message } = await transport.sendMail(compose(mail));
    await mkdir(folder, { recursive: true });
    const file = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`);
    await writeFile(file, message as Buffer, { mode: 0o600 });
    // The link is in the log on purpose: without a mail server this is how the person at the console gets it.
    log.info('mail written, because SMTP_URL is not set', { subject: mail.subject, file, link: mail.link });
  };
}

/** Only the codes: the mail server's own words name the recipient, and what is thrown here gets into the log. */
function describeRefusal(error: unknown): Error {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return Object.assign(new Error('The mail server did not take the mail.'), { code: [code, responseCode].join(' ').trim() });
}
