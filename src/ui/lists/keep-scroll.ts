/** Keeps what is read where it is on the screen. */
import { useLayoutEffect } from 'react';

const topOf = (element: Element | null | undefined): number =>
  element?.getBoundingClientRect().top ?? 0;

/**
 * Once a rendering is drawn, the first of these elements that is still there is where it was on the
 * screen before, whatever came above it, or went: the browser's own scroll anchoring does not do that at the top of a page, and Safari has none.
 * @param from above what is kept in place: only what comes between moves it
 * @param unless a move by so many pixels is to be left as it is
 */
export function useKeepScroll(
  elements: readonly (Element | null | undefined)[],
  from?: () => Element | null | undefined,
  unless?: (moved: number) => boolean,
): void {
  const distance = (element: Element) => topOf(element) - topOf(from?.());
  const before = elements.flatMap((element) =>
    element ? [{ element, was: distance(element) }] : [],
  );
  useLayoutEffect(() => {
    const left = before.find(({ element }) => element.isConnected);
    const moved = left ? distance(left.element) - left.was : 0;
    if (left && moved && !unless?.(moved)) scrollAlong(moved, left.element);
  });
}

/** The row that a finger or pointer is on, then the first five that are not above the screen. */
export function rowsInView(rows: string): (Element | null)[] {
  const found = [document.querySelector(`${rows}:hover`)];
  for (const row of document.querySelectorAll(rows))
    if (row.getBoundingClientRect().bottom > 0 && found.push(row) > 5) break; // of thousands
  return found;
}

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
