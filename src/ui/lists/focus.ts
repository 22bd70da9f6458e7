/** Whether scrolling would hide the element with keyboard focus; not a heading after navigation. */
export function losesFocus(by: number): boolean {
  const focused = document.activeElement as HTMLElement | null;
  if (!focused || focused.tabIndex < 0 || !focused.matches(':focus-visible')) return false;
  const { top } = focused.getBoundingClientRect();
  return top >= 0 && top < by;
}
