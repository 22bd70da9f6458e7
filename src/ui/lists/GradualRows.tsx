/** Long lists: draws a screenful at once, and the rest while the browser is idle. */
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { whenIdle } from '../when-idle';

/** More than fits on most screens; a larger screen has a faster device. */
const FIRST_ROWS = 15;
/** Takes 30 ms on a slow phone. */
const ROWS_PER_BATCH = 40;
/** Between batches, where the browser cannot tell that it is idle. */
const BATCH_PAUSE_MS = 20;

/** How many rows to draw: soon all, so that they can be found, read out and printed. */
export function useGradualCount(rows: number): number {
  const [drawnCount, setDrawnCount] = useState(FIRST_ROWS);
  const isLess = drawnCount < rows;
  useEffect(() => {
    if (isLess) whenIdle(() => setDrawnCount(drawnCount + ROWS_PER_BATCH), BATCH_PAUSE_MS);
  }, [drawnCount, isLess]);
  return drawnCount;
}

type Draw<Row> = (row: Row, index: number) => ReactNode;

/** An unchanged row (`reuseEqualRows`) keeps its element. A new `draw` renders all rows again. */
export function useCachedRows<Row extends object>(draw: Draw<Row>): Draw<Row> {
  const elements = useMemo(() => new WeakMap<Row, ReactNode>(), [draw]);
  return (row, index) => {
    const element = elements.get(row) ?? draw(row, index);
    elements.set(row, element);
    return element;
  };
}

/**
 * A list's rows, drawn in batches.
 * @useSignals
 */
export function GradualRows<Row extends object>({
  rows,
  draw,
}: {
  rows: readonly Row[];
  draw: Draw<Row>;
}) {
  return rows.slice(0, useGradualCount(rows.length)).map(useCachedRows(draw));
}
