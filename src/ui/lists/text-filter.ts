/** Client-side search that matches as the server's does. */
const foldCase = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Returns whether the texts contain every word of the query, in any order and case. */
export function createTextFilter(query: string): (...texts: string[]) => boolean {
  const words = foldCase(query).split(/\s+/);
  return (...texts) => {
    const foldedText = foldCase(texts.join('\n'));
    return words.every((word) => foldedText.includes(word));
  };
}
