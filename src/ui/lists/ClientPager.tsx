import { Fragment, useState, type ReactNode } from 'react';
import { Pager, range } from './Pager';

/** So many rows are shown at a time where the server gives all at once: there may be thousands. */
export const PORTION = 50;

interface Props<Row> {
  rows: readonly Row[];
  /** What a row is, such as `topic`. */
  noun: string;
  /** How many are shown at a time. */
  portion?: number;
  /** More controls for them, beside the pager's. */
  controls?: ReactNode;
  children: (rows: readonly Row[]) => ReactNode;
}

/** Rows, a portion at a time: with a pager as soon as there is more than one, or other controls. */
export function ClientPager<Row>({
  rows,
  noun,
  portion = PORTION,
  controls,
  children,
}: Props<Row>) {
  // The first row of the page: it stays where a page becomes shorter or longer.
  const [first, setFirst] = useState(0);
  const last = Math.max(1, Math.ceil(rows.length / portion));
  const page = Math.min(Math.floor(first / portion) + 1, last); // the rows may have become fewer
  const shown = rows.slice((page - 1) * portion, page * portion);
  return (
    <>
      {/* Another page begins at its top. */}
      <Fragment key={`${page} ${portion}`}>{children(shown)}</Fragment>
      {(last > 1 || controls) && (
        <Pager
          page={page}
          last={last}
          controls={controls}
          onGo={(to) => setFirst((to - 1) * portion)}
        >
          {range({ page, limit: portion, total: rows.length, rows: shown }, noun)}
        </Pager>
      )}
    </>
  );
}
