/** A queue of jobs for any number of processes. The claim of a dead process expires, and counts. */
import { sql } from 'kysely';
import { type ClaimOfRows, claimRows, isUnclaimed } from '../claim-rows';
import type { JobRow } from '../schema';
import { isOnPostgres } from '../lock';
import type { Database } from '../open';
import { jsonTableOfList } from '../json-table';

export interface Job {
  id: number;
  kind: string;
  /** The id of the job's subject; its kind defines the format. */
  subject: string;
  /** Each new request of the job raises this number. */
  generation: number;
  /** The number of attempts, including this one. */
  attempts: number;
  /** When the job was last requested. Milliseconds since 1970, like all times here. */
  createdAt: number;
  dueAt: number;
  claimedUntil: number;
}

/** Adds a job, due at once by default. An existing one is requested again with no attempts made. */
export async function addJob(
  { kind, subject }: { kind: string; subject: string },
  db: Database,
  now: number,
  dueAt = now,
): Promise<void> {
  await addJobs(kind, [{ subject, dueAt }], db, now);
}

/** Adds jobs about many subjects, in the given order, as `addJob` does. */
export async function addJobs(
  kind: string,
  jobs: readonly { subject: string; dueAt: number }[],
  db: Database,
  now: number,
): Promise<void> {
  if (jobs.length === 0) return;
  const jobRows = jsonTableOfList(jobs.map(({ subject, dueAt }) => [subject, dueAt]));
  await sql`insert into jobs (kind, subject, created_at, due_at)
    select cast(${kind} as text), value->>0, cast(${now} as bigint), cast(value->>1 as bigint)
    from ${jobRows} where true order by cast(key as bigint)
    on conflict (kind, subject) do update set created_at = excluded.created_at, due_at = excluded.due_at,
      attempts = 0, generation = jobs.generation + 1`.execute(db);
}

export async function claimJobs(
  db: Database,
  { kinds, ...claim }: ClaimOfRows & { kinds: readonly string[] },
): Promise<Job[]> {
  const rows = await claimRows<JobRow>('jobs', sql`kind in (${sql.join(kinds)})`, claim, db);
  return rows.map(({ created_at, due_at, claimed_until, ...job }) => ({
    ...job,
    createdAt: created_at,
    dueAt: due_at,
    claimedUntil: claimed_until ?? 0,
  }));
}

/**
 * Removes a finished job. If it was requested again since it was claimed, it is released instead.
 * @returns whether this call removed it
 */
export async function finishJob(
  { id, generation, claimedUntil }: Job,
  db: Database,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where('id', '=', id)
    .where('generation', '=', generation)
    .executeTakeFirst();
  if (numDeletedRows > 0n) return true;
  await db
    .updateTable('jobs')
    .set({ claimed_until: null })
    .where('id', '=', id)
    .where('claimed_until', '=', claimedUntil)
    .execute();
  return false;
}

/** Postpones a job to `dueAt`. One requested again since the claim stays due. */
export async function postponeJob(
  { id, generation, claimedUntil }: Job,
  dueAt: number,
  db: Database,
): Promise<void> {
  await db
    .updateTable('jobs')
    .set(({ eb, ref }) => ({
      claimed_until: null,
      due_at: eb.case().when('generation', '=', generation).then(dueAt).else(ref('due_at')).end(),
    }))
    .where('id', '=', id)
    .where('claimed_until', '=', claimedUntil)
    .execute();
}

/**
 * Finishes each job, or postpones it to the given time with no attempts made. One requested again
 * since the claim stays due. PostgreSQL locks the rows in the order of the map.
 */
export async function finishOrPostponeJobs(
  outcomes: ReadonlyMap<Job, number | undefined>,
  db: Database,
): Promise<void> {
  if (outcomes.size === 0) return;
  const jobRows = sql`(select cast(key as bigint) as place, cast(value->>0 as bigint) as id, cast(value->>1 as integer) as generation,
    cast(value->>2 as bigint) as claimed_until, cast(value->>3 as bigint) as due_at from ${jsonTableOfList(
      [...outcomes].map(([{ id, generation, claimedUntil }, dueAt]) => [
        id,
        generation,
        claimedUntil,
        dueAt ?? null,
      ]),
    )}) as given`;
  if (isOnPostgres(db))
    await sql`select jobs.id from ${jobRows} inner join jobs on jobs.id = given.id order by given.place for update of jobs`.execute(
      db,
    );
  await sql`delete from jobs where (id, generation) in
    (select id, generation from ${jobRows} where due_at is null)`.execute(db);
  await sql`update jobs set claimed_until = null, attempts = 0,
      due_at = case when jobs.generation = given.generation and given.due_at is not null then given.due_at else jobs.due_at end
    from ${jobRows} where jobs.id = given.id and jobs.claimed_until = given.claimed_until`.execute(
    db,
  );
}

/** The number of jobs, and the due time of the oldest unclaimed one. */
export async function readJobs(
  kinds: readonly string[],
  db: Database,
): Promise<{ pending: number; oldestDueAt: number | undefined }> {
  // One query per kind, because SQLite would read all jobs for several.
  const kindJobs = kinds.map(
    (
      kind,
    ) => sql`select count(*) as pending, min(case when claimed_until is null then due_at end) as oldest
      from jobs where kind = ${kind}`,
  );
  const { rows } = await sql<{ pending: number; oldest: number | null }>`
    select sum(pending) as pending, min(oldest) as oldest from (${sql.join(kindJobs, sql` union all `)}) as kinds`.execute(
    db,
  );
  return { pending: Number(rows[0]?.pending ?? 0), oldestDueAt: rows[0]?.oldest ?? undefined };
}

/** Removes the jobs about a subject. A running job continues. */
export async function dropJobs(
  kinds: readonly string[],
  subject: string,
  db: Database,
): Promise<void> {
  await db.deleteFrom('jobs').where('kind', 'in', kinds).where('subject', '=', subject).execute();
}

/** When the next job can be claimed. Reads only the index, however many are due later. */
export async function nextJobDueAt(
  kinds: readonly string[],
  db: Database,
  now: number,
): Promise<number | undefined> {
  const firstJobQueries = kinds.flatMap((kind) => [
    sql`select (select due_at from jobs where kind = ${kind} and ${isUnclaimed(now)} order by due_at limit 1) as at`,
    sql`select (select min(case when claimed_until < due_at then due_at else claimed_until end)
      from jobs where kind = ${kind} and due_at <= ${now} and not ${isUnclaimed(now)}) as at`,
  ]);
  const { rows } = await sql<{
    next: number | null;
  }>`select min(at) as next from (${sql.join(firstJobQueries, sql` union all `)}) as firsts`.execute(
    db,
  );
  return rows[0]?.next ?? undefined;
}
