/**
 * The fresh rows, and of those that are as they were the very objects of before: who draws them
 * need not draw them anew.
 */
export function reuseEqualRows<Row>(old: readonly Row[], fresh: readonly Row[]): Row[] {
  const known = new Map(old.map((row) => [JSON.stringify(row), row]));
  return fresh.map((row) => {
    const text = JSON.stringify(row);
    const same = known.get(text) ?? row;
    known.delete(text); // of two that are alike each is one of its own
    return same;
  });
}
