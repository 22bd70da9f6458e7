/** How a correction changes a person's receipts. */
import type { RecipientMarks } from '../../db/recipient-marks';
import type { MessageRow } from '../../db/schema';

/** Times are milliseconds since 1970. */
export interface FormerAnswer {
  revision: number;
  answer: string | null;
  comment: string | null;
  at: number;
  late: 0 | 1;
}
type Asking = Pick<MessageRow, 'revision' | 'asked_revision'>;

export const readFormerAnswers = ({ former }: Pick<RecipientMarks, 'former'>): FormerAnswer[] =>
  former === null ? [] : (JSON.parse(former) as FormerAnswer[]);

const UNSEEN = { displayed_at: null, read_at: null };
const UNANSWERED = { acknowledged_at: null, answer: null, comment: null, late: 0 } as const;

/** A given answer stands, with what it implies, unless answers were asked again. */
export function marksOfRevision(
  marks: RecipientMarks,
  { revision, asked_revision }: Asking,
): RecipientMarks {
  if (marks.revision >= revision) return marks;
  const at = marks.acknowledged_at;
  if (at === null) return { ...marks, ...UNSEEN, revision };
  if (marks.revision >= asked_revision) return { ...marks, revision };
  const { answer, comment, late } = marks;
  const formerAnswer: FormerAnswer = { revision: marks.revision, answer, comment, at, late };
  const formerAnswers = JSON.stringify([...readFormerAnswers(marks), formerAnswer]);
  return { ...UNSEEN, ...UNANSWERED, revision, former: formerAnswers };
}
