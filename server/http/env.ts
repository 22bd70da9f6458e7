import type { IncomingMessage } from 'node:http';
import type { Hono } from 'hono';

export interface Env {
  Bindings: { incoming: IncomingMessage };
  Variables: {
    requestId: string;
    /** The trace of a trusted proxy's `traceparent`. */
    traceId?: string;
    headers: Record<string, string>;
    hasResponded?: boolean;
    endpoint?: string;
    userId?: number;
    keyId?: number;
  };
}

export type App = Hono<Env>;
