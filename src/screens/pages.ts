/** A list that the server gives page by page: which page is shown, and the ways through it. */
import { useState } from 'react';
import { useLoad } from './load';

/** Rows on a page (specification, section 9). */
const LIMIT = 10;

export interface Wanted {
  page: number;
  limit: number;
  query: string;
}
export interface PageOf<Row> {
  rows: readonly Row[];
  total: number;
  page: number;
  limit: number;
}
export type Pages<Row> = ReturnType<typeof usePages<Row>>;

/** The number of the last page; an empty list has one page. */
const lastPage = ({ total, limit }: { total: number; limit: number }): number => Math.max(1, Math.ceil(total / (limit > 0 ? limit : LIMIT)) || 1);

/** Reads a page; where the list has become shorter than that, its last page (the last row of the last page was deleted). */
async function readWithin<Row>(read: (wanted: Wanted) => Promise<PageOf<Row>>, wanted: Wanted): Promise<PageOf<Row>> {
  const page = await read(wanted);
  const last = lastPage(page);
  return wanted.page > last ? read({ ...wanted, page: last }) : page;
}

/** Page 1 of everything at first. `go` takes a page from 1 to `last`; `search` starts at page 1 again. */
export function usePages<Row>(read: (wanted: Wanted) => Promise<PageOf<Row>>, fallback: string) {
  const [wanted, setWanted] = useState<Wanted>({ page: 1, limit: LIMIT, query: '' });
  const { value: shown, ...rest } = useLoad(wanted, (now) => readWithin(read, now), fallback);
  const last = shown ? lastPage(shown) : 1;
  return {
    ...rest,
    shown,
    last,
    page: Math.min(wanted.page, last),
    query: wanted.query,
    go: (page: number) => setWanted((old) => ({ ...old, page })),
    search: (query: string) => setWanted((old) => (old.query === query ? old : { ...old, page: 1, query })),
  };
}
