/** Keeps the objects of unchanged rows, so that they are not rendered again. */
export function reuseEqualRows<Row>(oldRows: readonly Row[], newRows: readonly Row[]): Row[] {
  const rowsByText = new Map(oldRows.map((row) => [JSON.stringify(row), row]));
  return newRows.map((row) => {
    const text = JSON.stringify(row);
    const equalRow = rowsByText.get(text) ?? row;
    rowsByText.delete(text); // a second equal row must not reuse the same object
    return equalRow;
  });
}
