/** A message's escalation steps: planned when it is sent, and repeated by hand. */
import { sql } from 'kysely';
import type { ExpressionBuilder, Transaction } from 'kysely';
import type { Escalation } from '../../src/shared/contract';
import { ESCALATION_JOB } from '../db/jobs/kinds';
import { addJob, dropJobs } from '../db/jobs/jobs';
import type { MessageRow, Tables } from '../db/schema';
import { addOutcomes } from '../db/step-outcomes';
import type { OutcomeCount } from '../db/step-outcomes';
import { requirePolicy } from './policies';

/** A message's copy of its policy; later changes do not affect it. */
export type MessagePolicy = NonNullable<Escalation['policy']>;

export const readPolicy = ({ policy }: Pick<MessageRow, 'policy'>): MessagePolicy | undefined =>
  policy === null ? undefined : (JSON.parse(policy) as MessagePolicy);

/**
 * The policy of a new message.
 * @param requestedPolicy null for none; undefined for its topics' policy
 * @param ofTopics its topics' policies, in the sender's order
 * @throws HttpError 400 if the named one does not exist
 */
export async function choosePolicy(
  requestedPolicy: number | null | undefined,
  ofTopics: readonly (number | null)[],
  transaction: Transaction<Tables>,
): Promise<MessagePolicy | undefined> {
  const id =
    requestedPolicy === undefined
      ? ofTopics.find((policyId) => policyId !== null)
      : requestedPolicy;
  return id === undefined || id === null ? undefined : requirePolicy(id, transaction);
}

/** Writes a message's steps, all before it expires, and the first one's job. */
export async function planSteps(
  message: { id: string; sendAt: number; expiresAt: number },
  policy: MessagePolicy,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const urls = policy.steps.flatMap(({ url }) => url ?? []);
  const webhooks = new Map<string, number>();
  if (urls.length > 0)
    for (const { id, url } of await transaction
      .selectFrom('webhooks')
      .select(['id', 'url'])
      .where('url', 'in', urls)
      .execute())
      webhooks.set(url, id);
  const rows = policy.steps
    .map(({ after, action, topicId, url }, position) => ({
      message_id: message.id,
      position,
      action,
      topic_id: topicId ?? null,
      webhook_id: webhooks.get(url ?? '') ?? null,
      due_at: message.sendAt + after * 1000,
    }))
    .filter(({ due_at }) => due_at < message.expiresAt);
  const [firstRow] = rows;
  if (firstRow === undefined) return;
  await transaction.insertInto('escalation_steps').values(rows).execute();
  await addJob({ kind: ESCALATION_JOB, subject: message.id }, transaction, now, firstRow.due_at);
}

/** Delays all steps of a message that was sent late; none is done yet. */
export async function delaySteps(
  messageId: string,
  milliseconds: number,
  transaction: Transaction<Tables>,
): Promise<void> {
  const laterDue = sql<number>`due_at + ${milliseconds}`;
  await transaction
    .updateTable('escalation_steps')
    .set({ due_at: laterDue })
    .where('message_id', '=', messageId)
    .execute();
  await transaction
    .updateTable('jobs')
    .set({ due_at: laterDue })
    .where('kind', '=', ESCALATION_JOB)
    .where('subject', '=', messageId)
    .execute();
}

/** The steps that are not done yet count from now: people were just asked again. */
export async function restartEscalation(
  message: MessageRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  const policy = readPolicy(message);
  const isWithdrawn = message.stopped === 'cancelled' || message.stopped === 'resolved';
  if (policy === undefined || isWithdrawn) return;
  await transaction
    .updateTable('messages')
    .set({ stopped: null, stopped_at: null, stopped_by: null })
    .where('id', '=', message.id)
    .execute();
  const openSteps = transaction
    .selectFrom('escalation_steps')
    .where('message_id', '=', message.id)
    .where('done_at', 'is', null);
  let firstDue: number | undefined;
  for (const { position } of await openSteps.select('position').orderBy('position').execute()) {
    const due_at = now + (policy.steps[position]?.after ?? 0) * 1000;
    firstDue ??= due_at;
    const step = { message_id: message.id, position };
    const condition = (eb: ExpressionBuilder<Tables, 'escalation_steps'>) => eb.and(step);
    // A step whose turn never comes is not planned.
    await (due_at < message.expires_at
      ? transaction.updateTable('escalation_steps').set({ due_at, written_to: 0 }).where(condition)
      : transaction.deleteFrom('escalation_steps').where(condition)
    ).execute();
  }
  await dropJobs([ESCALATION_JOB], message.id, transaction);
  if (firstDue !== undefined && firstDue < message.expires_at)
    await addJob({ kind: ESCALATION_JOB, subject: message.id }, transaction, now, firstDue);
}

/** Records a notification by hand with the round of its pushes. Call it with the message's row locked. */
export async function recordNotifyAgain(
  messageId: string,
  { people, round, outcomes }: { people: number; round: number; outcomes: readonly OutcomeCount[] },
  userId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  await sql`insert into escalation_steps (message_id, position, action, due_at, done_at, people, user_id, round)
    select cast(${messageId} as text), coalesce(max(position), -1) + 1, 'repeat', cast(${now} as bigint), cast(${now} as bigint),
      cast(${people} as integer), cast(${userId} as bigint), cast(${round} as integer)
    from escalation_steps where message_id = ${messageId}`.execute(transaction);
  const ofRound = outcomes.map((outcome) => ({ ...outcome, messageId, round }));
  await addOutcomes(ofRound, transaction);
}
