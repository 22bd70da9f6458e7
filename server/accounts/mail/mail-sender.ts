/** Sends queued mails, and retries for a day. Links are created when a mail is sent. */
import { randomInt } from 'node:crypto';
import { emailChangeMail, emailChangedMail } from '../own-account/email-change-mails';
import { passwordResetMail } from '../passwords/password-reset';
import { newPhoneMail } from '../sign-in/phone-links';
import { createMailBreaker } from './breaker';
import { verificationMail } from './verification';
import { invitationMail } from '../invitations';
import {
  ACCOUNT_MAIL_KINDS,
  INVITATION_MAIL_JOB,
  MAIL_KINDS,
  MESSAGE_MAIL_JOB,
  type MailKind,
} from '../../db/jobs/kinds';
import type { MailJob, MailOutcome } from './mail-jobs';
import { databaseFault } from '../../db/errors';
import { claimJobs, finishJob, nextJobDueAt, postponeJob } from '../../db/jobs/jobs';
import { MAIL_ACCEPTED, MAIL_FAILED, writeSetting } from '../../db/settings';
import type { Job } from '../../db/jobs/jobs';
import { inTransaction } from '../../db/transaction';
import { consumeLimit, refundLimit } from '../../http/rate-limits';
import type { Limit } from '../../http/rate-limits';
import { type JobRunner, POLL_EVERY_MS, createJobRunner } from '../../jobs/job-runner';
import type { RunningJobs } from '../../jobs/job-runner';
import { backoff } from '../../lib/backoff';
import { describeError } from '../../lib/log';
import type { Fields } from '../../lib/log';
import { waitAtMost } from '../../lib/loop';
import { MailError } from '../../lib/mail';
import type { Services } from '../../services';
import { HOUR_MS, DAY_MS } from '../../lib/durations';

/** Sending a mail may take less time than this (`mail.ts`). */
const MAIL_LEASE_MS = 60_000;
const MAX_MAILS_AT_ONCE = 5;
/** Earlier ranks go first; invitations always leave places free for other mails. */
const MAIL_RANKS: readonly { kinds: readonly MailKind[]; max: number }[] = [
  { kinds: ACCOUNT_MAIL_KINDS, max: MAX_MAILS_AT_ONCE },
  { kinds: [MESSAGE_MAIL_JOB], max: 4 },
  { kinds: [INVITATION_MAIL_JOB], max: 3 },
];
const findMailRank = (job: Job): number =>
  MAIL_RANKS.findIndex(({ kinds }) => kinds.includes(job.kind as MailKind));
const LOG_EVERY_MS = 10_000;
/** Mails wait a random time. A mail sent at once would slow the next request, which reveals that the account exists. */
const MAX_RANDOM_WAIT_MS = 400;
/** The mail server may accept a mail without confirming it, so retries are limited to protect the mailbox. */
const mailboxLimit = ({ kind, subject }: Job): Limit => ({
  // The account and, for a mail of a message, the message; not the step.
  key: ['mailed', kind, ...subject.split(' ').slice(0, 2)],
  max: 3,
  windowMs: HOUR_MS,
  isStrict: true,
});

/** The log gets only these parts of a subject: the rest may be an email. */
function describeJob({ kind, subject, attempts }: Job): Fields {
  const [user, message] = subject.split(' ');
  return { kind, user: Number(user), ...(kind === MESSAGE_MAIL_JOB && { message }), attempts };
}

export interface MailSender extends JobRunner {
  /** Sends queued mails at once, waiting for the mail server for `maxWait` milliseconds. */
  settle(maxWait: number): Promise<void>;
}

