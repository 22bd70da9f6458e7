/** Keeps the objects of unchanged rows, so that they are not rendered again. */
export function reuseEqualRows<Row>(old: readonly Row[], fresh: readonly Row[]): Row[] {
  const known = new Map(old.map((row) => [JSON.stringify(row), row]));
  return fresh.map((row) => {
    const text = JSON.stringify(row);
    const same = known.get(text) ?? row;
    known.delete(text); // of two that are alike each is one of its own
    return same;
  });
}
