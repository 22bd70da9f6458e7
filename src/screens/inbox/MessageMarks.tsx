import { hasExpired, type InboxItem } from '../../state/inbox/inbox-state';
import { lazy } from '../../ui/lazy';

const STATE_NAMES = { cancelled: 'Canceled', resolved: 'Resolved' } as const;

/** Loaded on demand, because few messages are corrected. */
const LazyRevised = lazy(() =>
  import('../../ui/values/Revision').then((module) => module.Revision),
);

/** What a corrected message, or one with its all-clear, shows besides its text. */
export const InboxRevision = (props: {
  row: InboxItem;
  part: 'marks' | 'all-clear' | 'former' | 'answer';
  asked?: boolean;
}) => (props.row.revisedAt || props.row.allClearAt ? <LazyRevised {...props} /> : null);

/** A message that is over is no longer urgent. */
export const isUrgent = (row: InboxItem): boolean =>
  row.priority === 'urgent' && row.state === 'sent' && !row.allClearAt && !hasExpired(row);

interface Props {
  row: InboxItem;
  urgent: boolean;
}

export const MessageMarks = ({ row, urgent }: Props) => (
  <>
    {urgent && (
      <span className="chip solid" data-tone="bad">
        Urgent
      </span>
    )}
    {row.state !== 'sent' && <span className="chip">{STATE_NAMES[row.state]}</span>}
    <InboxRevision row={row} part="marks" />
  </>
);
