/** What webhooks are told of answers: of each message that was answered, who answered what. */
import type { Transaction } from 'kysely';
import type { Tables } from '../db/schema';
import { addCalls, inCalls } from '../db/webhook-calls';
import { describeEvent } from '../messages/message-event';

/** An answer that has just been recorded. Times are milliseconds since 1970. */
export interface NewAnswer {
  messageId: string;
  userId: number;
  answer: string;
  at: number;
  late: boolean;
}

/**
 * Answers of one transaction share calls. Ten thousand answers within seconds would otherwise be as
 * many calls, and only a thousand may wait for a webhook.
 */
export async function tellOfAnswers(
  answers: readonly NewAnswer[],
  transaction: Transaction<Tables>,
  now: number,
): Promise<void> {
  await addCalls(
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
  for (const messageId of new Set(answers.map((one) => one.messageId))) {
    const own = answers.filter((one) => one.messageId === messageId);
    const message = await describeEvent(messageId, transaction);
    const told = own.map(({ userId, answer, at, late }) => ({
      user: { id: userId, username: names.get(userId) ?? '' },
      answer,
      at: new Date(at).toISOString(),
      late,
    }));
    for (const some of inCalls(told)) calls.push({ message, answers: some });
  }
  return calls;
}
