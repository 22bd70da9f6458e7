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
  const isSettled = useRef(from !== undefined);
  // During rendering the page still has its old layout.
  useKeepScroll(isSettled.current ? reading() : [], from, wouldHide);
  useLayoutEffect(() => {
    isSettled.current = from !== undefined || inboxLoading.value.kind === 'ready';
  });
}
