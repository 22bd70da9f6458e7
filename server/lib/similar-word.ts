/** Suggests the intended word for a mistyped one. */

/** Longer words are compared only this far. */
const MAX_COMPARED_LENGTH = 60;

/** The nearest option, if it is near: one letter in four may be wrong. */
export function findSimilarWord(word: string, options: Iterable<string>): string | undefined {
  let max = Math.max(1, Math.floor(Math.min(word.length, MAX_COMPARED_LENGTH) / 4));
  let mostSimilar: string | undefined;
  for (const option of options) {
    const changes = countChanges(
      word.slice(0, MAX_COMPARED_LENGTH),
      option.slice(0, MAX_COMPARED_LENGTH),
      max,
    );
    if (changes > max || (changes === max && mostSimilar !== undefined)) continue;
    [mostSimilar, max] = [option, changes];
  }
  return mostSimilar;
}

/**
 * Letters to insert, delete, change, or swap with their neighbor (optimal string alignment). Gives
 * up above `max`, which keeps it cheap.
 */
export function countChanges(word: string, other: string, max: number): number {
  if (Math.abs(word.length - other.length) > max) return max + 1;
  let rowBeforeLast: number[] = [];
  let lastRow = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= word.length; row += 1) {
    const nextRow = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const substitution = word[row - 1] === other[column - 1] ? 0 : 1;
      let fewestChanges = Math.min(
        (lastRow[column] ?? 0) + 1,
        (nextRow[column - 1] ?? 0) + 1,
        (lastRow[column - 1] ?? 0) + substitution,
      );
      if (word[row - 1] === other[column - 2] && word[row - 2] === other[column - 1])
        fewestChanges = Math.min(fewestChanges, (rowBeforeLast[column - 2] ?? Infinity) + 1);
      nextRow.push(fewestChanges);
    }
    if (Math.min(...nextRow) > max) return max + 1;
    [rowBeforeLast, lastRow] = [lastRow, nextRow];
  }
  return lastRow[other.length] ?? 0;
}
