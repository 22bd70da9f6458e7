/**
 * People who were deleted: what still names them goes behind the deletion, in small steps. Their
 * rows went with it, and the ledger keeps but an id that is no account's; this is about what was
 * written to be told to others.
 */
import { sql } from 'kysely';
import {
  FORGET_JOB,
  MAIL_KINDS,
  MESSAGE_MAIL_JOB,
  PROMPT_MAIL_KINDS,
  QUIET_JOB,
} from '../db/jobs/kinds';
import { claimJobs, dropJobs, finishJob } from '../db/jobs/jobs';
import type { Forgotten } from '../db/jobs/kinds';
import { isOnPostgres } from '../db/lock';
import { addOutcomes } from '../db/step-outcomes';
import { inTransaction } from '../db/transaction';
import type { Database } from '../db/open';
import { inSteps } from '../lib/loop';
import { forgottenMail } from '../messages/message-mail';

/** Longer than forgetting one takes; after a process that died another does it again. */
const LEASE_MILLISECONDS = 60_000;
/** Calls that are looked through at a time: their bodies have 20 kB at most. */
const BATCH = 100;

export async function forgetPeople(
  db: Database,
  now: number,
  stopping: AbortSignal,
): Promise<void> {
  let isAny = false;
  await inSteps(async () => {
    const claim = { kinds: [FORGET_JOB], now, lease: LEASE_MILLISECONDS, limit: 1 };
    const [job] = await claimJobs(db, claim);
    if (job === undefined) return false;
    isAny = true;
    const person = JSON.parse(job.subject) as Forgotten;
    await dropJobsOf(person.id, db);
    await forgetInCalls(person, db, stopping);
    if (!stopping.aborted) await finishJob(job, db);
    return true;
  }, stopping);
  if (isAny && !isOnPostgres(db)) await emptyLog(db);
}

/** Mails that wait, and the end of their quiet hours. */
async function dropJobsOf(id: number, db: Database): Promise<void> {
  await dropJobs([...MAIL_KINDS, QUIET_JOB], String(id), db);
  // Of some the subject names more than the person. One kind at a time: of several SQLite would read
  // all jobs, among them the thousands of an import.
  for (const kind of PROMPT_MAIL_KINDS)
    await inTransaction(db, async (transaction) => {
      const jobs = await transaction
        .deleteFrom('jobs')
        .where('kind', '=', kind)
        .where('subject', 'like', `${id} %`)
        .returning('subject')
        .execute();
      if (kind === MESSAGE_MAIL_JOB)
        await addOutcomes(
          jobs.flatMap(({ subject }) => forgottenMail(subject)),
          transaction,
        );
    });
}

/** Calls of webhooks that wait: they are made all the same. */
async function forgetInCalls(
  person: Forgotten,
  db: Database,
  stopping: AbortSignal,
): Promise<void> {
  let after = '';
  await inSteps(async () => {
    const calls = await db
      .selectFrom('webhook_calls')
      .select(['id', 'body'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const { id, body } of calls) {
      const without = withoutPerson(body, person);
      if (without === body) continue;
      await db
        .updateTable('webhook_calls')
        .set({ body: without })
        .where('id', '=', id)
        .where('body', '=', body)
        .execute();
    }
    after = calls.at(-1)?.id ?? after;
    return calls.length === BATCH;
  }, stopping);
}

/** A call's body, in which nobody is called so: neither as one of its people, nor as the sender. */
export function withoutPerson(body: string, { id, username }: Forgotten): string {
  if (!body.includes(JSON.stringify(username))) return body;
  return JSON.stringify(JSON.parse(body), (name, value: unknown) => {
    if (name === 'sender' && value === username) return null;
    return isPerson(value, id) ? { ...value, username: `deleted user ${id}` } : value;
  });
}

const isPerson = (value: unknown, id: number): value is { id: number; username: string } =>
  typeof value === 'object' &&
  value !== null &&
  'username' in value &&
  'id' in value &&
  value.id === id;

/**
 * SQLite's log still has what its pages were like before. Where another process reads it at this
 * moment, it is emptied after the next deletion, or when the last process ends.
 */
async function emptyLog(db: Database): Promise<void> {
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
}
