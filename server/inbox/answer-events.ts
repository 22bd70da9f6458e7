import type { Transaction } from 'kysely';
import type { Tables } from '../db/schema';
import { addWebhookCalls, splitIntoCalls } from '../db/webhook-calls';
import { describeEvent } from '../messages/message-event';
import { toTime } from '../lib/clock';

/** Times are milliseconds since 1970. */
export interface NewAnswer {
  messageId: string;
  userId: number;
  answer: string;
  comment: string | null;
  at: number;
  late: boolean;
  /** The revision that the answer belongs to; null if an older server recorded the answer. */
  revision: number | null;
}

/** A call has at most this many answers if one has a comment, so that its body stays small. */
const MAX_ANSWERS_WITH_COMMENTS = 10;

/** One event has many answers, because single events would overflow a webhook's queue of 1,000. */
export async function addAnswerEvents(
  answers: readonly NewAnswer[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  await addWebhookCalls(
    'message.acknowledged',
    () => describeAnswers(answers, transaction),
    transaction,
    now,
  );
}

async function describeAnswers(
  answers: readonly NewAnswer[],
  transaction: Transaction<Tables>,
): Promise<object[]> {
  const people = await transaction
    .selectFrom('users')
    .where('id', 'in', [...new Set(answers.map(({ userId }) => userId))])
    .select(['id', 'username'])
    .execute();
  const names = new Map(people.map(({ id, username }) => [id, username]));
  const calls: object[] = [];
  for (const messageId of new Set(answers.map((answer) => answer.messageId))) {
    const ownAnswers = answers.filter((answer) => answer.messageId === messageId);
    const message = await describeEvent(messageId, transaction);
    const describedAnswers = ownAnswers.map(({ userId, answer, comment, at, late, revision }) => ({
      user: { id: userId, username: names.get(userId) ?? '' },
      answer,
      ...(comment !== null && { comment }),
      at: toTime(at),
      late,
      ...(revision !== null && { revision }),
    }));
    const maxAnswers = ownAnswers.some(({ comment }) => comment !== null)
      ? MAX_ANSWERS_WITH_COMMENTS
      : undefined;
    for (const part of splitIntoCalls(describedAnswers, maxAnswers))
      calls.push({ message, answers: part });
  }
  return calls;
}
