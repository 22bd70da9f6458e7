/** Where the focus goes when what has it goes. */
import { useEffect, useRef, type FocusEvent } from 'react';

/**
 * A row that vanishes by itself, as somebody can be reached again, takes what has the focus with it:
 * then the heading has it. A focus that is elsewhere stays, since nothing was pressed.
 * @returns what to tell of each focus inside
 */
export function useFocusNotLost(shown: unknown): (event: FocusEvent) => void {
  const last = useRef<Element>(undefined);
  useEffect(() => {
    if (!last.current || last.current.isConnected) return;
    last.current = undefined;
    if (document.activeElement === document.body)
      document.querySelector('h1')?.focus({ preventScroll: true });
  }, [shown]);
  return ({ target }) => {
    last.current = target;
  };
}
