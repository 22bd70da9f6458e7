/** Searching through what is here already, as the server searches through the rest. */
const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Says of texts whether each word of the query is in one of them, in whatever order or case. */
export function finder(query: string): (...texts: string[]) => boolean {
  const words = fold(query).split(/\s+/);
  return (...texts) => {
    const all = fold(texts.join('\n'));
    return words.every((word) => all.includes(word));
  };
}
