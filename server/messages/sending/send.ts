/**
 * Sending a message to topics and people: stored together with its recipients and pushes, or with
 * the job that writes them; delivered behind the answer.
 */
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { MessageOptions, Priority } from '../../../src/shared/contract';
import { record } from '../../audit/record';
import { databaseFault } from '../../db/errors';
import { MESSAGE_JOB, addJob } from '../../db/jobs';
import type { Tables } from '../../db/schema';
import type { Transact } from '../../http/access/authority';
import { choosePolicy, planSteps } from '../../escalation/plan';
import type { KeptPolicy } from '../../escalation/plan';
import { HttpError } from '../../http/errors';
import { keyTaken } from '../../http/idempotency';
import { foldCase } from '../../lib/case-fold';
import { sha256 } from '../../lib/sha256';
import { countAudience, countPeople, requireAll } from '../../subscriptions/audience';
import type { AudienceIds } from '../../subscriptions/audience';
import { findTopic } from '../../topics/topics';
import { describeSent, targetOf } from '../audit';
import { tellOfSending } from '../message-event';
import { AT_ONCE, writeRecipients } from './ledger';
import { readTimes } from './times';
import { NOBODY, SCHEDULED, describePeople, describeSubscribers } from './answers';
import type { Reach } from './answers';

/** What the sender is told, the message's id, and whether it goes to any device. */
export interface Accepted {
  message: string;
  messageId: string;
  notified: boolean;
}

/** To the subscribers of one topic, or to an audience of topics and people. */
type To = { topicId: number } | { topicIds?: number[]; userIds?: number[] };

export interface Sending extends MessageOptions {
  to: To;
  message: string;
  /** Null where that person was deleted, and for what a machine sends. */
  senderId: number | null;
  /** With which key of a topic a machine sends it. */
  key?: { id: number; name: string };
  /** What was asked for, where times in it went by the clock: the same request would differ. */
  asked?: object;
  /** Repeating a request with the same key sends nothing twice. */
  idempotencyKey: string | undefined;
}

/**
 * Stores the message for all of its audience, or nothing. Up to 5,000 people it is done with the
 * answer; for more, and for one that leaves later, a job is left.
 * @throws HttpError 404 without the topic; 400 for times that cannot be, ids that do not exist
 * (topics, people, a policy), or an audience without anybody; 409 if the key was used for another message
 */
export async function send(sending: Sending, transact: Transact, now: number): Promise<Accepted> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact((transaction) => sendWithin(sending, transaction, now));
    } catch (error) {
      // A topic or a person was deleted since they were looked up: once more, without them.
      if (databaseFault(error) !== 'missing-reference' || attempt >= 5) throw error;
    }
  }
}

/**
 * The same, as a part of a transaction: where it fails because somebody was deleted since they were
 * looked up, all of that is to be done again.
 * @throws HttpError as `send`
 */
