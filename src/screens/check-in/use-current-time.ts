import { useEffect, useState } from 'react';
import { repeatWhileVisible } from '../../platform/visibility';
import { serverNow } from '../../state/clock';

/**
 * The server's time, which moves on.
 * @param milliseconds between two looks
 */
export function useCurrentTime(milliseconds: number): number {
  const [, setTime] = useState(serverNow);
  useEffect(() => repeatWhileVisible(milliseconds, () => setTime(serverNow())), [milliseconds]);
  // Not the time of the last look: since then, the check-in or the clock may have changed.
  return serverNow();
}
