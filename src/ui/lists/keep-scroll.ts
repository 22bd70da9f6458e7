/** Keeps the element being read at its place on the screen. */
import { useLayoutEffect } from 'react';

const getTop = (element: Element | null | undefined): number =>
  element?.getBoundingClientRect().top ?? 0;

/**
 * Keeps the first of these elements that still exists at its place on the screen: browsers' scroll
 * anchoring does not work at the top of a page, and Safari has none.
 * @param from measures from this element: only what changes between the two counts
 * @param unless whether to leave a move of that many pixels
 */
export function useKeepScroll(
  elements: readonly (Element | null | undefined)[],
  from?: () => Element | null | undefined,
  unless?: (moved: number) => boolean,
): void {
  const distanceFromAnchor = (element: Element) => getTop(element) - getTop(from?.());
  const positions = elements.flatMap((element) =>
    element ? [{ element, was: distanceFromAnchor(element) }] : [],
  );
  useLayoutEffect(() => {
    const remainingElement = positions.find(({ element }) => element.isConnected);
    const moved = remainingElement
      ? distanceFromAnchor(remainingElement.element) - remainingElement.was
      : 0;
    if (remainingElement && moved && !unless?.(moved)) scrollAlong(moved, remainingElement.element);
  });
}

/** The row under the pointer, then the first five that are in view or below. */
export function rowsInView(rows: string): (Element | null)[] {
  const candidates = [document.querySelector(`${rows}:hover`)];
  for (const row of document.querySelectorAll(rows))
    if (row.getBoundingClientRect().bottom > 0 && candidates.push(row) > 5) break; // of thousands
  return candidates;
}

/** `by` may be negative. Lengthens a page that is too short. */
export function scrollAlong(by: number, element: Element): void {
  const formerTop = getTop(element);
  scrollBy(0, by);
  const remainingDistance = by - (formerTop - getTop(element));
  const page = element.closest('main');
  if (remainingDistance <= 0 || !page) return;
  page.style.minHeight = `${page.offsetHeight + remainingDistance}px`;
  scrollBy(0, remainingDistance);
}

/**
 * Whether scrolling would hide the element with keyboard focus, or one marked `data-keep-in-view`.
 * A heading may lose its focus after navigation.
 */
export function wouldHide(by: number): boolean {
  const focusedElement = document.activeElement as HTMLElement | null;
  const isFocusShown =
    focusedElement && focusedElement.tabIndex >= 0 && focusedElement.matches(':focus-visible');
  return [isFocusShown ? focusedElement : null, document.querySelector('[data-keep-in-view]')].some(
    (element) => element !== null && getTop(element) >= 0 && getTop(element) < by,
  );
}
