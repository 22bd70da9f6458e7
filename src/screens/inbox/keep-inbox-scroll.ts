import { useLayoutEffect, useRef } from 'react';
import { inboxLoading } from '../../state/inbox/inbox-state';
import { useKeepScroll, wouldHide } from '../../ui/lists/keep-scroll';

/**
 * Keeps the element being read in place when others appear above it.
 * @param reading the element being read, before and after
 * @param from measures from this element, even while messages load for the first time
 */
export function useKeepInboxScroll(
  reading: () => readonly (Element | null | undefined)[],
  from?: () => Element | null,
): void {
  const isSettled = useRef(false);
  // During rendering the page still has its old layout.
  useKeepScroll(
    isSettled.current || from ? reading() : [],
    from,
    // The first messages are what a page that begins at its top shows first.
    (moved) => (!isSettled.current && scrollY === 0) || wouldHide(moved),
  );
  useLayoutEffect(() => {
    isSettled.current = inboxLoading.value.kind === 'ready';
  });
}
