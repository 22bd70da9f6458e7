import { useLayoutEffect, useRef } from 'react';
import { loading } from '../../state/inbox/known';

/**
 * Keeps what is being read where it is on the screen, whatever comes above it. The browser's own
 * scroll anchoring does not do it at the top of a page, and Safari has none.
 * @param reading finds what is being read, before and after
 */
export function useSteady(reading: () => Element | null | undefined): void {
  const settled = useRef(false);
  // While it is rendered, the page is still as it was.
  const before = settled.current ? reading() : null;
  const top = before?.getBoundingClientRect().top;
  useLayoutEffect(() => {
    settled.current = loading.value.is === 'ready';
    if (!before?.isConnected || top === undefined) return;
    const moved = before.getBoundingClientRect().top - top;
    if (moved) scrollBy(0, moved);
  });
}
