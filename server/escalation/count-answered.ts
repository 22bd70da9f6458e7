/** Who has answered a message. */
import type { Transaction } from 'kysely';
import type { MessageRow, Tables } from '../db/schema';

/** The ledger's column of an answer: acknowledged, or read if no answers were offered. */
export const answeredColumn = ({
  answers,
}: Pick<MessageRow, 'answers'>): 'read_at' | 'acknowledged_at' =>
  answers === '[]' ? 'read_at' : 'acknowledged_at';

export interface AnswerCounts {
  answered: number;
  open: number;
}

/** Deleted people are not counted. */
export async function countAnswered(
  message: Pick<MessageRow, 'id' | 'answers'>,
  transaction: Transaction<Tables>,
): Promise<AnswerCounts> {
  const { people, answered } = await transaction
    .selectFrom('recipients')
    .innerJoin('users', 'users.id', 'recipients.user_id')
    .where('recipients.message_id', '=', message.id)
    .select(({ fn }) => [
      fn.countAll<number>().as('people'),
      fn.count<number>(`recipients.${answeredColumn(message)}`).as('answered'),
    ])
    .executeTakeFirstOrThrow();
  return { answered, open: people - answered };
}
