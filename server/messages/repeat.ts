/** Ringing again: the same message, at those who have not acknowledged it. */
import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { RecipientState } from '../../src/shared/contract';
import { record } from '../audit/record';
import { REPEAT_JOB } from '../db/jobs/kinds';
import { addJob } from '../db/jobs/jobs';
import type { MessageRow, Tables } from '../db/schema';
import { addOutcomes } from '../db/step-outcomes';
import type { OutcomeCount } from '../db/step-outcomes';
import { recordRepeat } from '../escalation/plan';
import { conflict } from '../http/errors';
import { EVERYBODY } from '../subscriptions/audience';
import { inNumber } from '../lib/in-number';
import { targetOfRow } from './audit';
import { findMessage } from './find';
import { nextRange, recipientRanges } from './recipient-ranges';
import { isSilent, RESTING, ringAt } from './ring';
import type { Rung } from './ring';
import { AT_ONCE, CHUNK } from './sending/ledger';

/** Only these of those who have not answered; both may be left out. */
interface Whom {
  /** Ids of others count for nobody. */
  userIds?: readonly number[] | undefined;
  states?: readonly RecipientState[] | undefined;
}

/**
 * Rings again at those who have not acknowledged it, or not read it where nothing was asked. Nobody
 * is rung at who switched it off, has no device, or for whom a push is still on its way; at nobody in their
 * quiet hours where it is `info`.
 * @param senderId who asks for it, as the message's timeline will say
 * @returns at how many people
 * @throws HttpError 404; 409 if it has not left, was cancelled, is resolved or has ended
 */
export async function repeat(
  id: string,
  { userIds, states }: Whom,
  senderId: number,
  transaction: Transaction<Tables>,
  now: number,
): Promise<{ messageId: string; people: number }> {
  const message = await findMessage(id, transaction);
  if (message.resolved_at !== null) throw conflict('This message is resolved.');
  if (message.state === 'cancelled') throw conflict('This message was cancelled.');
  if (message.state !== 'sent') throw conflict('This message is still to be sent.');
  if (message.expires_at <= now) throw conflict('This message has ended.');
  const { people, outcomes } = await (userIds
    ? ringAtSome(message, { userIds, states }, transaction, now)
    : ringAtAll(message, states, transaction, now));
  if (people > 0) {
    const asked = { people, outcomes, round: message.rounds + 1 };
    await recordRepeat(id, asked, senderId, transaction, now);
    const detail = inNumber(people, 'person', 'people');
    await record({ action: 'message.repeat', ...targetOfRow(message), detail }, transaction);
  }
  return { messageId: id, people };
}

type ByHand = Pick<Rung, 'people' | 'outcomes'>;

/** Above 5,000 it is left to a job, which counts. @returns at how many people, as far as that is known */
async function ringAtAll(
  message: MessageRow,
  states: Whom['states'],
  transaction: Transaction<Tables>,
  now: number,
): Promise<ByHand> {
  const { id } = message;
  const outcomes: OutcomeCount[] = [];
  const { silent, reachable } = await countSilent(message, states, transaction);
  if (silent === 0) return { people: 0, outcomes };
  const repeat_states = chooseStates(message, states);
  const round = {
    ...{ ...message, repeat_states },
    ...{ rounds: message.rounds + 1, next_key: now, written_to: 0 },
  };
  const { rounds, next_key, written_to } = round;
  if (silent > AT_ONCE) {
    await transaction
      .updateTable('messages')
      .set({ rounds, next_key, written_to, repeat_states })
      .where('id', '=', id)
      .execute();
    await addJob({ kind: REPEAT_JOB, subject: id }, transaction, now);
    return { people: reachable, outcomes };
  }
  let people = 0;
  for (let cursor: MessageRow = round; ; ) {
    const rung = await ring(cursor, transaction, now);
    people += rung.people;
    outcomes.push(...rung.outcomes);
    cursor = { ...cursor, next_key: rung.nextKey, written_to: rung.writtenTo };
    if (rung.writtenTo === RESTING) break;
  }
  if (people > 0)
    await transaction.updateTable('messages').set({ rounds }).where('id', '=', id).execute();
  return { people, outcomes };
}

/** As the message keeps them. A job that is under way for others begins anew for all. */
function chooseStates(
  { rounds, written_to, repeat_states }: MessageRow,
  states: Whom['states'],
): string | null {
  const chosen = states?.join() ?? null;
  const isUnderWay = rounds > 0 && written_to !== RESTING;
  return isUnderWay && repeat_states !== chosen ? null : chosen;
}

/** Leaves `written_to` alone: a job that rings at all may be under way. */
async function ringAtSome(
  message: MessageRow,
  { userIds, states }: Whom & { userIds: readonly number[] },
  transaction: Transaction<Tables>,
  now: number,
): Promise<ByHand> {
  let rung = { people: 0, nextKey: now };
  let people = 0;
  const outcomes: OutcomeCount[] = [];
  const rounds = message.rounds + 1;
  for (let from = 0; from < userIds.length; from += CHUNK) {
    const range = { ...EVERYBODY, only: userIds.slice(from, from + CHUNK) };
    const next = { ...message, rounds, next_key: rung.nextKey };
    const part = await ringAt(next, range, transaction, now, states);
    rung = part;
    people += part.people;
    outcomes.push(...part.outcomes);
  }
  if (people > 0)
    await transaction
      .updateTable('messages')
      .set({ rounds })
      .where('id', '=', message.id)
      .execute();
  return { people, outcomes };
}

/** A step of the job. @returns whether nothing is left to ring at */
export async function ringSome(
  message: MessageRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<boolean> {
  // Ended meanwhile, or another process was quicker.
  if (message.expires_at <= now || message.written_to === RESTING) return true;
  const { writtenTo, outcomes } = await ring(message, transaction, now);
  const { id: messageId, rounds: round } = message;
  await addOutcomes(
    outcomes.map((outcome) => ({ ...outcome, messageId, round })),
    transaction,
  );
  return writtenTo === RESTING;
}

/** Goes through the next recipients, and notes how far it came. */
async function ring(
  message: MessageRow,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Rung & { writtenTo: number }> {
  const range = await nextRange(message.id, message.written_to, CHUNK, transaction);
  // Written by this version, from states that it knows.
  const states = message.repeat_states?.split(',') as RecipientState[] | undefined;
  const rung = await ringAt(message, range, transaction, now, states);
  const writtenTo = range.upTo === EVERYBODY.upTo ? RESTING : range.upTo;
  await transaction
    .updateTable('messages')
    .set({ written_to: writtenTo, next_key: rung.nextKey })
    .where('id', '=', message.id)
    .execute();
  return { ...rung, writtenTo };
}

/** `reachable` is by what was so when it was sent: who has a device now is asked when it rings. */
async function countSilent(
  message: MessageRow,
  states: Whom['states'],
  transaction: Transaction<Tables>,
): Promise<{ silent: number; reachable: number }> {
  const all = { silent: 0, reachable: 0 };
  for await (const { after, upTo } of recipientRanges(message.id, transaction)) {
    const { silent, reachable } = await transaction
      .selectFrom('recipients')
      .where('message_id', '=', message.id)
      .where('user_id', '>', after)
      .where('user_id', '<=', upTo)
      .where(isSilent(message, states))
      .select(({ fn }) => [
        fn.countAll<number>().as('silent'),
        sql<number>`coalesce(sum(case when devices > 0 then 1 else 0 end), 0)`.as('reachable'),
      ])
      .executeTakeFirstOrThrow();
    all.silent += silent;
    all.reachable += Number(reachable);
  }
  return all;
}
