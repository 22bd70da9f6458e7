/** Mail by SMTP, or into files while no mail server is set up. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { createFolder } from '../db/create-folder';
import type { Fields, Log } from './log';

export interface Mail {
  /** The recipient, one checked address. */
  to: string;
  subject: string;
  text: string;
  /** The link in the text. */
  link: string;
  /** The subject is a person's words, which must not be logged. */
  isPrivate?: boolean;
}

export type Mailer = (mail: Mail) => Promise<void>;

/** Why a mail was not sent. Message and code contain neither an address nor the server's words. */
export class MailError extends Error {
  readonly code: string;
  /** `rejected`: the mail server permanently rejects the recipient (RFC 5321, 4.2.1). */
  readonly outcome: 'rejected' | 'retry';
  /** False if the mail may have been delivered, because the reply was lost. */
  readonly isUndelivered: boolean;
  /** The server would reject any other mail too. */
  readonly isServerFault: boolean;

  constructor(
    code: string,
    outcome: 'rejected' | 'retry',
    isUndelivered: boolean,
    isServerFault = false,
  ) {
    super('The mail server could not be reached, or did not accept the email.');
    this.code = code;
    this.outcome = outcome;
    this.isUndelivered = isUndelivered;
    this.isServerFault = isServerFault;
  }
}

interface MailSettings {
  mailFrom: string;
  smtpUrl: string | undefined;
  dataDir: string;
}

/** The limits in milliseconds. */
interface MailLimits {
  /** How long the server may be silent. */
  silence: number;
  /** How long a whole mail may take, even if the server never stops talking. */
  total: number;
}

const defaults: MailLimits = { silence: 10_000, total: 30_000 };

/** The mailer rejects with MailError. It does not retry. */
export function createMailer(
  config: MailSettings,
  log: Log,
  limits: MailLimits = defaults,
): Mailer {
  // nodemailer could otherwise read files and addresses in a mail.
  const safeOptions = { disableFileAccess: true, disableUrlAccess: true };
  const composeMail = (mail: Mail) => ({
    from: config.mailFrom,
    // An object cannot be parsed as several recipients.
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    ...safeOptions,
  });

  if (config.smtpUrl !== undefined) {
    const { silence } = limits;
    const timeouts = {
      connectionTimeout: silence,
      greetingTimeout: silence,
      socketTimeout: silence,
      dnsTimeout: silence,
      socketCloseTimeout: 0,
    };
    // A password is never sent unencrypted, unless the URL has `?requireTLS=false`.
    const requireTLS = new URL(config.smtpUrl).username !== '';
    const transport = createTransport({ url: config.smtpUrl, requireTLS, ...timeouts });
    return async (mail) => {
      // This timeout also ends a server that is never silent.
      const signal = AbortSignal.timeout(limits.total);
      await transport.sendMail({ ...composeMail(mail), ...{ signal } }).catch((error: unknown) => {
        throw describeFailure(error);
      });
      log.info('mail sent', describeMail(mail));
    };
  }

  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  const folder = join(config.dataDir, 'mail');
  return async (mail) => {
    const { message } = await transport.sendMail(composeMail(mail));
    const file = join(
      folder,
      `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`,
    );
    try {
      createFolder(folder);
      await writeFile(file, message as Buffer, { mode: 0o600 });
    } catch (error) {
      throw new MailError((error as NodeJS.ErrnoException).code ?? 'unknown', 'retry', true, true);
    }
    // The link is logged on purpose, for the person at the console.
    log.info('mail written to file: SMTP_URL not set', {
      ...describeMail(mail),
      file,
      link: mail.link,
    });
  };
}

const describeMail = ({ subject, isPrivate }: Mail): Fields => (isPrivate ? {} : { subject });

interface SmtpFailure {
  code?: string;
  responseCode?: number;
  command?: string;
  syscall?: string;
  timeoutType?: string;
}

/** RFC 5321, 4.2.3: service not available. */
const SERVICE_CLOSING_CODE = 421;
/** Failures before anything was handed over. */
const EARLY = [
  'EDNS',
  'EAUTH',
  'ETLS',
  'EENVELOPE',
  'CONNECT_TIMEOUT',
  'GREETING_TIMEOUT',
  'UPGRADE_TIMEOUT',
];

/** Keeps only codes: the server's words name the recipient, and the error is logged. */
function describeFailure(error: unknown): MailError {
  const { code = 'unknown', responseCode, command, syscall, timeoutType } = error as SmtpFailure;
  const isRejected = command === 'RCPT TO' && responseCode !== undefined && responseCode >= 500;
  const isUndelivered =
    responseCode !== undefined ||
    syscall === 'connect' ||
    EARLY.includes(code) ||
    EARLY.includes(timeoutType ?? '');
  return new MailError(
    [code, responseCode].join(' ').trim(),
    isRejected ? 'rejected' : 'retry',
    isUndelivered,
    responseCode === undefined ||
      responseCode === SERVICE_CLOSING_CODE ||
      (command !== 'RCPT TO' && command !== 'DATA'),
  );
}
