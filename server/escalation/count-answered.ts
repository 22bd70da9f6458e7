/** Who has answered a message. */
import { sql } from 'kysely';
import type { RawBuilder, Transaction } from 'kysely';
import { HELP_ANSWERS, asksForHelp } from '../../src/shared/help-answers';
import type { MessageRow, Tables } from '../db/schema';

/** The ledger's column of an answer: acknowledged, or read if no answers were offered. */
export const answeredColumn = ({
  answers,
}: Pick<MessageRow, 'answers'>): 'read_at' | 'acknowledged_at' =>
  answers === '[]' ? 'read_at' : 'acknowledged_at';

export interface AnswerCounts {
  /** Without calls for help: they never stop an escalation. */
  answered: number;
  /** People who have not answered. */
  open: number;
  callsForHelp: number;
}

/** Whether a text begins like a call for help, or contains one. */
export const matchesHelp = (text: RawBuilder<unknown>, before = '') =>
  sql`(${sql.join(
    HELP_ANSWERS.map(
      (start) => sql`replace(lower(${text}), '''', '’') like ${`${before}${start}%`}`,
    ),
    sql` or `,
  )})`;

/** Few messages offer such an answer. Only their answers are searched. */
export const offersHelp = ({ answers }: Pick<MessageRow, 'answers'>): boolean =>
  (JSON.parse(answers) as string[]).some(asksForHelp);

/** Whether a row of `recipients` is an answer that calls for help; false without an answer. */
export const isCallForHelp = (isOffered: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(${isOffered} = 1 and recipients.acknowledged_at is not null
    and recipients.answer is not null and ${matchesHelp(sql`recipients.answer`)})`;

/** Whether a row of `recipients` is an answer to this message that calls for help. */
export const isCallForHelpIn = (message: Pick<MessageRow, 'answers'>): RawBuilder<boolean> =>
  isCallForHelp(sql.lit(offersHelp(message) ? 1 : 0));

/** @param counted all people, those who answered, and the calls for help among their answers */
export const toAnswerCounts = ({
  people,
  answered,
  callsForHelp,
}: {
  people: number;
  answered: number;
  callsForHelp: number;
}): AnswerCounts => ({ answered: answered - callsForHelp, open: people - answered, callsForHelp });

/** Deleted people are not counted. */
export async function countAnswered(
  message: Pick<MessageRow, 'id' | 'answers'>,
  transaction: Transaction<Tables>,
): Promise<AnswerCounts> {
  const counted = await transaction
    .selectFrom('recipients')
    .innerJoin('users', 'users.id', 'recipients.user_id')
    .where('recipients.message_id', '=', message.id)
    .select(({ fn }) => [
      fn.countAll<number>().as('people'),
      fn.count<number>(`recipients.${answeredColumn(message)}`).as('answered'),
      fn.count<number>(sql`case when ${isCallForHelpIn(message)} then 1 end`).as('callsForHelp'),
    ])
    .executeTakeFirstOrThrow();
  return toAnswerCounts(counted);
}
