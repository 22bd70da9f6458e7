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
  const [pinnedIds, setPinnedIds] = useState(() => new Set<string>());
  useEffect(() => {
    // The timer may be running already, and messages without a push are still unknown.
    void refreshInbox().then(() =>
      setPinnedIds(
        (ids) =>
          new Set(
            toInboxRows([...ids])
              .filter(isUrgent)
              .map(({ id }) => id),
          ),
      ),
    );
  }, []);
  return pinnedIds;
}
