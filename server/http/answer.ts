import type { Context } from 'hono';
import type { Env } from './env';

/** Headers stay a plain record: Hono's helpers build `Headers` several times, which is slow. */
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

export class Reply {
  constructor(
    readonly status: 200 | 304 | 400 | 503,
    readonly headers: Record<string, string>,
    readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  ) {}
}
