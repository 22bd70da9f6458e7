/** What Hono carries along with each request. */
import type { IncomingMessage } from 'node:http';
import type { Hono } from 'hono';

export interface Env {
  Bindings: { incoming: IncomingMessage };
  Variables: {
    requestId: string;
    /** That every answer has; answers to calls are made with them. */
    headers: Record<string, string>;
    isAnswered?: boolean;
    endpoint?: string;
    userId?: number;
    /** The id of the topic's key that asks. */
    keyId?: number;
  };
}

/** The app that routes are added to. */
export type App = Hono<Env>;
