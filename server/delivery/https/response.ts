import type { HostConnectionLimits } from './connections';

/** How a request to a push service ended. No failure is thrown. */
export type HttpsResponse =
  | { kind: 'responded'; status: number; retryAfter: string | undefined; body: string }
  /** The address guard rejected the request. */
  | { kind: 'rejected'; reason: string }
  /** `timeout`, `busy` (our limit), `protocol`, or a system code such as `ECONNREFUSED`. */
  | { kind: 'unreachable'; reason: string }
  /** The request was no longer wanted when its turn came. */
  | { kind: 'withdrawn' };

/** Whether a request may still leave, asked once there is a connection. */
export type MaySendNow = () => Promise<boolean>;

export interface HttpsRequest {
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
  maySendNow?: MaySendNow | undefined;
}

/** `http1` and `stale`: the request was not sent. */
export type Http2Response = HttpsResponse | 'http1' | 'stale';

export interface HttpsLimits extends HostConnectionLimits {
  /** Milliseconds from resolving the name to the last byte. */
  timeout: number;
  /** Bytes read of a reply's body. */
  responseBytes: number;
  /** HTTP/1.1 connections per host; more requests wait. */
  socketsPerHost: number;
  /** Requests per host, running or waiting. */
  requestsPerHost: number;
}
