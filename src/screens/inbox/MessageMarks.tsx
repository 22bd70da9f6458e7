import type { InboxItem } from '../../state/inbox/inbox-state';

const STATES = { cancelled: 'Cancelled', resolved: 'Resolved' } as const;

export const MessageMarks = ({ state, urgent }: { state: InboxItem['state']; urgent: boolean }) => (
  <>
    {urgent && (
      <span className="chip solid" data-tone="bad">
        Urgent
      </span>
    )}
    {state !== 'sent' && <span className="chip">{STATES[state]}</span>}
  </>
);
