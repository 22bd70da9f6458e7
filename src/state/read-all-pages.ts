/** A page of a server list: request and response. */
export interface PageRequest {
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

/** The server's limit. */
const MAX_PAGE_SIZE = 100;
const MAX_PAGES = 10;

/**
 * The list's first thousand rows, for choices.
 * @throws {ApiError}
 */
export async function readAllPages<Row extends { id: number }>(
  read: (request: PageRequest) => Promise<PageOf<Row>>,
): Promise<readonly Row[]> {
  const allRows: Row[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { rows, total } = await read({ page, limit: MAX_PAGE_SIZE, query: '' });
    allRows.push(...rows);
    if (rows.length === 0 || allRows.length >= total) break;
  }
  // Pages may overlap if a row is added while they are read.
  return [...new Map(allRows.map((one) => [String(one.id), one])).values()];
}