export async function sendWithin(
  sending: Sending,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Accepted> {
  // Before anything is looked up: what was sent was sent, even if its topic is deleted now.
  const before = await findRepeated(sending, transaction);
  if (before !== undefined) return before;
  const times = readTimes(sending, now);
  const audience = await findAudience(sending.to, transaction);
  const people = times.isLater ? 0 : await countPeople(audience, transaction);
  if (!('topicId' in sending.to) && people === 0 && !times.isLater)
    throw new HttpError(400, 'There is no one in the audience of this message.');
  const state = times.isLater ? 'scheduled' : people > AT_ONCE ? 'writing' : 'sent';
  const { priority = 'normal' } = sending;
  const policy = await choosePolicy(sending.policyId, audience.policyIds, transaction);
  const messageId = await insertMessage(
    sending,
    { audience, people, state, policy, ...times },
    transaction,
    now,
  );
  // Sent by the same request at this very moment: whoever came second has waited for it.
  if (messageId === undefined)
    return (await findRepeated(sending, transaction)) ?? Promise.reject(keyTaken('message'));
  if (state !== 'sent')
    await addJob({ kind: MESSAGE_JOB, subject: messageId }, transaction, now, times.sendAt);
  if (policy) await planSteps({ id: messageId, ...times }, policy, transaction, now);
  const reach =
    state === 'sent'
      ? await writeAll({ id: messageId, priority }, audience, transaction, now)
      : await estimate({ audience, priority, state }, transaction, now);
  const message = reach === undefined ? SCHEDULED : describe(sending.to, reach);
  await transaction
    .updateTable('messages')
    .set({ answer: message, ...(state === 'sent' && { people: reach?.people ?? 0 }) })
    .where('id', '=', messageId)
    .execute();
  if (state === 'sent') await tellOfSending(messageId, transaction, now);
  const target = targetOf(audience.titles[0] ?? '', audience);
  const detail = describeSent({ people: reach?.people, sendAt: times.sendAt, priority });
  await record({ action: 'message.send', ...target, detail }, transaction);
  return accepted(messageId, message);
}

async function writeAll(
  message: { id: string; priority: Priority },
  audience: AudienceIds,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Reach> {
  const reach = { people: 0, reached: 0, held: 0 };
  let cursor = { writtenTo: 0, nextKey: now };
  for (let isComplete = false; !isComplete; ) {
    const written = await writeRecipients(message, audience, cursor, transaction, now);
    reach.people += written.people;
    reach.reached += written.reached;
    reach.held += written.held;
    ({ isComplete } = written);
    cursor = written;
  }
  return reach;
}

/** @returns undefined for what leaves later: its audience is found then */
async function estimate(
  {
    audience: { topicIds, userIds },
    priority,
    state,
  }: { audience: AudienceIds; priority: Priority; state: 'scheduled' | 'writing' },
  transaction: Transaction<Tables>,
  now: number,
): Promise<Reach | undefined> {
  if (state === 'scheduled') return undefined;
  const asked = { topicIds: [...topicIds], userIds: [...userIds], priority };
  const { people, reachable, held } = await countAudience(asked, transaction, now);
  return { people, reached: reachable, held };
}

const describe = (to: To, reach: Reach): string =>
  'topicId' in to ? describeSubscribers(reach) : describePeople(reach);

interface Found extends AudienceIds {
  titles: string[];
  /** Those of the topics, in their order. */
  policyIds: (number | null)[];
}

/** @throws HttpError 404 for the one topic; 400 for others, and for people, that do not exist */
async function findAudience(to: To, transaction: Transaction<Tables>): Promise<Found> {
  if ('topicId' in to) {
    const topic = await findTopic(to.topicId, transaction);
    return {
      topicIds: [topic.id],
      userIds: [],
      titles: [topic.title],
      policyIds: [topic.policy_id],
    };
  }
  const topicIds = [...new Set(to.topicIds)];
  const userIds = [...new Set(to.userIds)];
  if (topicIds.length === 0 && userIds.length === 0)
    throw new HttpError(400, 'Choose topics or people for this message.');
  await requireAll('topics', topicIds, 'topicIds', transaction);
  await requireAll('users', userIds, 'userIds', transaction);
  const topics = await transaction
    .selectFrom('topics')
    .where('id', 'in', topicIds.length > 0 ? topicIds : [0])
    .select(['id', 'title', 'policy_id'])
    .execute();
  const byId = new Map(topics.map((topic) => [topic.id, topic]));
  return {
    topicIds,
    userIds,
    titles: topicIds.map((id) => byId.get(id)?.title ?? ''),
    policyIds: topicIds.map((id) => byId.get(id)?.policy_id ?? null),
  };
}

interface Plan {
  audience: Found;
  people: number;
  state: 'scheduled' | 'writing' | 'sent';
  policy: KeptPolicy | undefined;
  sendAt: number;
  expiresAt: number;
}

/** @returns undefined if this sender used the key before */
async function insertMessage(
  sending: Sending,
  { audience, people, state, policy, sendAt, expiresAt }: Plan,
  transaction: Transaction<Tables>,
  now: number,
): Promise<string | undefined> {
  const { message, title, link, priority = 'normal', answers = [] } = sending;
  const { titles, topicIds, userIds } = audience;
  const row = await transaction
    .insertInto('messages')
    .values({
      id: randomUUID(),
      topic_id: topicIds[0] ?? null,
      topic_title: titles[0] ?? '',
      sender_id: sending.senderId,
      key_id: sending.key?.id ?? null,
      key_name: sending.key?.name ?? null,
      title: title || null,
      text: message,
      link: link || null,
      priority,
      answers: JSON.stringify(answers),
      policy: policy === undefined ? null : JSON.stringify(policy),
      audience: JSON.stringify({ topicIds, userIds }),
      state,
      send_at: sendAt,
      next_key: sendAt,
      people,
      fingerprint: fingerprintOf(sending),
      search_key: foldCase([...titles, title ?? '', message].join('\n')),
      created_at: now,
      expires_at: expiresAt,
      idempotency_key: sending.idempotencyKey ?? null,
    })
    // The sender's, or the key's: the same request came before.
    .onConflict((taken) => taken.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row !== undefined && topicIds.length > 0)
    await transaction
      .insertInto('message_topics')
      .values(topicIds.map((topic_id, position) => ({ message_id: row.id, topic_id, position })))
      .execute();
  return row?.id;
}

/** All that was asked for, so that the same key with anything else is told apart. */
function fingerprintOf(sending: Sending): string {
  const { senderId: _, key: __, idempotencyKey: ___, ...asked } = sending;
  return sha256(JSON.stringify(asked.asked ?? asked));
}

/**
 * What was answered to this very request before. @throws HttpError 409 if the key was used for
 * another message
 */
async function findRepeated(
  sending: Sending,
  transaction: Transaction<Tables>,
): Promise<Accepted | undefined> {
  const { to, message, senderId, key, idempotencyKey } = sending;
  const [whose, id] =
    key === undefined ? ['sender_id' as const, senderId] : ['key_id' as const, key.id];
  if (idempotencyKey === undefined || id === null) return undefined;
  const before = await transaction
    .selectFrom('messages')
    .select(['id', 'topic_id', 'text', 'answer', 'fingerprint'])
    .where(whose, '=', id)
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirst();
  if (before === undefined) return undefined;
  const isSame =
    before.fingerprint !== ''
      ? before.fingerprint === fingerprintOf(sending)
      : // An earlier version knew one topic and the words. The topic is null once it was deleted.
        'topicId' in to &&
        (before.topic_id ?? to.topicId) === to.topicId &&
        before.text === message;
  if (!isSame) throw keyTaken('message');
  return accepted(before.id, before.answer);
}

/** The sentence is kept with the message, so that a repeated request is answered alike. */
const accepted = (messageId: string, message: string): Accepted => ({
  message,
  messageId,
  notified: !message.startsWith(NOBODY),
});
