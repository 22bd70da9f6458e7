/** Who has answered a message. */
import { sql } from 'kysely';
import type { RawBuilder, Transaction } from 'kysely';
import type { MessageRow, Tables } from '../db/schema';
import { findHelpAnswers } from '../translation/message-translations';

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

type Answers = Pick<MessageRow, 'answers' | 'translations'>;

/** A message's answers that call for help, one a line, for `isCallForHelp`. Empty without any. */
export function listHelpAnswers({ answers, translations }: Answers): string {
  const helpAnswers = findHelpAnswers(JSON.parse(answers) as string[], translations);
  return helpAnswers.length > 0 ? `\n${helpAnswers.join('\n')}\n` : '';
}

/**
 * Whether a row of `recipients` is an answer that calls for help; false without an answer.
 * @param helpAnswers of the row's message, from `listHelpAnswers`
 */
export const isCallForHelp = (helpAnswers: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(recipients.acknowledged_at is not null and recipients.answer is not null
    and replace(${helpAnswers}, ${LINE_BREAK} || recipients.answer || ${LINE_BREAK}, '') <> ${helpAnswers})`;

const LINE_BREAK = sql.lit('\n');

/** Whether a row of `recipients` is an answer to this message that calls for help. */
export const isCallForHelpIn = (message: Answers): RawBuilder<boolean> =>
  isCallForHelp(sql`cast(${listHelpAnswers(message)} as text)`);

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
  message: Pick<MessageRow, 'id'> & Answers,
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
