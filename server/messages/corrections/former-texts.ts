/** The earlier texts of a corrected message. */
import type { InboxMessage } from '../../../src/shared/contract';
import type { MessageRow } from '../../db/schema';
import { toTime, toTimeOrNull } from '../../lib/clock';

/** A stored earlier text. `at` is when it was sent, in milliseconds since 1970. */
export interface FormerText {
  revision: number;
  title: string | null;
  text: string;
  translations: string | null;
  at: number;
}
type RevisedMessage = Pick<
  MessageRow,
  'revision' | 'revised_at' | 'former' | 'all_clear_at' | 'all_clear'
> & { clearer?: string | null };
type ShownText = Pick<NonNullable<InboxMessage['former']>[number], 'title' | 'message'>;

export const readFormerTexts = ({ former }: Pick<MessageRow, 'former'>): FormerText[] =>
  former === null ? [] : (JSON.parse(former) as FormerText[]);

/** A text that was corrected before anyone received it. `until` is when, in milliseconds since 1970. */
export interface UnsentText extends Pick<FormerText, 'title' | 'text'> {
  until: number;
}

export const readUnsentTexts = ({ unsent }: Pick<MessageRow, 'unsent'>): UnsentText[] =>
  unsent === null ? [] : (JSON.parse(unsent) as UnsentText[]);

type DatedText = Pick<FormerText, 'title' | 'text' | 'at'>;

/**
 * The text as an audit entry knew it. A correction's entry is written just before the text it sets,
 * every other one after the text it is about.
 */
export function textAtEntry(
  row: Pick<MessageRow, 'former' | 'unsent' | 'revised_at' | 'title' | 'text'>,
  entry: { at: number; action: string },
): Pick<FormerText, 'title' | 'text'> {
  const { title, text, revised_at } = row;
  const newest: DatedText = { title, text, at: revised_at ?? 0 };
  const texts: DatedText[] = [...readFormerTexts(row), newest];
  const isCorrection = entry.action === 'message.correct';
  const unsentTexts = readUnsentTexts(row);
  const unsent = unsentTexts.findIndex(({ until }) =>
    isCorrection ? until >= entry.at : until > entry.at,
  );
  if (unsent >= 0)
    return (isCorrection ? (unsentTexts[unsent + 1] ?? texts[0]) : unsentTexts[unsent]) ?? newest;
  const matchingText = isCorrection
    ? texts.find(({ at }) => at >= entry.at)
    : (texts.findLast(({ at }) => at <= entry.at) ?? texts[0]);
  return matchingText ?? newest;
}

/** @param show a former text as its reader sees it */
export const describeRevisions = (
  row: RevisedMessage,
  show = ({ title, text }: FormerText): ShownText => ({ title, message: text }),
) => ({
  revision: row.revision,
  revisedAt: toTimeOrNull(row.revised_at),
  former: readFormerTexts(row).map((each) => ({
    revision: each.revision,
    ...show(each),
    at: toTime(each.at),
  })),
  allClearAt: toTimeOrNull(row.all_clear_at),
  ...(row.all_clear !== null && { allClear: row.all_clear }),
  ...(row.clearer && { allClearBy: row.clearer }),
});
