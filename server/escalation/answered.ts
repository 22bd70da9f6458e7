/** Who has answered a message, and for whom it goes on. */
import type { Transaction } from 'kysely';
import type { MessageRow, Tables } from '../db/schema';

/**
 * Where the ledger says that somebody answered: acknowledged it, or read it where no answer was
 * offered.
 */
export const answeredColumn = ({
  answers,
}: Pick<MessageRow, 'answers'>): 'read_at' | 'acknowledged_at' =>
  answers === '[]' ? 'read_at' : 'acknowledged_at';

export interface Answered {
  answered: number;
  open: number;
}

/** How many have answered, and how many have not. Who was deleted counts nowhere. */
export async function countAnswered(
  message: Pick<MessageRow, 'id' | 'answers'>,
  transaction: Transaction<Tables>,
): Promise<Answered> {
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
