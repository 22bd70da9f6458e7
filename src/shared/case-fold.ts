/** Normalizes text for comparison: case, width and composition (Unicode NFKC). */
export function foldCase(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC');
}
