/** Keeps what is read where it is on the screen. */

/**
 * Scrolls along by what has come above `element`, or gone (below zero). A page that is too short for
 * it is made longer.
 */
export function scrollAlong(by: number, element: Element): void {
  const topOf = () => element.getBoundingClientRect().top;
  const before = topOf();
  scrollBy(0, by);
  const rest = by - (before - topOf());
  const page = element.closest('main');
  if (rest <= 0 || !page) return;
  page.style.minHeight = `${page.offsetHeight + rest}px`;
  scrollBy(0, rest);
}
