/** What somebody meant who mistyped a word. */

/** Longer words are only compared this far. */
const MOST = 60;

/** The option that is nearest to the word, where one is near: a letter in four may be wrong. */
export function findLikely(word: string, options: Iterable<string>): string | undefined {
  let most = Math.max(1, Math.floor(Math.min(word.length, MOST) / 4));
  let likely: string | undefined;
  for (const option of options) {
    const changes = countChanges(word.slice(0, MOST), option.slice(0, MOST), most);
    if (changes > most || (changes === most && likely !== undefined)) continue;
    [likely, most] = [option, changes];
  }
  return likely;
}

/**
 * How many letters must be put in, left out, changed, or swapped with their neighbour, to come from
 * one word to the other (optimal string alignment). Gives up above `most`, which keeps it cheap.
 */
export function countChanges(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + same,
      );
      if (one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        least = Math.min(least, (before[column - 2] ?? Infinity) + 1);
      next.push(least);
    }
    if (Math.min(...next) > most) return most + 1;
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
