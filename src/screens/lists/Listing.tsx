import { useMemo, useRef, type ReactNode } from 'react';
import { reuseEqualRows } from '../../state/reuse-equal-rows';
import { Pager, rangeText } from '../../ui/lists/Pager';
import { Empty, Failure, Skeleton, useKeepFocus } from '../../ui/page';
import type { ListPages } from './use-pages';

interface Props<Row> {
  list: ListPages<Row>;
  /** The singular noun of a row, such as `topic`. */
  noun: string;
  /** Shown if the whole list is empty; a text gets a panel. */
  empty: ReactNode;
  /** Replaces `1–10 of 47 topics`. */
  status?: string | undefined;
  /** Shown beside the pager's buttons. */
  controls?: ReactNode;
  /** The list changes without a press, so the focus must not move. */
  live?: boolean;
  children: (rows: readonly Row[]) => ReactNode;
}

/** A list in all its states: loading, failed (with the old rows), empty, or shown with a pager. */
export function Listing<Row>({ list, noun, empty, status, controls, live, children }: Props<Row>) {
  const { shown, failure, loading, query } = list;
  const formerRows = useRef<readonly Row[]>([]);
  const rows = useMemo(
    () => (formerRows.current = reuseEqualRows(formerRows.current, shown?.rows ?? [])),
    [shown],
  );
  useKeepFocus(!live && shown);
  return (
    <>
      {failure && <Failure retry={list.retry}>{failure}</Failure>}
      {!shown && loading && <Skeleton table />}
      {shown?.rows.length === 0 &&
        (query ? (
          <NoResults query={query} />
        ) : typeof empty === 'string' ? (
          <Empty>{empty}</Empty>
        ) : (
          empty
        ))}
      {shown && shown.rows.length > 0 && (
        <>
          <div aria-busy={loading || undefined}>{children(rows)}</div>
          <Pager page={list.page} last={list.last} controls={controls} onGo={list.go}>
            {status ?? rangeText(shown, noun)}
          </Pager>
        </>
      )}
    </>
  );
}

export const NoResults = ({ query }: { query: string }) => (
  <Empty>
    No results for “<bdi>{query}</bdi>”. Try a shorter search.
  </Empty>
);
