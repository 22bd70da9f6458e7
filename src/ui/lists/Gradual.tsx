/** Long lists: what fits on a screen is drawn at once, the rest when there is nothing else to do. */
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { whenIdle } from '../idle';

/** Rows that are drawn at once: a screen has no more, unless it is large, and then it is fast. */
const AT_ONCE = 15;
/** And so many at a time afterwards: on a slow phone that takes 30 ms. */
const PIECE = 40;
/** Between two of them, where the browser does not tell when it has nothing to do. */
const PAUSE_MS = 20;

/**
 * How many of so many rows are to be drawn by now. Soon it is all of them: nothing can be found,
 * read out or printed that is not there.
 */
export function useGradual(rows: number): number {
  const [drawn, setDrawn] = useState(AT_ONCE);
  const isLess = drawn < rows;
  useEffect(() => {
    if (isLess) whenIdle(() => setDrawn(drawn + PIECE), PAUSE_MS);
  }, [drawn, isLess]);
  return drawn;
}

type Draw<Row> = (row: Row, index: number) => ReactNode;

/**
 * Draws a row, as a component with a key, once: one that is as it was (`reuseEqualRows`) is the same
 * element, which is not drawn anew. All of them are, when `draw` is another function.
 */
export function useDrawn<Row extends object>(draw: Draw<Row>): Draw<Row> {
  const elements = useMemo(() => new WeakMap<Row, ReactNode>(), [draw]);
  return (row, index) => {
    const element = elements.get(row) ?? draw(row, index);
    elements.set(row, element);
    return element;
  };
}

/** All rows of a list, by and by. @useSignals */
export function Gradual<Row extends object>({
  rows,
  draw,
}: {
  rows: readonly Row[];
  /** See `useDrawn`. */
  draw: Draw<Row>;
}) {
  return rows.slice(0, useGradual(rows.length)).map(useDrawn(draw));
}
