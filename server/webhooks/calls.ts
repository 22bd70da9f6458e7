/** The calls that wait: which are due, one claimed, and what becomes of it. */
import { sql } from 'kysely';
import { isFree } from '../db/claimed';
import { WEBHOOK_JOB, claimJobs, finishJob, postponeJob } from '../db/jobs';
import type { Job } from '../db/jobs';
import type { Database, Engine } from '../db/open';
import { inTransaction } from '../db/transaction';
import { MOST_WAITING } from '../db/webhook-calls';
import type { Answer } from '../delivery/https/answer';
import { backoff, readRetryAfter } from '../delivery/queue/backoff';
import { isSuccess, recordAnswer } from './outcome';
import type { Change } from './outcome';

const DAY = 24 * 60 * 60 * 1000;
/** Longer than a call takes; what a dead process held is taken up so soon. */
const LEASE_MILLISECONDS = 30_000;

/** A webhook that has calls which may begin now. */
export interface Due {
  id: number;
  isFailing: boolean;
  /** As many wait as may: further calls of it are not kept. */
  isFull: boolean;
}

export async function readDue(db: Database, now: number): Promise<Due[]> {
  const { rows } = await sql<{
    id: number;
    failing_since: number | null;
    waiting: number;
    due: number;
  }>`
    select webhooks.id, webhooks.failing_since, count(*) as waiting,
      sum(case when jobs.due_at <= ${now} and ${isFree(now)} then 1 else 0 end) as due
    from webhooks inner join webhook_calls on webhook_calls.webhook_id = webhooks.id
      inner join jobs on jobs.kind = ${WEBHOOK_JOB} and jobs.subject = webhook_calls.id
    where webhooks.off_since is null group by webhooks.id, webhooks.failing_since order by webhooks.id`.execute(
    db,
  );
  return rows
    .filter(({ due }) => Number(due) > 0)
    .map(({ id, failing_since, waiting }) => ({
      id,
      isFailing: failing_since !== null,
      isFull: Number(waiting) >= MOST_WAITING,
    }));
}

/** Claims calls of one webhook, the longest due first. */
export const claimCalls = (
  webhookId: number,
  limit: number,
  { db, engine, now }: { db: Database; engine: Engine; now: number },
): Promise<Job[]> =>
  claimJobs(db, engine, {
    kinds: [WEBHOOK_JOB],
    now,
    lease: LEASE_MILLISECONDS,
    limit,
    about: sql<string>`(select id from webhook_calls where webhook_id = ${webhookId})`,
  });

/** All that an attempt needs. */
export interface Call {
  id: string;
  body: string;
  webhook: { id: number; url: string; secret: string };
}

/** @returns undefined if it is wanted no longer */
export async function readCall({ subject }: Job, db: Database): Promise<Call | undefined> {
  const row = await db
    .selectFrom('webhook_calls')
    .innerJoin('webhooks', 'webhooks.id', 'webhook_calls.webhook_id')
    .where('webhook_calls.id', '=', subject)
    .where('webhooks.off_since', 'is', null)
    .select(['webhook_calls.body', 'webhooks.id', 'webhooks.url', 'webhooks.secret'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { body, ...webhook } = row;
  return { id: subject, body, webhook };
}

export interface Settled {
  outcome: 'delivered' | 'retry' | 'given-up';
  change: Change | undefined;
}

/**
 * Records what became of an attempt, all of it in one transaction. What fails is tried again for a
 * day, in the pushes' rhythm and not before the receiver asked for it.
 */
export function settleCall(
  { call, job }: { call: Call; job: Job },
  answer: Answer,
  db: Database,
  now: number,
): Promise<Settled> {
  return inTransaction(db, async (transaction) => {
    const recorded = await recordAnswer(call.webhook.id, answer, transaction, now);
    const change = recorded?.change;
    const asked = answer.is === 'answered' ? readRetryAfter(answer.retryAfter, now) : undefined;
    const dueAt = Math.max(now + backoff(job.attempts), asked ?? 0);
    const isGood = isSuccess(answer);
    const isOver = recorded === undefined || recorded.webhook.off_since !== null;
    if (!isGood && !isOver && dueAt <= job.createdAt + DAY) {
      await postponeJob(job, dueAt, transaction);
      return { outcome: 'retry', change };
    }
    await transaction.deleteFrom('webhook_calls').where('id', '=', call.id).execute();
    await finishJob(job, transaction);
    return { outcome: isGood ? 'delivered' : 'given-up', change };
  });
}
