import { Fragment, useState, type ReactNode } from 'react';
import { Pager, rangeText } from './Pager';

/** Page size of lists that the server sends whole. */
export const CLIENT_PAGE_SIZE = 50;

interface Props<Row> {
  rows: readonly Row[];
  /** A row's name, such as `topic`. */
  noun: string;
  portion?: number;
  /** Shown beside the pager's buttons. */
  controls?: ReactNode;
  children: (rows: readonly Row[]) => ReactNode;
}

/** Rows in pages. The pager is shown if there are several pages or other controls. */
export function ClientPager<Row>({
  rows,
  noun,
  portion = CLIENT_PAGE_SIZE,
  controls,
  children,
}: Props<Row>) {
  // The page's first row, which stays in view if the page size changes.
  const [firstIndex, setFirstIndex] = useState(0);
  const lastPageNumber = Math.max(1, Math.ceil(rows.length / portion));
  const page = Math.min(Math.floor(firstIndex / portion) + 1, lastPageNumber); // the rows may have become fewer
  const shownRows = rows.slice((page - 1) * portion, page * portion);
  return (
    <>
      {/* Another page starts at its top. */}
      <Fragment key={`${page} ${portion}`}>{children(shownRows)}</Fragment>
      {(lastPageNumber > 1 || controls) && (
        <Pager
          page={page}
          last={lastPageNumber}
          controls={controls}
          onGo={(pageNumber) => setFirstIndex((pageNumber - 1) * portion)}
        >
          {rangeText({ page, limit: portion, total: rows.length, rows: shownRows }, noun)}
        </Pager>
      )}
    </>
  );
}
