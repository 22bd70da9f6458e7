import type { InboxItem } from '../../state/inbox/inbox-state';
import { Icon } from '../../ui/Icon';

/** A quiet word once no message waits, and the server has every answer. */
export const AllAnswered = ({ rows }: { rows: readonly InboxItem[] }) =>
  rows.some(({ answer }) => answer !== null) && rows.every(({ sent }) => sent === 'yes') ? (
    <span className="chip calm" data-tone="ok">
      <Icon name="bell" />
      You’ve answered everything
    </span>
  ) : null;
