/** Stores a message with its recipients and pushes, or with the job that writes them. */
import { firstOrderKey } from '../../db/outbox/queue-order';
import type { Transaction } from 'kysely';
import type { Priority } from '../../../src/shared/contract';
import { recordAudit } from '../../audit/record-audit';
import { databaseFault } from '../../db/errors';
import { MESSAGE_JOB } from '../../db/jobs/kinds';
import { addJob } from '../../db/jobs/jobs';
import type { Tables } from '../../db/schema';
import type { Transact } from '../../http/access/authority';
import { choosePolicy, planSteps } from '../../escalation/plan-steps';
import { HttpError } from '../../http/errors';
import { requireMatchingAnswers } from './matching-answers';
import { idempotencyConflictError } from '../../http/idempotency';
import { countSenderUse, lockSenderRights } from '../../http/access/sender-rights';
import { requireKnownIds } from '../../subscriptions/audience';
import type { AudienceIds } from '../../subscriptions/audience';
import { countAudience, countPeople } from '../../subscriptions/audience-size';
import { lockTeams } from '../../teams/teams';
import { requireTopic } from '../../topics/topics';
import { describeAuditedSending, toAuditTarget } from '../audit-target';
import { addSentEvent } from '../message-event';
import { FIRST_REVISION, MAX_RECIPIENTS_WRITTEN_AT_ONCE, writeRecipients } from './ledger';
import { findRepeated, insertMessage } from './store-message';
import type { FoundAudience, SendPlan } from './store-message';
import { readTimes } from './send-times';
import type { SendTimes } from './send-times';
import {
  SCHEDULED,
  describeUndoable,
  describeLargeAudience,
  describePeople,
  describeSubscribers,
} from './responses';
import type { SentCounts } from './responses';
import type { AcceptedMessage, SendRequest, SentResponse, MessageAudience } from './send-request';

/** The response to a larger audience has no number of notified people. */
const MAX_ESTIMATED_AUDIENCE = 10_000;

/**
 * Sends to the whole audience, or to no one.
 * @throws HttpError 404 without the topic; 400 for invalid times, translations whose answers do not
 * match, or an unknown or empty audience;
 * 409 if the key was used for another message
 */
export async function sendMessage(
  sending: SendRequest,
  transact: Transact,
  now: number,
): Promise<AcceptedMessage> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact((transaction) => sendInTransaction(sending, transaction, now));
    } catch (error) {
      // A topic or person was deleted meanwhile: the next attempt sends without it.
      if (databaseFault(error) !== 'missing-reference' || attempt >= 5) throw error;
    }
  }
}

/** If sending fails because something was deleted meanwhile, the caller repeats the transaction. */
export async function sendInTransaction(
  request: SendRequest,
  transaction: Transaction<Tables>,
  now: number,
): Promise<AcceptedMessage> {
  if (request.asSender) await requireSendingRights(request, transaction);
  // First of the rest: a repeat gets the same response, even if its topic is deleted now.
  const repeatedMessage = await findRepeated(request, transaction);
  if (repeatedMessage !== undefined) return repeatedMessage;
  requireMatchingAnswers(request);
  if (request.asSender) await countSenderUse(request.senderId ?? 0, transaction, now);
  const plan = await planSending(request, transaction, now);
  const messageId = await insertMessage(request, plan, transaction, now);
  // Another request with the same key was faster; this one waited for it.
  if (messageId === undefined)
    return (
      (await findRepeated(request, transaction)) ??
      Promise.reject(idempotencyConflictError('message'))
    );
  await addMessageJobs(messageId, plan, transaction, now);
  const { priority = 'normal' } = request;
  const reach =
    plan.state === 'sent'
      ? await writeAll(
          { id: messageId, priority, revision: FIRST_REVISION },
          plan.audience,
          transaction,
          now,
        )
      : await estimateReach(plan, priority, transaction, now);
  const response = describeSending(request, plan, reach);
  await storeResponse(messageId, response, plan.state === 'sent' ? reach : undefined, transaction);
  if (plan.state === 'sent') await addSentEvent(messageId, transaction, now);
  await recordSending(messageId, plan, priority, reach, transaction);
  return { messageId, ...response };
}

/** @throws HttpError 403, the same for topics that do not exist */
async function requireSendingRights(
  { to, senderId }: SendRequest,
  transaction: Transaction<Tables>,
): Promise<void> {
  const topicIds = 'topicId' in to ? [to.topicId] : (to.topicIds ?? []);
  if (!(await lockSenderRights(senderId ?? 0, topicIds, transaction)))
    throw new HttpError(403, 'At least one of these topics does not accept messages from you.');
}

const isPlanned = ({ isLater, isUndoable }: SendTimes): boolean => isLater && !isUndoable;

