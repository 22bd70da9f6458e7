/** Copies text. False if the browser rejects it or has no clipboard (plain http). */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export function selectText(element: Element | null): void {
  if (element) getSelection()?.selectAllChildren(element);
}
