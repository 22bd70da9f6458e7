/** A page of a server list: request and answer. */
export interface WantedPage {
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
