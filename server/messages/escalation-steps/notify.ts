import type { Transaction } from 'kysely';
import type { AudienceQuery } from '../../../src/shared/contract';
import type { MessageRow, Tables } from '../../db/schema';
import type { AnswerCounts } from '../../escalation/count-answered';
import { countAudience } from '../../subscriptions/audience-size';
import { readTranslations } from '../../translation/message-translations';
import { readStoredAudience } from '../lock-message';
import { joinMessageTexts } from '../step-texts';
import { sendInTransaction } from '../sending/send';
import { toTime } from '../../lib/clock';
import { countedNoun } from '../../lib/counted-noun';

/**
 * Expires with the first message and does not escalate.
 * @returns none if the topic was deleted
 */
export async function notifyTopic(
  message: MessageRow,
  topicId: number | null,
  { answered, open, callsForHelp }: AnswerCounts,
  transaction: Transaction<Tables>,
  now: number,
): Promise<{ people: number; sentId?: string }> {
  const topic = await transaction
    .selectFrom('topics')
    .select('id')
    .where('id', '=', topicId ?? 0)
    .executeTakeFirst();
  if (topic === undefined) return { people: 0 };
  const people = countedNoun(answered + open + callsForHelp, 'person', 'people');
  const verb = message.answers === '[]' ? 'read this' : 'answered';
  const notAnswered = `${open === 1 ? 'has' : 'have'} not ${verb}`;
  const needHelp = `${callsForHelp === 1 ? 'needs' : 'need'} help`;
  const isAlarm = await transaction
    .selectFrom('check_in_messages')
    .where('message_id', '=', message.id)
    .where('kind', '=', 'alarm')
    .select('message_id')
    .executeTakeFirst();
  const { messageId } = await sendInTransaction(
    {
      to: { topicId: topic.id, exceptUserId: readStoredAudience(message).exceptUserId },
      title:
        callsForHelp === 0
          ? `${open} of ${people} ${notAnswered}`
          : `${callsForHelp} of ${people} ${needHelp}${open > 0 ? `, ${open} ${notAnswered}` : ''}`,
      ...joinMessageTexts(message),
      ...(isAlarm && askWhoComes(message)),
      priority: message.priority,
      expiresAt: toTime(message.expires_at),
      policyId: null,
      senderId: message.sender_id,
      ...(message.key_id !== null && {
        key: { id: message.key_id, name: message.key_name ?? '' },
      }),
      idempotencyKey: undefined,
    },
    transaction,
    now,
  );
  const audience = { topicIds: [topic.id], priority: message.priority };
  return {
    people: await countNotified(messageId, audience, transaction, now),
    sentId: messageId,
  };
}

/** Anyone may come to the person of a check-in. The alarm's own texts name them, in all languages. */
function askWhoComes({ title, text, answers, translations }: MessageRow) {
  return {
    ...(title !== null && { title }),
    message: text,
    answers: JSON.parse(answers) as string[],
    translations: readTranslations(translations),
  };
}

/** The count of a large message is an estimate, because a job writes its recipients later. */
async function countNotified(
  messageId: string,
  audience: AudienceQuery,
  transaction: Transaction<Tables>,
  now: number,
): Promise<number> {
  const { state } = await transaction
    .selectFrom('messages')
    .where('id', '=', messageId)
    .select('state')
    .executeTakeFirstOrThrow();
  if (state === 'writing') return (await countAudience(audience, transaction, now)).reachable;
  const { people } = await transaction
    .selectFrom('recipients')
    .where('message_id', '=', messageId)
    .where('state', '=', 'pending')
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .executeTakeFirstOrThrow();
  return people;
}
