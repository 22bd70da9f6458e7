import { Fragment, useState, type ReactNode } from 'react';
import { Pager, range } from './Pager';

/** So many rows are shown at a time where the server gives all at once: there may be thousands. */
export const PORTION = 50;

interface Props<Row> {
  rows: readonly Row[];
  /** What a row is, such as `topic`. */
  noun: string;
  children: (rows: readonly Row[]) => ReactNode;
}

/** Rows, a portion at a time: with a pager as soon as there is more than one. */
export function ClientPager<Row>({ rows, noun, children }: Props<Row>) {
  const [wanted, setWanted] = useState(1);
  const last = Math.max(1, Math.ceil(rows.length / PORTION));
  const page = Math.min(wanted, last); // the rows may have become fewer
  const shown = rows.slice((page - 1) * PORTION, page * PORTION);
  return (
    <>
      {/* Another page begins at its top. */}
      <Fragment key={page}>{children(shown)}</Fragment>
      {last > 1 && (
        <Pager page={page} last={last} onGo={setWanted}>
          {range({ page, limit: PORTION, total: rows.length, rows: shown }, noun)}
        </Pager>
      )}
    </>
  );
}
