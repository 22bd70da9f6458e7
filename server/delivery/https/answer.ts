/** How a request to a push service ends, and within which limits: shared by all ways to send one. */
import type { HostConnectionLimits } from './connections';

/**
 * How a request ended. Anything that a push service can do to us is one of these; nothing is
 * thrown.
 */
export type HttpsAnswer =
  | { is: 'answered'; status: number; retryAfter: string | undefined; body: string }
  /** The guard did not let it leave, or not connect. */
  | { is: 'refused'; reason: string }
  /**
   * No answer: `timeout`, `busy` (a limit of ours), `protocol`, or the system's code such as
   * `ECONNREFUSED`.
   */
  | { is: 'unreachable'; reason: string }
  /** It was not to leave any more. */
  | { is: 'withdrawn' };

/** Asked once there is a connection, just before a request leaves: whether it still may. */
export type MayLeave = () => Promise<boolean>;

/** How an attempt ended: `http1` and `stale` say that it did not take place. */
export type Http2Answer = HttpsAnswer | 'http1' | 'stale';

export interface HttpsLimits extends HostConnectionLimits {
  /** Milliseconds for everything from resolving the name to the last byte of the answer. */
  timeout: number;
  /** Bytes of an answer's body that are read. */
  answerBytes: number;
  /** Connections to one host that speaks HTTP/1.1; further requests wait for one of them. */
  socketsPerHost: number;
  /** Requests to one host that are under way or wait for a connection. */
  requestsPerHost: number;
}
