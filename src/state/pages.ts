/** A page of a server list: request and answer. */
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
