/** The earlier texts of a corrected message. */
import type { InboxMessage } from '../../../src/shared/contract';
import type { MessageRow } from '../../db/schema';
import { toTime, toTimeOrNull } from '../../lib/clock';

/** As stored. The time is when it was sent, in milliseconds since 1970. */
export interface FormerText {
  revision: number;
  title: string | null;
  text: string;
  translations: string | null;
  at: number;
}
type Revised = Pick<
  MessageRow,
  'revision' | 'revised_at' | 'former' | 'all_clear_at' | 'all_clear'
> & { clearer?: string | null };
type Shown = Pick<NonNullable<InboxMessage['former']>[number], 'title' | 'message'>;

export const readFormerTexts = ({ former }: Pick<MessageRow, 'former'>): FormerText[] =>
  former === null ? [] : (JSON.parse(former) as FormerText[]);

/** @param show a former text as its reader sees it */
export const describeRevisions = (
  row: Revised,
  show = ({ title, text }: FormerText): Shown => ({ title, message: text }),
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
