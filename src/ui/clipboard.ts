/**
 * Copies text. False where the browser refuses, or has no clipboard (plain http): then the person
 * has to do it.
 */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Selects all text of an element, so that Ctrl+C or a long press copies it. */
export function selectText(element: Element | null): void {
  if (element) getSelection()?.selectAllChildren(element);
}
