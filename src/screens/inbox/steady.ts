import { useLayoutEffect, useRef } from 'react';
import { loading } from '../../state/inbox/known';
import { losesFocus } from '../../ui/focus';
import { scrollAlong } from '../../ui/steady';

const topOf = (element: Element | null | undefined): number =>
  element?.getBoundingClientRect().top ?? 0;

/**
 * Keeps what is being read where it is on the screen, whatever comes above it. The browser's own
 * scroll anchoring does not do it at the top of a page, and Safari has none.
 * @param reading finds what is being read, before and after
 * @param from above what is kept in place: only what comes between moves it, also while the messages
 * come for the first time
 */
export function useSteady(
  reading: () => Element | null | undefined,
  from?: () => Element | null,
): void {
  const settled = useRef(from !== undefined);
  // While it is rendered, the page is still as it was, or moved as a whole by what is further up.
  const before = settled.current ? reading() : null;
  const distance = () => topOf(before) - topOf(from?.());
  const was = distance();
  useLayoutEffect(() => {
    settled.current = from !== undefined || loading.value.is === 'ready';
    const moved = before?.isConnected ? distance() - was : 0;
    if (before && moved && !losesFocus(moved)) scrollAlong(moved, before);
  });
}
