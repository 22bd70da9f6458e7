import type { Context } from 'hono';
import type { Env } from './env';

/** Headers stay a plain record: Hono's helpers build `Headers` several times, which is slow. */
export function respond(
  context: Context<Env>,
  status: number,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  headers?: Record<string, string>,
): Response {
  context.set('hasResponded', true);
  return new Response(body, { status, headers: { ...context.get('headers'), ...headers } });
}

export const respondJson = (
  context: Context<Env>,
  status: number,
  value: unknown,
  headers?: Record<string, string>,
): Response =>
  respond(context, status, JSON.stringify(value), {
    'Content-Type': 'application/json',
    ...headers,
  });

/** A route returns this to set the status, headers or body itself. */
export class CustomResponse {
  constructor(
    readonly status: 200 | 204 | 304 | 400 | 405 | 503,
    readonly headers: Record<string, string>,
    readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  ) {}
}