/** @param services read when needed, since they hold what this returns */
export function createMailSender(services: () => Services, messageMail: MailJob): MailSender {
  const jobs: Record<MailKind, MailJob> = {
    'mail-password-reset': passwordResetMail,
    'mail-verification': verificationMail,
    'mail-email-change': emailChangeMail,
    'mail-email-changed': emailChangedMail,
    'mail-new-phone': newPhoneMail,
    'mail-message': messageMail,
    'mail-invitation': invitationMail,
  };
  const jobsOfRank = MAIL_RANKS.map(() => 0);
  const countRunning = (job: Job, change: 1 | -1): void => {
    const rank = findMailRank(job);
    jobsOfRank[rank] = (jobsOfRank[rank] ?? 0) + change;
  };
  const breaker = createMailBreaker();
  let lastGauge: { name: string; value: number; at: number } | undefined;
  let pollTimer: NodeJS.Timeout | undefined;
  const runner = createJobRunner(services, 'mail', pollJobs);

  async function pollJobs(running: RunningJobs): Promise<number> {
    const { db, now } = services();
    const limit = breaker.countAllowed(now(), MAX_MAILS_AT_ONCE) - running.count();
    if (limit <= 0) return POLL_EVERY_MS;
    const dueAt = (await nextJobDueAt(MAIL_KINDS, db, now())) ?? Infinity;
    if (dueAt > now()) return POLL_EVERY_MS;
    const claimedJobs = await claimSome(limit);
    for (const job of claimedJobs) {
      countRunning(job, 1);
      running.begin(attemptMail(job).finally(() => countRunning(job, -1)));
    }
    return claimedJobs.length > 0 ? 0 : POLL_EVERY_MS;
  }

  async function claimSome(limit: number): Promise<Job[]> {
    const { db, now } = services();
    const leaseMs = MAIL_LEASE_MS;
    const claimedJobs: Job[] = [];
    for (const [rank, { kinds, max }] of MAIL_RANKS.entries()) {
      const usedSlots = jobsOfRank.slice(rank).reduce((sum, slots) => sum + slots, 0);
      const freeSlots = Math.min(limit - claimedJobs.length, max - usedSlots);
      if (freeSlots > 0)
        claimedJobs.push(
          ...(await claimJobs(db, { kinds, now: now(), leaseMs, limit: freeSlots })),
        );
    }
    return claimedJobs;
  }

  async function attemptMail(job: Job): Promise<void> {
    const { db, now } = services();
    const { findRecipient: find, writeMail: write } = jobs[job.kind as MailKind];
    const user = await find(job.subject, services());
    if (user === undefined) return finishMail(job, 'dropped');
    const limit = mailboxLimit(job);
    const pause = await consumeLimit([limit], db, now());
    if (pause !== undefined) return postponeMail(job, now() + pause * 1000);
    try {
      await services().mail(await write(user, services(), job.subject));
    } catch (error) {
      if (databaseFault(error) === 'unavailable') throw error;
      if (error instanceof MailError && error.isUndelivered) await refundLimit([limit], db);
      return recordFailure(job, error);
    }
    await recordOutcome(MAIL_ACCEPTED, services().now());
    breaker.recordSuccess();
    services().metrics.countMail('sent');
    return finishMail(job, 'sent');
  }

  /** A changed outcome is written at once, an equal one every few seconds. */
  async function recordOutcome(name: string, value: number): Promise<void> {
    const { db, now } = services();
    const isUnchanged = lastGauge?.name === name && (lastGauge.value === 0) === (value === 0);
    if (isUnchanged && now() - (lastGauge?.at ?? 0) < LOG_EVERY_MS) return;
    lastGauge = { name, value, at: now() };
    await writeSetting(name, String(value), db);
  }

  /** Records nothing if another process ended the job, or if the job was queued again. */
  const finishMail = (job: Job, outcome: MailOutcome): Promise<void> =>
    inTransaction(services().db, async (transaction) => {
      if (await finishJob(job, transaction))
        await jobs[job.kind as MailKind].recordMailOutcome?.(
          job.subject,
          outcome,
          transaction,
          services(),
        );
    });

  async function recordFailure(job: Job, error: unknown): Promise<void> {
    const { now, log, metrics } = services();
    const isRejected = error instanceof MailError && error.outcome === 'rejected';
    // An unknown address is not the mail server's fault.
    await recordOutcome(MAIL_FAILED, isRejected ? 0 : now());
    const isServerFault = error instanceof MailError && error.isServerFault;
    if (!isServerFault) breaker.recordSuccess();
    else if (breaker.recordFailure(now())) log.error('mail paused: SMTP server rejects all mail');
    log.warn('mail not sent', { ...describeJob(job), ...describeError(error) });
    if (!isRejected) return postponeMail(job, now() + backoff(job.attempts));
    metrics.countMail('refused');
    return finishMail(job, 'rejected');
  }

  async function postponeMail(job: Job, dueAt: number): Promise<void> {
    const { log, metrics, db } = services();
    const { readEnd } = jobs[job.kind as MailKind];
    const end = (await readEnd?.(job.subject, services())) ?? job.createdAt + DAY_MS;
    if (dueAt <= end) {
      metrics.countMail('retry');
      return postponeJob(job, dueAt, db);
    }
    log.error('mail abandoned', describeJob(job));
    metrics.countMail('given-up');
    return finishMail(job, 'abandoned');
  }

  return {
    ...runner,
    wake() {
      pollTimer ??= setTimeout(() => {
        pollTimer = undefined;
        runner.wake();
      }, randomInt(MAX_RANDOM_WAIT_MS));
    },
    settle(maxWait) {
      clearTimeout(pollTimer);
      pollTimer = undefined;
      const { log } = services();
      const logFailure = (error: unknown) =>
        log.error('job queue failed, retrying', { queue: 'mail', ...describeError(error) });
      return waitAtMost(maxWait, runner.runDue().catch(logFailure));
    },
  };
}
