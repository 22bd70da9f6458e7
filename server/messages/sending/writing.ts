/**
 * Messages for more people than a request can wait for, and those that leave later: written by jobs,
 * a chunk at a time, each in a transaction of its own that takes the message's row first and moves
 * `written_to`. So a process that dies, or a second one, leaves no one out and writes no one twice.
 */
import type { Transaction } from 'kysely';
import { databaseFault } from '../../db/errors';
import {
  MESSAGE_JOBS,
  REPEAT_JOB,
  TEST_JOB,
  claimJobs,
  continueJob,
  finishJob,
  nextDueAt,
  postponeJob,
} from '../../db/jobs';
import type { Job } from '../../db/jobs';
import { withdrawRows } from '../../db/outbox/upkeep';
import { inTransaction } from '../../db/transaction';
import type { MessageRow, Tables } from '../../db/schema';
import { writeSomeTests } from '../../device-tests/rounds';
import { backoff } from '../../delivery/queue/backoff';
import { createPause, nextTurn } from '../../delivery/queue/sleep';
import { describeError } from '../../lib/log';
import type { Services } from '../../services';
import { countPeople } from '../../subscriptions/audience';
import { audienceOf, lockMessage } from '../find';
import { tellOfSending } from '../message-event';
import { countWritten, writeRecipients } from './ledger';
import { ringSome } from '../repeat';

/** Far longer than a chunk takes; what a dead process held is taken up so soon. */
const LEASE_MILLISECONDS = 10_000;
/** How soon work is found that another process left, or was asked for. */
const POLL_MILLISECONDS = 2000;

export interface Writing {
  /** There may be something to write: look now. */
  wake(): void;
  /** Takes one step of one message. @returns whether there was anything due */
  writeSome(): Promise<boolean>;
  /** Takes all steps that are due. */
  writeDue(): Promise<void>;
  /** Looks for work until it is stopped. @returns how to stop it: after the step under way */
  start(): () => Promise<void>;
}

/** @param services read when needed, since they hold what this returns */
export function createWriting(services: () => Services): Writing {
  const pause = createPause();

  async function writeSome(): Promise<boolean> {
    const { db, config, now, wake, wakeWebhooks, log } = services();
    const engine = config.databaseUrl === undefined ? 'sqlite' : 'postgres';
    const [job] = await claimJobs(db, engine, {
      kinds: MESSAGE_JOBS,
      now: now(),
      lease: LEASE_MILLISECONDS,
      limit: 1,
    });
    if (job === undefined) return false;
    try {
      await inTransaction(db, async (transaction) => {
        const isDone = await takeStep(job, transaction, now());
        // Others that wait get their turn between two chunks.
        await (isDone ? finishJob(job, transaction) : continueJob(job, now(), transaction));
      });
      wake();
      wakeWebhooks();
    } catch (error) {
      const fault = databaseFault(error);
      // Somebody was deleted since they were looked up.
      if (fault === 'missing-reference' && job.attempts < 3)
        return postponeJob(job, now(), db).then(() => true);
      log.error('a message could not be written', {
        message: job.subject,
        fault: fault ?? 'unexpected',
        ...describeError(error),
      });
      await postponeJob(job, now() + backoff(job.attempts), db);
    }
    return true;
  }

  async function writeDue(isStopping = () => false): Promise<void> {
    // On the embedded engine a chunk is one piece of work: between two, everything else is served.
    while (!isStopping() && (await writeSome())) await nextTurn();
  }

  return {
    wake: () => pause.end(),
    writeSome,
    writeDue: () => writeDue(),
    start() {
      let stopping = false;
      const keepWriting = async (): Promise<void> => {
        while (!stopping) {
          const { db, now, log } = services();
          let rest = POLL_MILLISECONDS;
          try {
            // Asked before anything is claimed, which is a write.
            const due = await nextDueAt(MESSAGE_JOBS, db, now());
            if (due !== undefined && due <= now()) await writeDue(() => stopping);
            else if (due !== undefined) rest = Math.min(rest, due - now());
          } catch (error) {
            log.error('messages cannot be written', describeError(error));
          }
          if (!stopping) await pause.for(rest);
        }
      };
      const stopped = keepWriting();
      return async () => {
        stopping = true;
        pause.end();
        await stopped;
      };
    },
  };
}

/** @returns whether nothing is left of it */
async function takeStep(
  { kind, subject }: Job,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const message = await lockMessage(subject, transaction);
  // Older than the ledger keeps.
  if (message === undefined) return true;
  if (message.state === 'cancelled')
    return (await withdrawRows(message.id, transaction, now)) === 0;
  if (kind === REPEAT_JOB) return ringSome(message, transaction, now);
  if (message.state === 'sent') return true;
  return kind === TEST_JOB
    ? writeSomeTests(message, transaction, now)
    : writeSomeOf(message, transaction, now);
}

async function writeSomeOf(
  message: MessageRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  const audience = audienceOf(message);
  const isFirst = message.state === 'scheduled';
  const cursor = {
    writtenTo: message.written_to,
    nextKey: isFirst ? now : message.next_key,
  };
  const written = await writeRecipients(message.id, audience, cursor, transaction, now);
  const people = written.isComplete
    ? await countWritten(message.id, transaction)
    : isFirst
      ? await countPeople(audience, transaction)
      : message.people;
  await transaction
    .updateTable('messages')
    .set({
      state: written.isComplete ? 'sent' : 'writing',
      people,
      written_to: written.writtenTo,
      next_key: written.nextKey,
    })
    .where('id', '=', message.id)
    .execute();
  if (written.isComplete) await tellOfSending(message.id, transaction, now);
  return written.isComplete;
}
