/** Which text of a corrected message a person's receipts belong to. */
import type { Recipient } from '../../../src/shared/contract';
import type { RecipientReceipts } from '../../db/recipient-receipts';
import type { MessageRow } from '../../db/schema';
import { type HelpColumns, readHelpAnswers } from '../../escalation/count-answered';
import { toTime } from '../../lib/clock';
import { readFormerTexts } from './former-texts';

/** Times are milliseconds since 1970. */
export interface FormerAnswer {
  revision: number;
  answer: string | null;
  comment: string | null;
  at: number;
  late: 0 | 1;
}
type AskedRevisions = Pick<MessageRow, 'revision' | 'asked_revision'> & HelpColumns;

export const readFormerAnswers = ({ former }: Pick<RecipientReceipts, 'former'>): FormerAnswer[] =>
  former === null ? [] : (JSON.parse(former) as FormerAnswer[]);

export function describeFormerAnswers(
  receipts: Pick<RecipientReceipts, 'former'>,
): Pick<Recipient, 'formerAnswers'> {
  if (receipts.former === null) return {};
  const formerAnswers = readFormerAnswers(receipts).map(
    ({ revision, answer, comment, at, late }) => ({
      revision,
      answer,
      ...(comment !== null && { comment }),
      at: toTime(at),
      late: late === 1,
    }),
  );
  return { formerAnswers };
}

type AnswerReceipt = Pick<RecipientReceipts, 'acknowledged_at' | 'answer_revision'>;

/** The revision that an answer was given to. Older versions did not record it: then its time decides. */
export function revisionOfAnswer(
  { acknowledged_at: at, answer_revision }: AnswerReceipt,
  message: Pick<MessageRow, 'revision' | 'revised_at' | 'former'>,
): number | undefined {
  if (at === null) return undefined;
  return answer_revision ?? revisionAt(at, message);
}

/** The revision that a message had at a time; before the message, its first one. */
export function revisionAt(
  time: number,
  message: Pick<MessageRow, 'revision' | 'revised_at' | 'former'>,
): number {
  const { revision, revised_at } = message;
  const texts = [...readFormerTexts(message), { revision, at: revised_at ?? 0 }];
  return (texts.findLast((text) => text.at <= time) ?? texts[0])?.revision ?? revision;
}

const UNSEEN = { displayed_at: null, read_at: null, unread_again: 0 } as const;
const UNANSWERED = {
  acknowledged_at: null,
  answer: null,
  comment: null,
  late: 0,
  answer_revision: null,
} as const;

/**
 * A given answer stands, with what it implies, unless answers were asked again. A call for help
 * stands even then: the person still needs help, and may not see the question.
 */
export function receiptsOfRevision(
  earlierReceipts: RecipientReceipts,
  message: AskedRevisions,
): RecipientReceipts {
  const { revision, asked_revision } = message;
  if (earlierReceipts.revision >= revision) return earlierReceipts;
  const receipts = { ...earlierReceipts, correction_displayed_at: null };
  const answeredAt = receipts.acknowledged_at;
  if (answeredAt === null) return { ...receipts, ...UNSEEN, revision };
  if (receipts.revision >= asked_revision) return { ...receipts, revision, unread_again: 1 };
  const answer_revision = receipts.answer_revision ?? receipts.revision;
  if (readHelpAnswers(message).includes(receipts.answer ?? ''))
    return { ...receipts, answer_revision, revision, unread_again: 1 };
  return { ...withoutAnswer({ ...receipts, answer_revision }), ...UNSEEN, revision };
}

/** Asks for another answer. The given one moves to those of earlier texts. */
export function withoutAnswer(receipts: RecipientReceipts): RecipientReceipts {
  const { acknowledged_at: at, answer, comment, late, answer_revision, revision } = receipts;
  const emptied = { ...receipts, ...UNANSWERED };
  if (at === null) return emptied;
  return addFormerAnswer(emptied, {
    ...{ revision: answer_revision ?? revision, answer, comment, at, late },
  });
}

/** The answer to this text again in place of the present one, to decide what a late one changes. */
export function withFormerAnswer(
  receipts: RecipientReceipts,
  textRevision: number,
): RecipientReceipts {
  const formerAnswers = readFormerAnswers(receipts);
  const found = formerAnswers.find(({ revision }) => revision === textRevision);
  if (found === undefined) return receipts;
  const others = formerAnswers.filter((formerAnswer) => formerAnswer !== found);
  const former = others.length > 0 ? JSON.stringify(others) : null;
  if (receipts.acknowledged_at !== null) return { ...receipts, former };
  const { at: acknowledged_at, revision: answer_revision, answer, comment, late } = found;
  return { ...receipts, former, acknowledged_at, answer, comment, late, answer_revision };
}

/** Adds an answer that does not count any more, in the order of the texts. */
export function addFormerAnswer(
  receipts: RecipientReceipts,
  formerAnswer: FormerAnswer,
): RecipientReceipts {
  const formerAnswers = [...readFormerAnswers(receipts), formerAnswer];
  formerAnswers.sort((a, b) => a.revision - b.revision);
  return { ...receipts, former: JSON.stringify(formerAnswers) };
}

/** After the all-clear, a message is new again for those who had read it and not opened it since. */
export function receiptsOfAllClear(
  receipts: RecipientReceipts,
  { all_clear_at }: Pick<MessageRow, 'all_clear_at'>,
): RecipientReceipts {
  const isNew =
    all_clear_at !== null && receipts.read_at !== null && receipts.all_clear_displayed_at === null;
  return isNew ? { ...receipts, unread_again: 1 } : receipts;
}
