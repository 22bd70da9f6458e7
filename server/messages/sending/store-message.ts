import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Tables } from '../../db/schema';
import type { MessagePolicy } from '../../escalation/plan-steps';
import { storeHelpAnswers } from '../../escalation/count-answered';
import { findHelpAnswers } from '../../../src/shared/help-answers';
import { storeTranslations } from '../../translation/message-translations';
import { idempotencyConflictError } from '../../http/idempotency';
import { foldCase } from '../../../src/shared/case-fold';
import { sha256 } from '../../lib/sha256';
import type { AudienceIds } from '../../subscriptions/audience';
import type { AcceptedMessage, SendRequest } from './send-request';
import type { SendTimes } from './send-times';

export interface FoundAudience extends AudienceIds {
  titles: string[];
  teamNames: string[];
  policyIds: (number | null)[];
}

export interface SendPlan extends SendTimes {
  audience: FoundAudience;
  people: number;
  state: 'scheduled' | 'writing' | 'sent';
  policy: MessagePolicy | undefined;
}

/** @returns undefined if this sender used the key before */
export async function insertMessage(
  sending: SendRequest,
  { audience, people, state, policy, sendAt, expiresAt }: SendPlan,
  transaction: Transaction<Tables>,
  now: number,
): Promise<string | undefined> {
  const { message, title, link, priority = 'normal', answers = [], translations = {} } = sending;
  const { helpAnswers = findHelpAnswers(answers, translations) } = sending;
  // A recipient searches for the words that they read.
  const translatedTexts = Object.values(translations).flatMap((translation) => [
    translation.title ?? '',
    translation.message,
  ]);
  const { titles, teamNames, topicIds, userIds, teamIds, exceptUserId } = audience;
  const row = await transaction
    .insertInto('messages')
    .values({
      id: randomUUID(),
      topic_id: topicIds[0] ?? null,
      topic_title: titles[0] ?? '',
      sender_id: sending.senderId,
      as_sender: sending.asSender ? 1 : 0,
      is_all_clear: sending.isAllClear ? 1 : 0,
      key_id: sending.key?.id ?? null,
      key_name: sending.key?.name ?? null,
      title: title || null,
      text: message,
      link: link || null,
      priority,
      answers: JSON.stringify(answers),
      translations: storeTranslations(translations),
      help_answers: answers.length > 0 ? storeHelpAnswers(helpAnswers) : '',
      policy: policy === undefined ? null : JSON.stringify(policy),
      audience: JSON.stringify({ topicIds, userIds, teamIds, exceptUserId }),
      state,
      send_at: sendAt,
      next_key: sendAt,
      people: state === 'scheduled' ? 0 : people,
      fingerprint: hashRequest(sending),
      search_key: foldCase(
        [...titles, ...teamNames, title ?? '', message, ...translatedTexts].join('\n'),
      ),
      text_key: foldCase([title ?? '', message, ...translatedTexts].join('\n')),
      created_at: now,
      expires_at: expiresAt,
      idempotency_key: sending.idempotencyKey ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row !== undefined && topicIds.length > 0)
    await transaction
      .insertInto('message_topics')
      .values(topicIds.map((topic_id, position) => ({ message_id: row.id, topic_id, position })))
      .execute();
  return row?.id;
}

/** Everything requested, to recognize another request with the same key. */
function hashRequest(sending: SendRequest): string {
  const { senderId: _, key: __, idempotencyKey: ___, ...requestFields } = sending;
  return sha256(JSON.stringify(requestFields.originalRequest ?? requestFields));
}

/**
 * The response to a repeated request.
 * @throws HttpError 409 for a key of another message
 */
export async function findRepeated(
  sending: SendRequest,
  transaction: Transaction<Tables>,
): Promise<AcceptedMessage | undefined> {
  const { senderId, key, idempotencyKey } = sending;
  const [column, id] =
    key === undefined ? ['sender_id' as const, senderId] : ['key_id' as const, key.id];
  if (idempotencyKey === undefined || id === null) return undefined;
  const storedMessage = await transaction
    .selectFrom('messages')
    .select(['id', 'answer', 'notified', 'fingerprint'])
    .where(column, '=', id)
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirst();
  if (storedMessage === undefined) return undefined;
  if (storedMessage.fingerprint !== hashRequest(sending)) throw idempotencyConflictError('message');
  return {
    messageId: storedMessage.id,
    message: storedMessage.answer,
    notified: storedMessage.notified === 1,
  };
}
