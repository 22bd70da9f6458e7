/** Keeps what is read where it is on the screen. */
import { useLayoutEffect } from 'react';

const topOf = (element: Element | null | undefined): number =>
  element?.getBoundingClientRect().top ?? 0;

/**
 * Once a rendering is drawn, the element is where it was on the screen before, whatever came above
 * it: the browser's own scroll anchoring does not do that at the top of a page, and Safari has none.
 * @param from above what is kept in place: only what comes between moves it
 * @param unless a move by so many pixels is to be left as it is
 */
export function useInPlace(
  element: Element | null | undefined,
  from?: () => Element | null | undefined,
  unless?: (moved: number) => boolean,
): void {
  const distance = () => topOf(element) - topOf(from?.());
  const was = distance();
  useLayoutEffect(() => {
    const moved = element?.isConnected ? distance() - was : 0;
    if (element && moved && !unless?.(moved)) scrollAlong(moved, element);
  });
}

/** The row that a finger or pointer is on, else the first that is not above the screen. */
export const rowInView = (rows: string): Element | null | undefined =>
  document.querySelector(`${rows}:hover`) ??
  [...document.querySelectorAll(rows)].find((row) => row.getBoundingClientRect().bottom > 0);

/**
 * Scrolls along by what has come above `element`, or gone (below zero). A page that is too short for
 * it is made longer.
 */
export function scrollAlong(by: number, element: Element): void {
  const before = topOf(element);
  scrollBy(0, by);
  const rest = by - (before - topOf(element));
  const page = element.closest('main');
  if (rest <= 0 || !page) return;
  page.style.minHeight = `${page.offsetHeight + rest}px`;
  scrollBy(0, rest);
}
