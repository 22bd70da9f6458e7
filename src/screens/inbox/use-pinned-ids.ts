import { useEffect, useState } from 'react';
import { toInboxRows } from '../../state/inbox/inbox-state';
import { refreshInbox } from '../../state/inbox/load-inbox';
import { isUrgent } from './MessageMarks';

/**
 * Urgent messages on top of a list, to which the list adds. They stay until the person leaves:
 * otherwise an answered one would vanish from under the finger. The first refresh drops messages
 * that were over when the list opened.
 */
export function usePinnedIds(): Set<string> {
  const [pinnedIds] = useState(() => new Set<string>());
  const [, redraw] = useState({});
  useEffect(() => {
    // The timer may be running already, and messages without a push are still unknown.
    void refreshInbox().then(() => {
      for (const id of pinnedIds) if (!toInboxRows([id]).some(isUrgent)) pinnedIds.delete(id);
      redraw({});
    });
  }, []);
  return pinnedIds;
}
