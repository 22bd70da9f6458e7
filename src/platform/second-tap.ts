/** A double tap: its second tap may hit a button that has just moved under the finger. */
const SECOND_TAP_MS = 600;

let movedAt = -Infinity;

/** Call when buttons appear or move. */
export function noteMovedButtons(at = performance.now()): void {
  movedAt = at;
}

/** Whether a tap now would follow another so closely that it was meant for the same button. */
export const isSoonAfter = (at: number): boolean => {
  const elapsed = performance.now() - at;
  return elapsed >= 0 && elapsed < SECOND_TAP_MS;
};

export const isSecondTap = (): boolean => isSoonAfter(movedAt);

/** Runs an action after which other buttons are under the finger. Not for a second tap. */
export function tapOnce(action: () => void): void {
  if (isSecondTap()) return;
  noteMovedButtons();
  action();
}
