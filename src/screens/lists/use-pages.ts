/** A paged server list and its navigation. */
import { useMemo } from 'react';
import type { PageOf, PageRequest } from '../../state/read-all-pages';
import type { ListAddress } from './list-address';
import { useLoad } from './use-load';

/** Rows per page (S9.3), by default. */
const DEFAULT_PAGE_SIZE = 10;

export type ListPages<Row> = ReturnType<typeof usePages<Row>>;

/** An empty list has one page. */
const lastPage = ({ total, limit }: { total: number; limit: number }): number =>
  Math.max(1, Math.ceil(total / (limit > 0 ? limit : DEFAULT_PAGE_SIZE)) || 1);

/** Reads a page, or the last one if the list has become shorter. */
async function readWithin<Page extends PageOf<unknown>>(
  read: (pageRequest: PageRequest) => Promise<Page>,
  request: PageRequest,
): Promise<Page> {
  const page = await read(request);
  const lastPageNumber = lastPage(page);
  return request.page > lastPageNumber ? read({ ...request, page: lastPageNumber }) : page;
}

/** The address's page, read again if `also` changes. `go` takes a page from 1 to `last`. */
export function usePages<Row, Page extends PageOf<Row> = PageOf<Row>>(
  { parts: { page, query }, change }: ListAddress<'page' | 'query'>,
  read: (pageRequest: PageRequest) => Promise<Page>,
  fallback: string,
  also: readonly unknown[] = [],
  limit = DEFAULT_PAGE_SIZE,
) {
  const request = useMemo(
    () => ({ page: Number(page) || 1, limit, query }),
    [page, query, limit, ...also],
  );
  const { value: shownPage, ...rest } = useLoad(
    request,
    (currentRequest) => readWithin(read, currentRequest),
    fallback,
  );
  const lastPageNumber = shownPage ? lastPage(shownPage) : 1;
  return {
    ...rest,
    shown: shownPage,
    last: lastPageNumber,
    page: Math.min(request.page, lastPageNumber),
    query,
    go: (pageNumber: number) => change({ page: String(pageNumber) }, true),
    search: (text: string) => text === query || change({ page: '', query: text }),
  };
}
