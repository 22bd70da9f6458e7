/** Removes what still names a deleted person: queued mails and webhook calls. */
import { sql } from 'kysely';
import {
  FORGET_JOB,
  MAIL_KINDS,
  MESSAGE_MAIL_JOB,
  PROMPT_MAIL_KINDS,
  QUIET_JOB,
} from '../db/jobs/kinds';
import { claimJobs, dropJobs, finishJob } from '../db/jobs/jobs';
import type { DeletedPerson } from '../db/jobs/kinds';
import { isOnPostgres } from '../db/lock';
import { addOutcomes } from '../db/step-outcomes';
import { inTransaction } from '../db/transaction';
import type { Database } from '../db/open';
import { runInBatches } from '../lib/loop';
import { outcomeOfDeletedPerson } from '../messages/message-mail';

/** One person takes less time. After a crash, another process repeats the work. */
const FORGET_LEASE_MS = 60_000;
/** Webhook calls at a time: a body has 20 kB at most. */
const CALLS_PER_BATCH = 100;

export async function forgetPeople(
  db: Database,
  now: number,
  stopSignal: AbortSignal,
): Promise<void> {
  let wasAnyForgotten = false;
  await runInBatches(async () => {
    const claim = { kinds: [FORGET_JOB], now, leaseMs: FORGET_LEASE_MS, limit: 1 };
    const [job] = await claimJobs(db, claim);
    if (job === undefined) return false;
    wasAnyForgotten = true;
    const person = JSON.parse(job.subject) as DeletedPerson;
    await dropPersonsJobs(person.id, db);
    await redactQueuedWebhookCalls(person, db, stopSignal);
    if (!stopSignal.aborted) await finishJob(job, db);
    return true;
  }, stopSignal);
  // SQLite's log still has the former pages. Another process' read only delays this.
  if (wasAnyForgotten && !isOnPostgres(db)) await sql`pragma wal_checkpoint(truncate)`.execute(db);
}

async function dropPersonsJobs(id: number, db: Database): Promise<void> {
  await dropJobs([...MAIL_KINDS, QUIET_JOB], String(id), db);
  // One kind at a time: for several, SQLite would read all jobs, such as those of an import.
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
          jobs.flatMap(({ subject }) => outcomeOfDeletedPerson(subject)),
          transaction,
        );
    });
}

/** Queued webhook calls are still sent, without the name. */
async function redactQueuedWebhookCalls(
  person: DeletedPerson,
  db: Database,
  stopSignal: AbortSignal,
): Promise<void> {
  let after = '';
  await runInBatches(async () => {
    const calls = await db
      .selectFrom('webhook_calls')
      .select(['id', 'body'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(CALLS_PER_BATCH)
      .execute();
    for (const { id, body } of calls) {
      const redactedBody = redactPerson(body, person);
      if (redactedBody === body) continue;
      await db
        .updateTable('webhook_calls')
        .set({ body: redactedBody })
        .where('id', '=', id)
        .where('body', '=', body)
        .execute();
    }
    after = calls.at(-1)?.id ?? after;
    return calls.length === CALLS_PER_BATCH;
  }, stopSignal);
}

/** Removes the person's name and comments from a call's body, as a person and as the sender. */
export function redactPerson(body: string, { id, username }: DeletedPerson): string {
  if (!body.includes(JSON.stringify(username))) return body;
  return JSON.stringify(JSON.parse(body), (name, value: unknown) => {
    if (name === 'sender' && value === username) return null;
    if (isAnswerByPerson(value, id)) return { ...value, comment: undefined };
    return isPerson(value, id) ? { ...value, username: `deleted user ${id}` } : value;
  });
}

const isPerson = (value: unknown, id: number): value is { id: number; username: string } =>
  typeof value === 'object' &&
  value !== null &&
  'username' in value &&
  'id' in value &&
  value.id === id;

const isAnswerByPerson = (value: unknown, id: number): value is { user: unknown } =>
  typeof value === 'object' &&
  value !== null &&
  'comment' in value &&
  'user' in value &&
  isPerson(value.user, id);
