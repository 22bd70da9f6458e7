/** What several parts of the contract use. */

/** ISO 8601 in UTC with milliseconds, such as `2026-11-21T09:30:00.000Z`. */
export type Timestamp = string;

/** A page of a list: `total` counts all rows that match, `page` starts at 1. */
export interface Page {
  total: number;
  page: number;
  limit: number;
}

export interface PageQuery {
  page?: number;
  limit?: number;
  /** Text to look for; absent or empty means all. */
  query?: string;
}

export interface Message {
  message: string;
}
