import { useLayoutEffect, useRef } from 'react';
import { inboxLoading } from '../../state/inbox/known';
import { losesFocus } from '../../ui/lists/focus';
import { useKeepScroll } from '../../ui/lists/keep-scroll';

/**
 * Keeps what is being read where it is on the screen, whatever comes above it.
 * @param reading finds what is being read, before and after
 * @param from above what is kept in place: only what comes between moves it, also while the messages
 * come for the first time
 */
export function useKeepInboxScroll(
  reading: () => readonly (Element | null | undefined)[],
  from?: () => Element | null,
): void {
  const settled = useRef(from !== undefined);
  // While it is rendered, the page is still as it was, or moved as a whole by what is further up.
  useKeepScroll(settled.current ? reading() : [], from, losesFocus);
  useLayoutEffect(() => {
    settled.current = from !== undefined || inboxLoading.value.is === 'ready';
  });
}
