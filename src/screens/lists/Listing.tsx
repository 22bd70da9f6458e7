import { useMemo, useRef, type ReactNode } from 'react';
import { reuseEqualRows } from '../../state/reuse-equal-rows';
import { Pager, range } from '../../ui/lists/Pager';
import { Empty, Failure, Skeleton, useFocusKept } from '../../ui/page';
import type { Pages } from './pages';

interface Props<Row> {
  list: Pages<Row>;
  /** What a row is, such as `topic`. */
  noun: string;
  /** What to say when the whole list is empty, and what to do about it. */
  empty: string;
  /** What the page is, where `1–10 of 47 topics` does not say it. */
  status?: string | undefined;
  /** More controls for its pages, beside the pager's. */
  controls?: ReactNode;
  /** It changes by itself, while somebody reads it: the focus is not moved then. */
  live?: boolean;
  /** The table. */
  children: (rows: readonly Row[]) => ReactNode;
}

/**
 * A list in each of its states: loading, failed (with the old rows below), empty, and shown with
 * its pager.
 */
export function Listing<Row>({ list, noun, empty, status, controls, live, children }: Props<Row>) {
  const { shown, failure, loading, query } = list;
  const before = useRef<readonly Row[]>([]);
  const rows = useMemo(
    () => (before.current = reuseEqualRows(before.current, shown?.rows ?? [])),
    [shown],
  );
  useFocusKept(!live && shown);
  return (
    <>
      {failure && <Failure retry={list.retry}>{failure}</Failure>}
      {!shown && loading && <Skeleton />}
      {shown?.rows.length === 0 &&
        (query ? <NothingFound query={query} /> : <Empty>{empty}</Empty>)}
      {shown && shown.rows.length > 0 && (
        <>
          <div aria-busy={loading || undefined}>{children(rows)}</div>
          <Pager page={list.page} last={list.last} controls={controls} onGo={list.go}>
            {status ?? range(shown, noun)}
          </Pager>
        </>
      )}
    </>
  );
}

export const NothingFound = ({ query }: { query: string }) => (
  <Empty>
    Nothing found for “<bdi>{query}</bdi>”. Try fewer letters.
  </Empty>
);
