/**
 * Runs `repeat` steps of many messages in one transaction: after a storm, thousands are due in the
 * same minute. `step.ts` runs the other actions.
 */
import { firstOrderKey } from '../../db/outbox/queue-order';
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Job } from '../../db/jobs/jobs';
import { isOnPostgres } from '../../db/lock';
import { jsonTableOfList } from '../../db/json-table';
import type { EscalationStepRow, MessageRow, Tables } from '../../db/schema';
import { addOutcomes } from '../../db/step-outcomes';
import { isCallForHelp, listHelpAnswers, toAnswerCounts } from '../../escalation/count-answered';
import { readPolicy } from '../../escalation/plan-steps';
import { findStopReason } from '../../escalation/stop-escalation';
import type { Services } from '../../services';
import { FULL_RANGE } from '../../subscriptions/audience';
import { lockMessages } from '../lock-message';
import { NO_ROUND, notifyAgain } from '../notify-again';
import type { NotifiedAgain } from '../notify-again';
import { LEDGER_CHUNK_SIZE } from '../sending/ledger';
import { nextStepDueAt, findStep } from './step';
import { addStepEvents } from './step-events';

interface DueStep {
  job: Job;
  message: MessageRow;
  step: EscalationStepRow;
  next: EscalationStepRow | undefined;
}

const NO_ANSWERS = { answered: 0, open: 0, callsForHelp: 0 };
type OpenStep = DueStep & { open: number };

/**
 * Runs due `repeat` steps.
 * @returns for each job that it ran, when the job continues
 */
export async function notifyManyAgain(
  jobs: readonly Job[],
  transaction: Transaction<Tables>,
  services: Services,
): Promise<ReadonlyMap<Job, number | undefined>> {
  const ids = jobs.map(({ subject }) => subject);
  const messages = await lockMessages(ids, transaction);
  const now = services.now();
  const steps = await readSteps(ids, transaction);
  const nextDueAt = new Map<Job, number | undefined>();
  const dueSteps: DueStep[] = [];
  // The people of one part of a large message: more would let other writers wait longer.
  let freePlaces = LEDGER_CHUNK_SIZE;
  for (const job of jobs) {
    const message = messages.get(job.subject);
    const dueStep = findStep(message, steps.get(job.subject) ?? [], now);
    if (!('step' in dueStep)) nextDueAt.set(job, dueStep.dueAt);
    else if (message && mayRunTogether(message, dueStep.step) && message.people <= freePlaces) {
      freePlaces -= message.people;
      dueSteps.push({ job, message, ...dueStep });
    }
  }
  const doneSteps: (readonly [OpenStep, NotifiedAgain])[] = [];
  for (const openStep of await findOpen(dueSteps, transaction)) {
    const { job, message, step, next } = openStep;
    const round = { ...message, rounds: message.rounds + 1, next_key: firstOrderKey(message, now) };
    doneSteps.push([openStep, await notifyAgain(round, FULL_RANGE, transaction, now)]);
    nextDueAt.set(job, nextStepDueAt(message, step, next, now));
  }
  await recordDone(doneSteps, transaction, now);
  await addStepEvents(
    doneSteps.map(([{ message, step, open }]) => ({ message, step, open })),
    transaction,
    now,
  );
  await addOutcomes(
    doneSteps.flatMap(([{ message, step }, { outcomes }]) =>
      outcomes.map((outcome) => ({ ...outcome, messageId: message.id, position: step.position })),
    ),
    transaction,
  );
  return nextDueAt;
}

/** Answers to a step's message to another topic, which count for a quorum, are counted one by one. */
function mayRunTogether(message: MessageRow, { action }: EscalationStepRow): boolean {
  if (action !== 'repeat') return false;
  const policy = readPolicy(message);
  return !policy?.quorum || policy.steps.every((step) => step.action !== 'notify');
}

/** Selects the first two steps of each message that are not done. */
async function readSteps(
  ids: readonly string[],
  transaction: Transaction<Tables>,
): Promise<Map<string, EscalationStepRow[]>> {
  const rows = await transaction
    .selectFrom('escalation_steps')
    .selectAll()
    .where('message_id', 'in', ids)
    .where('done_at', 'is', null)
    .orderBy('message_id')
    .orderBy('position')
    .execute();
  const steps = new Map<string, EscalationStepRow[]>();
  for (const row of rows) steps.set(row.message_id, [...(steps.get(row.message_id) ?? []), row]);
  return steps;
}

/** Messages without enough answers. Locks rows in the ledger's order, over all messages. */
async function findOpen(
  dueSteps: readonly DueStep[],
  transaction: Transaction<Tables>,
): Promise<OpenStep[]> {
  if (dueSteps.length === 0) return [];
  const messageTable = sql`(select value->>0 as id, cast(value->>1 as integer) as is_read,
    value->>2 as help_answers from ${jsonTableOfList(
      dueSteps.map(({ message }) => [
        message.id,
        message.answers === '[]' ? 1 : 0,
        listHelpAnswers(message),
      ]),
    )}) as asked`;
  const answeredAt = sql`case when asked.is_read = 1 then recipients.read_at else recipients.acknowledged_at end`;
  if (isOnPostgres(transaction))
    await sql`select 1 from ${messageTable} inner join recipients on recipients.message_id = asked.id
      where ${answeredAt} is null order by recipients.user_id, recipients.seq for no key update of recipients`.execute(
      transaction,
    );
  const { rows } = await sql<{
    id: string;
    people: number;
    answered: number;
    callsForHelp: number;
  }>`
    select asked.id, count(*) as people, count(${answeredAt}) as answered,
      count(case when ${isCallForHelp(sql`asked.help_answers`)} then 1 end) as "callsForHelp"
    from ${messageTable} inner join recipients on recipients.message_id = asked.id inner join users on users.id = recipients.user_id
    group by asked.id`.execute(transaction);
  const counts = new Map(rows.map(({ id, ...counted }) => [id, toAnswerCounts(counted)]));
  return dueSteps.flatMap((dueStep) => {
    const count = counts.get(dueStep.message.id) ?? NO_ANSWERS;
    const isAnsweredEnough =
      count.open === 0 || findStopReason(readPolicy(dueStep.message)?.quorum ?? null, count);
    return isAnsweredEnough ? [] : { ...dueStep, open: count.open };
  });
}

async function recordDone(
  doneSteps: readonly (readonly [DueStep, NotifiedAgain])[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  if (doneSteps.length === 0) return;
  const stepRows = sql`(select value->>0 as id, cast(value->>1 as integer) as position,
    cast(value->>2 as integer) as people, cast(value->>3 as bigint) as next_key, cast(value->>4 as integer) as round from ${jsonTableOfList(
      doneSteps.map(([{ message, step }, { people, nextKey }]) => [
        message.id,
        step.position,
        people,
        nextKey,
        message.rounds + 1,
      ]),
    )}) as given`;
  await sql`update messages set next_key = given.next_key,
            written_to = case when rounds = 0 then ${sql.lit(NO_ROUND)} else written_to end, rounds = rounds + 1
    from ${stepRows} where messages.id = given.id`.execute(transaction);
  await sql`update escalation_steps set done_at = ${now}, people = given.people, round = given.round
    from ${stepRows} where message_id = given.id and escalation_steps.position = given.position`.execute(
    transaction,
  );
}
