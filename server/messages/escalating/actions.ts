/** What a step does for those who have not answered: a thousand recipients in a transaction. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { MESSAGE_MAIL_JOB } from '../../db/jobs/kinds';
import type { EscalationStepRow, MessageRow, Tables } from '../../db/schema';
import { addCall, inCalls } from '../../db/webhook-calls';
import { type Answered, answeredColumn } from '../../escalation/answered';
import { EVERYBODY } from '../../subscriptions/audience';
import type { Range } from '../../subscriptions/audience';
import { describeEvent } from '../message-event';
import { nextRange } from '../recipient-ranges';
import { RESTING, ringAt } from '../ring';
import { CHUNK } from '../sending/ledger';
import { notifyTopic } from './notify';

export interface Done {
  /** How many people it concerned. */
  people: number;
  /** Up to which user's id it is done; undefined if that is everybody. */
  writtenTo: number | undefined;
}

const NOBODY: Done = { people: 0, writtenTo: undefined };

/** Does a step, or the next part of it. The message's row is held, so nobody answers meanwhile. */
export async function act(
  message: MessageRow,
  step: EscalationStepRow,
  answered: Answered,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Done> {
  if (answered.open === 0) return NOBODY;
  if (step.action === 'notify') {
    const people = await notifyTopic(message, step.topic_id, answered, transaction, now);
    return { people, writtenTo: undefined };
  }
  const range = await findRange(message, step, answered, transaction);
  const people = await actions[step.action](message, { step, range, answered }, transaction, now);
  return { people, writtenTo: range.upTo === EVERYBODY.upTo ? undefined : range.upTo };
}

async function findRange(
  { id }: MessageRow,
  { written_to: after }: EscalationStepRow,
  { answered, open }: Answered,
  transaction: Transaction<Tables>,
): Promise<Range> {
  if (after === 0 && answered + open <= CHUNK) return EVERYBODY;
  return nextRange(id, after, CHUNK, transaction);
}

interface Part {
  step: EscalationStepRow;
  range: Range;
  answered: Answered;
}
type Action = (
  message: MessageRow,
  part: Part,
  transaction: Transaction<Tables>,
  now: number,
) => Promise<number>;

const actions: Record<'repeat' | 'mail' | 'webhook', Action> = {
  async repeat(message, { step, range }, transaction, now) {
    const isFirst = step.written_to === 0;
    const rounds = message.rounds + (isFirst ? 1 : 0);
    const next_key = isFirst ? now : message.next_key;
    // Somebody may ring at all by hand meanwhile; not before it rang for the first time.
    const written_to = message.rounds === 0 ? RESTING : message.written_to;
    const rung = await ringAt({ ...message, rounds, next_key }, range, transaction, now);
    await transaction
      .updateTable('messages')
      .set({ rounds, next_key: rung.nextKey, written_to })
      .where('id', '=', message.id)
      .execute();
    return rung.people;
  },

  /** Asks for a mail to each who has an address; it is written and sent by `accounts/mail/`. */
  async mail(message, { range }, transaction, now) {
    const at = sql`cast(${now} as bigint)`;
    const { numAffectedRows } = await sql`
      insert into jobs (kind, subject, created_at, due_at)
      select ${sql.lit(MESSAGE_MAIL_JOB)}, users.id || ' ' || recipients.message_id, ${at}, ${at}
      from recipients inner join users on users.id = recipients.user_id
      where recipients.message_id = ${message.id} and recipients.user_id > ${range.after} and recipients.user_id <= ${range.upTo}
        and ${sql.ref(answeredColumn(message))} is null and users.email is not null and users.status = 'ACTIVE'
      order by users.id
      on conflict (kind, subject) do update set created_at = excluded.created_at, due_at = excluded.due_at,
        attempts = 0, generation = jobs.generation + 1`.execute(transaction);
    return Number(numAffectedRows ?? 0);
  },

  async webhook(message, { step, range, answered }, transaction, now) {
    const event = await describeEvent(message.id, transaction);
    if (step.webhook_id === null || event === undefined) return 0;
    const open = await transaction
      .selectFrom('recipients')
      .innerJoin('users', 'users.id', 'recipients.user_id')
      .where('recipients.message_id', '=', message.id)
      .where('recipients.user_id', '>', range.after)
      .where('recipients.user_id', '<=', range.upTo)
      .where(answeredColumn(message), 'is', null)
      .orderBy('users.id')
      .select(['users.id', 'users.username'])
      .execute();
    let people = 0;
    for (const waitingFor of inCalls(open)) {
      const data = { message: event, people: answered.open, waitingFor };
      const call = { type: 'message.escalated', data } as const;
      if (await addCall(step.webhook_id, call, transaction, now)) people += waitingFor.length;
    }
    return people;
  },
};
