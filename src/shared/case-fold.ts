/**
 * The form in which names and texts are compared: no difference of case, width or composition
 * (Unicode NFKC).
 */
export function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC');
}