/** @throws HttpError as `sendMessage` */
async function planSending(
  { to, policyId, ...request }: SendRequest,
  transaction: Transaction<Tables>,
  now: number,
): Promise<SendPlan> {
  const times = readTimes(request, now);
  const audience = { ...(await findAudience(to, transaction)), exceptUserId: to.exceptUserId };
  const people = isPlanned(times) ? 0 : await countPeople(audience, transaction);
  const isTopicOrAlarm = 'topicId' in to || to.exceptUserId !== undefined;
  if (!isTopicOrAlarm && people === 0 && !isPlanned(times))
    throw new HttpError(400, 'This message has no recipients.');
  const state = times.isLater
    ? 'scheduled'
    : people > MAX_RECIPIENTS_WRITTEN_AT_ONCE
      ? 'writing'
      : 'sent';
  const policy = await choosePolicy(policyId, audience.policyIds, transaction);
  return { ...times, audience, people, state, policy };
}

async function addMessageJobs(
  id: string,
  { state, sendAt, expiresAt, policy }: SendPlan,
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  if (state !== 'sent') await addJob({ kind: MESSAGE_JOB, subject: id }, transaction, now, sendAt);
  if (policy) await planSteps({ id, sendAt, expiresAt }, policy, transaction, now);
}

async function writeAll(
  message: { id: string; priority: Priority; revision: number },
  audience: AudienceIds,
  transaction: Transaction<Tables>,
  now: number,
): Promise<SentCounts> {
  const reach = { people: 0, reached: 0, held: 0 };
  let cursor = { writtenTo: 0, nextKey: firstOrderKey(message, now) };
  for (let isComplete = false; !isComplete; ) {
    const chunk = await writeRecipients(message, audience, cursor, transaction, now);
    reach.people += chunk.people;
    reach.reached += chunk.reached;
    reach.held += chunk.held;
    ({ isComplete } = chunk);
    cursor = chunk;
  }
  return reach;
}

/** @returns undefined for a scheduled message, and for an audience too large to count devices */
async function estimateReach(
  { audience: { topicIds, userIds, teamIds = [] }, people, state }: SendPlan,
  priority: Priority,
  transaction: Transaction<Tables>,
  now: number,
): Promise<SentCounts | undefined> {
  if (state === 'scheduled' || people > MAX_ESTIMATED_AUDIENCE) return undefined;
  const audience = {
    topicIds: [...topicIds],
    userIds: [...userIds],
    teamIds: [...teamIds],
    priority,
  };
  const { reachable, held } = await countAudience(audience, transaction, now);
  return { people, reached: reachable, held };
}

function describeSending(
  { to, priority, undoSeconds = 0 }: SendRequest,
  { isLater, isUndoable, people }: SendPlan,
  reach: SentCounts | undefined,
): SentResponse {
  if (isUndoable) return describeUndoable(undoSeconds);
  if (isLater) return SCHEDULED;
  const isTopic = 'topicId' in to;
  if (reach === undefined) return describeLargeAudience(people, isTopic, priority === 'info');
  return isTopic ? describeSubscribers(reach) : describePeople(reach);
}

async function storeResponse(
  id: string,
  { message, notified }: SentResponse,
  counts: SentCounts | undefined,
  transaction: Transaction<Tables>,
): Promise<void> {
  await transaction
    .updateTable('messages')
    .set({
      answer: message,
      notified: notified ? 1 : 0,
      ...(counts && { people: counts.people, reachable: counts.reached + counts.held }),
    })
    .where('id', '=', id)
    .execute();
}

async function recordSending(
  messageId: string,
  { audience, people, ...plan }: SendPlan,
  priority: Priority,
  reach: SentCounts | undefined,
  transaction: Transaction<Tables>,
): Promise<void> {
  const target = toAuditTarget([...audience.titles, ...audience.teamNames], audience);
  const peopleCount = isPlanned(plan) ? undefined : (reach?.people ?? people);
  const detail = describeAuditedSending({ people: peopleCount, sendAt: plan.sendAt, priority });
  await recordAudit({ action: 'message.send', ...target, detail, messageId }, transaction);
}

/** @throws HttpError 404 for the only topic; 400 for other unknown topics and people */
async function findAudience(
  to: MessageAudience,
  transaction: Transaction<Tables>,
): Promise<FoundAudience> {
  if ('topicId' in to) {
    const topic = await requireTopic(to.topicId, transaction);
    return {
      topicIds: [topic.id],
      userIds: [],
      titles: [topic.title],
      teamNames: [],
      policyIds: [topic.policy_id],
    };
  }
  const topicIds = [...new Set(to.topicIds)];
  const userIds = [...new Set(to.userIds)];
  const teamIds = [...new Set(to.teamIds)];
  if (topicIds.length + userIds.length + teamIds.length === 0)
    throw new HttpError(400, 'Add at least one recipient.');
  await requireKnownIds('topics', topicIds, 'topicIds', transaction);
  await requireKnownIds('users', userIds, 'userIds', transaction);
  const teams = await lockTeams(teamIds, transaction);
  const topics = await transaction
    .selectFrom('topics')
    .where('id', 'in', topicIds.length > 0 ? topicIds : [0])
    .select(['id', 'title', 'policy_id'])
    .execute();
  const byId = new Map(topics.map((topic) => [topic.id, topic]));
  return {
    topicIds,
    userIds,
    ...(teamIds.length > 0 && { teamIds }),
    teamNames: teamIds.map((id) => teams.get(id) ?? ''),
    titles: topicIds.map((id) => byId.get(id)?.title ?? ''),
    policyIds: topicIds.map((id) => byId.get(id)?.policy_id ?? null),
  };
}
