/** Which text of a corrected message a person's receipts belong to. */
import type { Recipient } from '../../../src/shared/contract';
import type { RecipientReceipts } from '../../db/recipient-receipts';
import type { MessageRow } from '../../db/schema';
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
type AskedRevisions = Pick<MessageRow, 'revision' | 'asked_revision'>;

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
  if (answer_revision !== null) return answer_revision;
  const { revision, revised_at } = message;
  const texts = [...readFormerTexts(message), { revision, at: revised_at ?? 0 }];
  return (texts.findLast((text) => text.at <= at) ?? texts[0])?.revision;
}

const UNSEEN = { displayed_at: null, read_at: null, unread_again: 0 } as const;
export const UNANSWERED = {
  acknowledged_at: null,
  answer: null,
  comment: null,
  late: 0,
  answer_revision: null,
} as const;

/** A given answer stands, with what it implies, unless answers were asked again. */
export function receiptsOfRevision(
  earlierReceipts: RecipientReceipts,
  { revision, asked_revision }: AskedRevisions,
): RecipientReceipts {
  if (earlierReceipts.revision >= revision) return earlierReceipts;
  const receipts = { ...earlierReceipts, correction_displayed_at: null };
  const answeredAt = receipts.acknowledged_at;
  if (answeredAt === null) return { ...receipts, ...UNSEEN, revision };
  if (receipts.revision >= asked_revision) return { ...receipts, revision, unread_again: 1 };
  const { answer, comment, late, answer_revision } = receipts;
  const answeredRevision = answer_revision ?? receipts.revision;
  const formerAnswer: FormerAnswer = {
    revision: answeredRevision,
    answer,
    comment,
    at: answeredAt,
    late,
  };
  return { ...addFormerAnswer(receipts, formerAnswer), ...UNSEEN, ...UNANSWERED, revision };
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
