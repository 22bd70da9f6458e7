import type { Context } from 'hono';
import type { Env } from './env';

/**
 * Answers a call. Headers stay a plain record until Node writes them: Hono's own helpers build
 * `Headers` several times, which took as long as the call itself.
 */
export function answerCall(
  context: Context<Env>,
  status: number,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  headers?: Record<string, string>,
): Response {
  context.set('isAnswered', true);
  return new Response(body, { status, headers: { ...context.get('headers'), ...headers } });
}

export const answerJson = (
  context: Context<Env>,
  status: number,
  answer: unknown,
  headers?: Record<string, string>,
): Response =>
  answerCall(context, status, JSON.stringify(answer), {
    'Content-Type': 'application/json',
    ...headers,
  });

/** A route's answer that is more than a JSON body. */
export class Reply {
  constructor(
    readonly status: 200 | 304 | 400 | 503,
    readonly headers: Record<string, string>,
    readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  ) {}
}
