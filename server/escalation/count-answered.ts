/** Who has answered a message. */
import { sql } from 'kysely';
import type { RawBuilder, Transaction } from 'kysely';
import type { MessageRow, Tables } from '../db/schema';
import { findHelpAnswers } from '../../src/shared/help-answers';
import { readTranslations } from '../translation/message-translations';

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
  /** People who answered only a step's message to another topic. They count for the quorum. */
  answeredElsewhere?: number;
}

export type HelpColumns = Pick<MessageRow, 'answers' | 'translations' | 'help_answers'>;

/** A message's answers that call for help. */
export const readHelpAnswers = (message: HelpColumns): readonly string[] =>
  listHelpAnswers(message).split('\n').filter(Boolean);

/** Stores answers, one a line, for `isCallForHelp`. */
export const storeHelpAnswers = (helpAnswers: readonly string[]): string =>
  ['', ...helpAnswers, ''].join('\n');

/** As stored. Older servers stored none or did not ask the sender: then the answers decide. */
export const listHelpAnswers = ({ answers, translations, help_answers }: HelpColumns): string =>
  help_answers ||
  storeHelpAnswers(
    findHelpAnswers(JSON.parse(answers) as string[], readTranslations(translations)),
  );

/**
 * Whether a row of `recipients` is an answer that calls for help; false without an answer.
 * @param helpAnswers of the row's message, from `listHelpAnswers`
 */
export const isCallForHelp = (helpAnswers: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(recipients.acknowledged_at is not null and recipients.answer is not null
    and replace(${helpAnswers}, ${LINE_BREAK} || recipients.answer || ${LINE_BREAK}, '') <> ${helpAnswers})`;

const LINE_BREAK = sql.lit('\n');

/** Whether a row of `recipients` is an answer to this message that calls for help. */
export const isCallForHelpIn = (message: HelpColumns): RawBuilder<boolean> =>
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
  message: Pick<MessageRow, 'id'> & HelpColumns,
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

/** Counts who answered only a step's message to another topic, as an alarm's message asks them to. */
export async function countAnsweredElsewhere(
  messageId: string,
  transaction: Transaction<Tables>,
): Promise<number> {
  const { people } = await transaction
    .selectFrom('escalation_steps as step')
    .innerJoin('recipients', 'recipients.message_id', 'step.sent_id')
    .innerJoin('users', 'users.id', 'recipients.user_id')
    .where('step.message_id', '=', messageId)
    .where('recipients.acknowledged_at', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('recipients as own')
            .where('own.message_id', '=', messageId)
            .whereRef('own.user_id', '=', 'recipients.user_id')
            .where('own.acknowledged_at', 'is not', null)
            .select('own.user_id'),
        ),
      ),
    )
    .select(({ fn }) => fn.count<number>('users.id').distinct().as('people'))
    .executeTakeFirstOrThrow();
  return Number(people);
}
