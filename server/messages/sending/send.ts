/**
 * Sending a message to topics and people: stored together with its recipients and pushes, or with
 * the job that writes them; delivered behind the answer.
 */
import type { Transaction } from 'kysely';
import type { Priority } from '../../../src/shared/contract';
import { record } from '../../audit/record';
import { databaseFault } from '../../db/errors';
import { MESSAGE_JOB } from '../../db/jobs/kinds';
import { addJob } from '../../db/jobs/jobs';
import type { Tables } from '../../db/schema';
import type { Transact } from '../../http/access/authority';
import { choosePolicy, planSteps } from '../../escalation/plan';
import { HttpError } from '../../http/errors';
import { keyTaken } from '../../http/idempotency';
import { requireAll } from '../../subscriptions/audience';
import type { AudienceIds } from '../../subscriptions/audience';
import { countAudience, countPeople } from '../../subscriptions/audience-size';
import { findTopic } from '../../topics/topics';
import { describeSent, targetOf } from '../audit';
import { tellOfSending } from '../message-event';
import { AT_ONCE, writeRecipients } from './ledger';
import { accepted, findRepeated, insertMessage } from './store';
import type { FoundAudience } from './store';
import { readTimes } from './times';
import {
  SCHEDULED,
  describeHeldBack,
  describeMany,
  describePeople,
  describeSubscribers,
} from './answers';
import type { SendReach } from './answers';
import type { Accepted, SendRequest, To } from './send-request';

/** Of a larger audience the sender is told how many it is, not how many of them are reached. */
const MAX_ESTIMATED = 10_000;

/**
 * Stores the message for all of its audience, or nothing. Up to 5,000 people it is done with the
 * answer; for more, and for one that leaves later, a job is left.
 * @throws HttpError 404 without the topic; 400 for times that cannot be, ids that do not exist
 * (topics, people, a policy), or an audience without anybody; 409 if the key was used for another message
 */
export async function sendMessage(
  sending: SendRequest,
  transact: Transact,
  now: number,
): Promise<Accepted> {
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
  sending: SendRequest,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Accepted> {
  // Before anything is looked up: what was sent was sent, even if its topic is deleted now.
  const before = await findRepeated(sending, transaction);
  if (before !== undefined) return before;
  const times = readTimes(sending, now);
  const audience = await findAudience(sending.to, transaction);
  const isPlanned = times.isLater && !times.isHeldBack;
  const people = isPlanned ? 0 : await countPeople(audience, transaction);
  const peopleNow = times.isLater ? 0 : people;
  if (!('topicId' in sending.to) && people === 0 && !isPlanned)
    throw new HttpError(400, 'There is no one in the audience of this message.');
  const state = times.isLater ? 'scheduled' : people > AT_ONCE ? 'writing' : 'sent';
  const { priority = 'normal' } = sending;
  const policy = await choosePolicy(sending.policyId, audience.policyIds, transaction);
  const messageId = await insertMessage(
    sending,
    { audience, people: peopleNow, state, policy, ...times },
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
      : await estimate({ audience, priority, people: peopleNow }, transaction, now);
  const message = times.isHeldBack
    ? describeHeldBack(sending.undoSeconds ?? 0)
    : times.isLater
      ? SCHEDULED
      : describe(sending, people, reach);
  await transaction
    .updateTable('messages')
    .set({ answer: message, ...(state === 'sent' && { people: reach?.people ?? 0 }) })
    .where('id', '=', messageId)
    .execute();
  if (state === 'sent') await tellOfSending(messageId, transaction, now);
  const target = targetOf(audience.titles[0] ?? '', audience);
  const detail = describeSent({
    people: isPlanned ? undefined : (reach?.people ?? people),
    sendAt: times.sendAt,
    priority,
  });
  await record({ action: 'message.send', ...target, detail }, transaction);
  return accepted(messageId, message);
}

async function writeAll(
  message: { id: string; priority: Priority },
  audience: AudienceIds,
  transaction: Transaction<Tables>,
  now: number,
): Promise<SendReach> {
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

/**
 * @returns undefined for what leaves later, as its audience is found then; and for so many that all
 * others would wait while each of their devices is looked at
 */
async function estimate(
  {
    audience: { topicIds, userIds },
    priority,
    people,
  }: { audience: AudienceIds; priority: Priority; people: number },
  transaction: Transaction<Tables>,
  now: number,
): Promise<SendReach | undefined> {
  if (people === 0 || people > MAX_ESTIMATED) return undefined;
  const asked = { topicIds: [...topicIds], userIds: [...userIds], priority };
  const { reachable, held } = await countAudience(asked, transaction, now);
  return { people, reached: reachable, held };
}

function describe(
  { to, priority }: SendRequest,
  people: number,
  reach: SendReach | undefined,
): string {
  const isTopic = 'topicId' in to;
  if (reach === undefined) return describeMany(people, isTopic, priority === 'info');
  return isTopic ? describeSubscribers(reach) : describePeople(reach);
}

/** @throws HttpError 404 for the one topic; 400 for others, and for people, that do not exist */
async function findAudience(to: To, transaction: Transaction<Tables>): Promise<FoundAudience> {
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
