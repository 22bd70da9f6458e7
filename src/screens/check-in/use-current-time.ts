import { useEffect, useState } from 'react';
import { repeatWhileVisible } from '../../platform/visibility';
import { serverNow } from '../../state/clock';

/**
 * The server's time, which moves on.
 * @param milliseconds between two looks
 */
export function useCurrentTime(milliseconds: number): number {
  const [time, setTime] = useState(serverNow);
  useEffect(() => repeatWhileVisible(milliseconds, () => setTime(serverNow())), []);
  // Another check-in may have come since.
  return Math.max(time, serverNow());
}
