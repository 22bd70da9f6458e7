import { isCallForHelp } from '../../state/inbox/answer-tone';
import { isChangeable, isToEarlierText, type InboxItem } from '../../state/inbox/inbox-state';
import { Icon } from '../../ui/Icon';

/** A quiet word once no message waits, the server has every answer, and no call for help is open. */
export const AllAnswered = ({ rows }: { rows: readonly InboxItem[] }) =>
  rows.some(({ answer }) => answer !== null) &&
  rows.every(({ sent }) => sent === 'yes') &&
  !rows.some(
    (row) =>
      row.answer !== null &&
      (isCallForHelp(row.answer, row) || isToEarlierText(row)) &&
      isChangeable(row),
  ) ? (
    <span className="chip calm" data-tone="ok">
      <Icon name="check" />
      You’ve answered everything
    </span>
  ) : null;
