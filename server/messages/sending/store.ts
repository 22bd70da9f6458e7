/** A message's own row, and the request that it came by, which may come again. */
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Tables } from '../../db/schema';
import type { KeptPolicy } from '../../escalation/plan';
import { keyTaken } from '../../http/idempotency';
import { foldCase } from '../../../src/shared/case-fold';
import { sha256 } from '../../lib/sha256';
import type { AudienceIds } from '../../subscriptions/audience';
import type { Accepted, SendRequest } from './send-request';
import type { SendTimes } from './times';

/** An audience as it was looked up. */
export interface FoundAudience extends AudienceIds {
  titles: string[];
  /** Those of the topics, in their order. */
  policyIds: (number | null)[];
}

/** What is to become of a request. */
export interface SendPlan extends SendTimes {
  audience: FoundAudience;
  /** How many it is for, as far as that is known now. */
  people: number;
  state: 'scheduled' | 'writing' | 'sent';
  policy: KeptPolicy | undefined;
}

/** @returns undefined if this sender used the key before */
export async function insertMessage(
  sending: SendRequest,
  { audience, people, state, policy, sendAt, expiresAt }: SendPlan,
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
      people: state === 'scheduled' ? 0 : people,
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
function fingerprintOf(sending: SendRequest): string {
  const { senderId: _, key: __, idempotencyKey: ___, ...asked } = sending;
  return sha256(JSON.stringify(asked.asked ?? asked));
}

/**
 * What was answered to this very request before. @throws HttpError 409 if the key was used for
 * another message
 */
export async function findRepeated(
  sending: SendRequest,
  transaction: Transaction<Tables>,
): Promise<Accepted | undefined> {
  const { senderId, key, idempotencyKey } = sending;
  const [whose, id] =
    key === undefined ? ['sender_id' as const, senderId] : ['key_id' as const, key.id];
  if (idempotencyKey === undefined || id === null) return undefined;
  const before = await transaction
    .selectFrom('messages')
    .select(['id', 'answer', 'notified', 'fingerprint'])
    .where(whose, '=', id)
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirst();
  if (before === undefined) return undefined;
  if (before.fingerprint !== fingerprintOf(sending)) throw keyTaken('message');
  return { messageId: before.id, message: before.answer, notified: before.notified === 1 };
}
