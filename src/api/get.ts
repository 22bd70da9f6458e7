/**
 * What `call` does not do, for administrators' screens alone: a GET with headers of its own, whose
 * answer the caller reads.
 */
import type { Endpoint, ErrorBody, ParamNames } from '../shared/contract';
import { address } from './address';
import { session } from './call';
import { ApiError } from './error';
import { readJson } from './json';

type PathOf<E extends Endpoint> = E extends `GET ${infer Path}` ? Path : never;

interface Asked<E extends Endpoint> {
  params: Record<ParamNames<PathOf<E>>, string | number>;
  query?: object;
  headers?: Record<string, string>;
  /** What to say if the server gives no reason of its own (S8.2). */
  fallback: string;
  /** In milliseconds, with all of the answer. */
  limit: number;
}

/**
 * Resolves with an answer whose status is 2xx or 304, as `read` reads it.
 * @throws {ApiError} always, and nothing else
 */
export async function get<E extends Endpoint, Value>(
  endpoint: E,
  { params, query, headers, fallback, limit }: Asked<E>,
  read: (response: Response) => Promise<Value>,
): Promise<Value> {
  const token = session.token();
  let response: Response;
  let value: Value | undefined;
  let refusal: Partial<ErrorBody> | null | undefined;
  try {
    response = await fetch(address(endpoint.slice('GET '.length), params, query), {
      headers: { ...headers, Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(limit),
      cache: 'no-store',
    });
    if (response.ok || response.status === 304) value = await read(response);
    else refusal = (await readJson(response)) as typeof refusal;
  } catch (error) {
    if (session.token() !== token) throw new ApiError('stale', '');
    throw error instanceof ApiError ? error : new ApiError('unreachable', fallback);
  }
  if (session.token() !== token) throw new ApiError('stale', '');
  if (value !== undefined) return value;
  if (response.status === 401 && token) session.rejected(token, refusal?.code);
  const reason = refusal?.error;
  throw new ApiError(
    'refused',
    typeof reason === 'string' && reason ? reason : fallback,
    response.status,
    Number(response.headers.get('Retry-After')) || undefined,
  );
}
