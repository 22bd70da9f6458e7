/**
 * Whether scrolling by so many pixels takes out of sight what somebody has reached by the keyboard.
 * A heading that has the focus only since its screen came is not that.
 */
export function losesFocus(by: number): boolean {
  const focused = document.activeElement as HTMLElement | null;
  if (!focused || focused.tabIndex < 0 || !focused.matches(':focus-visible')) return false;
  const { top } = focused.getBoundingClientRect();
  return top >= 0 && top < by;
}
