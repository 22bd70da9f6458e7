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
import { findRepeated, insertMessage } from './store';
import type { FoundAudience, SendPlan } from './store';
import { readTimes } from './times';
import type { SendTimes } from './times';
import {
  SCHEDULED,
  describeHeldBack,
  describeMany,
  describePeople,
  describeSubscribers,
} from './answers';
import type { SendReach } from './answers';
import type { Accepted, SendRequest, SentAnswer, To } from './send-request';

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
 * @throws HttpError as `sendMessage`
 */
export async function sendWithin(
  request: SendRequest,
  transaction: Transaction<Tables>,
  now: number,
): Promise<Accepted> {
  // Before anything is looked up: what was sent was sent, even if its topic is deleted now.
  const before = await findRepeated(request, transaction);
  if (before !== undefined) return before;
  const plan = await planSending(request, transaction, now);
  const messageId = await insertMessage(request, plan, transaction, now);
  // Sent by the same request at this very moment: whoever came second has waited for it.
  if (messageId === undefined)
    return (await findRepeated(request, transaction)) ?? Promise.reject(keyTaken('message'));
  await leaveJobs(messageId, plan, transaction, now);
  const { priority = 'normal' } = request;
  const reach =
    plan.state === 'sent'
      ? await writeAll({ id: messageId, priority }, plan.audience, transaction, now)
      : await estimate(plan, priority, transaction, now);
  const answer = describeSending(request, plan, reach);
  await keepAnswer(messageId, answer, plan.state === 'sent' ? reach : undefined, transaction);
  if (plan.state === 'sent') await tellOfSending(messageId, transaction, now);
  await recordSending(plan, priority, reach, transaction);
  return { messageId, ...answer };
}

const isPlanned = ({ isLater, isHeldBack }: SendTimes): boolean => isLater && !isHeldBack;

/** @throws HttpError as `sendMessage` */
async function planSending(
  { to, policyId, ...request }: SendRequest,
  transaction: Transaction<Tables>,
  now: number,
): Promise<SendPlan> {
  const times = readTimes(request, now);
  const audience = await findAudience(to, transaction);
  const people = isPlanned(times) ? 0 : await countPeople(audience, transaction);
  if (!('topicId' in to) && people === 0 && !isPlanned(times))
    throw new HttpError(400, 'There is no one in the audience of this message.');
  const state = times.isLater ? 'scheduled' : people > AT_ONCE ? 'writing' : 'sent';
  const policy = await choosePolicy(policyId, audience.policyIds, transaction);
  return { ...times, audience, people, state, policy };
}

/** What is written behind the answer, and the steps of its policy. */
async function leaveJobs(
  id: string,
  { state, sendAt, expiresAt, policy }: SendPlan,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  if (state !== 'sent') await addJob({ kind: MESSAGE_JOB, subject: id }, transaction, now, sendAt);
  if (policy) await planSteps({ id, sendAt, expiresAt }, policy, transaction, now);
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
  { audience: { topicIds, userIds }, people, state }: SendPlan,
  priority: Priority,
  transaction: Transaction<Tables>,
  now: number,
): Promise<SendReach | undefined> {
  if (state === 'scheduled' || people > MAX_ESTIMATED) return undefined;
  const asked = { topicIds: [...topicIds], userIds: [...userIds], priority };
  const { reachable, held } = await countAudience(asked, transaction, now);
  return { people, reached: reachable, held };
}

function describeSending(
  { to, priority, undoSeconds = 0 }: SendRequest,
  { isLater, isHeldBack, people }: SendPlan,
  reach: SendReach | undefined,
): SentAnswer {
  if (isHeldBack) return describeHeldBack(undoSeconds);
  if (isLater) return SCHEDULED;
  const isTopic = 'topicId' in to;
  if (reach === undefined) return describeMany(people, isTopic, priority === 'info');
  return isTopic ? describeSubscribers(reach) : describePeople(reach);
}

/** Kept with the message, so that a repeated request is answered alike. */
async function keepAnswer(
  id: string,
  { message, notified }: SentAnswer,
  written: SendReach | undefined,
  transaction: Transaction<Tables>,
): Promise<void> {
  await transaction
    .updateTable('messages')
    .set({
      answer: message,
      notified: notified ? 1 : 0,
      ...(written && { people: written.people }),
    })
    .where('id', '=', id)
    .execute();
}

async function recordSending(
  { audience, people, ...plan }: SendPlan,
  priority: Priority,
  reach: SendReach | undefined,
  transaction: Transaction<Tables>,
): Promise<void> {
  const target = targetOf(audience.titles[0] ?? '', audience);
  const known = isPlanned(plan) ? undefined : (reach?.people ?? people);
  const detail = describeSent({ people: known, sendAt: plan.sendAt, priority });
  await record({ action: 'message.send', ...target, detail }, transaction);
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
