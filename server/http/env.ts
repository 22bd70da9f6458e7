import type { IncomingMessage } from 'node:http';
import type { Hono } from 'hono';

export interface Env {
  Bindings: { incoming: IncomingMessage };
  Variables: {
    requestId: string;
    /** Headers of every answer. */
    headers: Record<string, string>;
    isAnswered?: boolean;
    endpoint?: string;
    userId?: number;
    /** Id of the caller's topic key. */
    keyId?: number;
  };
}

export type App = Hono<Env>;
