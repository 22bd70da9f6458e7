/**
 * Mail by SMTP, or, without it, into files, so that an installation works before anybody has set up
 * mail.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Fields, Log } from './log';

export interface Mail {
  /** One address, checked before. */
  to: string;
  subject: string;
  text: string;
  /** The link that the text contains. */
  link: string;
  /** The subject is a person's words, which are nothing for a log. */
  isPrivate?: boolean;
}

export type Mailer = (mail: Mail) => Promise<void>;

/**
 * What became of a mail that was not sent. Its message and code hold neither an address nor what
 * the mail server said.
 */
export class MailError extends Error {
  readonly code: string;
  /** `refused`: the mail server does not know this recipient, and will not (RFC 5321, 4.2.1). */
  readonly outcome: 'refused' | 'retry';
  /** False if it may have been delivered all the same: its answer was not heard. */
  readonly isUndelivered: boolean;
  /** It would not have taken any other mail either. */
  readonly isOfServer: boolean;

  constructor(
    code: string,
    outcome: 'refused' | 'retry',
    isUndelivered: boolean,
    isOfServer = false,
  ) {
    super('The mail server did not take the mail.');
    this.code = code;
    this.outcome = outcome;
    this.isUndelivered = isUndelivered;
    this.isOfServer = isOfServer;
  }
}

/** What of the configuration mail depends on. */
interface MailSettings {
  mailFrom: string;
  smtpUrl: string | undefined;
  dataDir: string;
}

/** In milliseconds. */
interface MailLimits {
  /** For each step in which a mail server says nothing. */
  silence: number;
  /** For a mail as a whole: a server that always has one more thing to say is given up, too. */
  whole: number;
}

const defaults: MailLimits = { silence: 10_000, whole: 30_000 };

/**
 * Rejects with MailError when the mail server does not take the mail. Nothing is tried again here.
 */
export function createMailer(
  config: MailSettings,
  log: Log,
  limits: MailLimits = defaults,
): Mailer {
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
    const { silence } = limits;
    const timeouts = {
      connectionTimeout: silence,
      greetingTimeout: silence,
      socketTimeout: silence,
      dnsTimeout: silence,
      socketCloseTimeout: 0,
    };
    // A password must not cross a network in the clear. `?requireTLS=false` in the URL wins.
    const requireTLS = new URL(config.smtpUrl).username !== '';
    const transport = createTransport({ url: config.smtpUrl, requireTLS, ...timeouts });
    return async (mail) => {
      // Unlike the limits above this one ends what never falls silent.
      const signal = AbortSignal.timeout(limits.whole);
      await transport.sendMail({ ...compose(mail), ...{ signal } }).catch((error: unknown) => {
        throw describeFailure(error);
      });
      log.info('mail sent', describeMail(mail));
    };
  }

  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  const folder = join(config.dataDir, 'mail');
  return async (mail) => {
    const { message } = await transport.sendMail(compose(mail));
    const file = join(
      folder,
      `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`,
    );
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(file, message as Buffer, { mode: 0o600 });
    } catch (error) {
      throw new MailError((error as NodeJS.ErrnoException).code ?? 'unknown', 'retry', true, true);
    }
    // The link is in the log on purpose: without a mail server this is how the person at the
    // console gets it.
    log.info('mail written, because SMTP_URL is not set', {
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

/** RFC 5321, 4.2.3: the service is not available. */
const CLOSING = 421;
/** Before anything could be handed over. */
const EARLY = [
  'EDNS',
  'EAUTH',
  'ETLS',
  'EENVELOPE',
  'CONNECT_TIMEOUT',
  'GREETING_TIMEOUT',
  'UPGRADE_TIMEOUT',
];

/**
 * Only the codes: the mail server's own words name the recipient, and what is thrown here gets into
 * the log.
 */
function describeFailure(error: unknown): MailError {
  const { code = 'unknown', responseCode, command, syscall, timeoutType } = error as SmtpFailure;
  const isRefused = command === 'RCPT TO' && responseCode !== undefined && responseCode >= 500;
  const isUndelivered =
    responseCode !== undefined ||
    syscall === 'connect' ||
    EARLY.includes(code) ||
    EARLY.includes(timeoutType ?? '');
  return new MailError(
    [code, responseCode].join(' ').trim(),
    isRefused ? 'refused' : 'retry',
    isUndelivered,
    responseCode === undefined ||
      responseCode === CLOSING ||
      (command !== 'RCPT TO' && command !== 'DATA'),
  );
}
