/** Calls our backend. The contract's endpoint table types every call. */
import type { ResponseOf, Body, Endpoint, ErrorBody, ParamNames, Query } from '../shared/contract';
import { unitText } from '../platform/unit-text';
import { apiUrl } from './url';
import { ApiError } from './error';
import { matchesExample } from './matches-example';
import type { ExampleSchema } from './matches-example';

/** Time limit of a call, body included. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Delays before a GET is retried after a 503. */
const RETRY_DELAYS_MS = [500, 1000, 2000];

/** How `call` reads the session without importing it. `state/session` connects it once. */
export const sessionAccess = {
  token: (): string | null => null,
  person: (): number | undefined => undefined,
  /** Called when the server rejects `token`, with the response's `code`. */
  rejected: (_token: string, _code?: ErrorBody['code']): void => {},
  /** Called with the `Date` header of a response that just arrived. */
  answered: (_date: string | null): void => {},
};

type Path<E extends Endpoint> = E extends `${string} ${infer P}` ? P : never;
type RequiredOption<Name extends string, T> = T extends undefined ? unknown : { [K in Name]: T };
type Options<E extends Endpoint, Value> = RequiredOption<'body', Body<E>> &
  RequiredOption<'query', Query<E>> &
  ([ParamNames<Path<E>>] extends [never]
    ? unknown
    : { params: Record<ParamNames<Path<E>>, string | number> }) &
  Omit<UntypedOptions, 'body' | 'query' | 'params' | 'like' | 'read'> & {
    /**
     * Example of the response (see `matches-example.ts`). A response of another shape is `garbled`.
     */
    like?: ExampleSchema<NoInfer<Value>>;
    /** Reads a response that is not JSON, or whose headers matter. */
    read?: (response: Response) => Promise<Value>;
  };

/** `Options` without the endpoint's types, for the code below. */
interface UntypedOptions {
  /** Shown if the server gives no reason (S8.2). */
  fallback: string;
  params?: Record<string, string | number>;
  query?: object;
  /**
   * A string is sent unchanged (set `Content-Type` in `headers`); all other values are sent as
   * JSON.
   */
  body?: unknown;
  headers?: Record<string, string>;
  like?: unknown;
  read?: (response: Response) => Promise<unknown>;
  /** A status outside 2xx that counts as success, such as 304. */
  accepts?: number;
  idempotencyKey?: string;
  /** Milliseconds; 10 seconds by default. */
  limit?: number;
}

/**
 * Calls the backend and resolves with its response.
 * @throws {ApiError} always, and nothing else
 */
export async function call<E extends Endpoint, Value = ResponseOf<E>>(
  endpoint: E,
  options: Options<E, Value>,
): Promise<Value> {
  const [method = '', path = ''] = endpoint.split(' ');
  const {
    fallback,
    params,
    query,
    body,
    like = null,
    read = readJson,
    accepts,
    ...rest
  }: UntypedOptions = options;
  const token = sessionAccess.token();
  // The language of the screen, whatever the browser asks for.
  const headers: Record<string, string> = { 'Accept-Language': document.documentElement.lang };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers['Content-Type'] = 'application/json';
  if (rest.idempotencyKey) headers['Idempotency-Key'] = rest.idempotencyKey;

  for (let attempt = 0; ; attempt++) {
    let response: Response;
    let responseBody: unknown;
    let isExpected: boolean;
    const requestedAt = Date.now();
    try {
      response = await fetch(apiUrl(path, params, query), {
        method,
        headers: { ...headers, ...rest.headers },
        signal: AbortSignal.timeout(rest.limit ?? REQUEST_TIMEOUT_MS),
        cache: 'no-store',
        ...(body ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : undefined),
      });
      // A phone may have slept in between.
      if (Date.now() - requestedAt < REQUEST_TIMEOUT_MS)
        sessionAccess.answered(response.headers.get('date'));
      isExpected = response.ok || response.status === accepts;
      responseBody = await (isExpected ? read : readJson)(response);
    } catch {
      throw new ApiError('unreachable', fallback);
    }
    if (sessionAccess.token() !== token) throw new ApiError('stale', '');
    const { ok, status } = response;
    if (isExpected && responseBody != null && matchesExample(responseBody, like))
      return responseBody as Value;
    if (ok) throw new ApiError('garbled', fallback, status);
    const retryDelayMs = status === 503 && method === 'GET' ? RETRY_DELAYS_MS[attempt] : undefined;
    if (retryDelayMs) {
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
      continue;
    }
    if (status === 401 && token)
      sessionAccess.rejected(token, (responseBody as ErrorBody | undefined)?.code);
    const { message = fallback, path: field } = readReason(responseBody);
    const retryAfter = Number(response.headers.get('Retry-After')) || undefined;
    throw new ApiError(
      'rejected',
      status === 429 && retryAfter ? `${message} Wait ${durationText(retryAfter)}.` : message,
      status,
      retryAfter,
      field,
      responseBody as ErrorBody | undefined,
    );
  }
}

const durationText = (seconds: number): string =>
  LANGUAGE !== 'en'
    ? unitText(seconds > 90 ? Math.ceil(seconds / 60) : seconds, seconds > 90 ? 'minute' : 'second')
    : seconds > 90
      ? `${Math.ceil(seconds / 60)} minutes`
      : seconds === 1
        ? '1 second'
        : `${seconds} seconds`;

const textOrUndefined = (value: unknown): string | undefined =>
  typeof value === 'string' && value ? value : undefined;

/**
 * The server's `error` text, or the first validation item and its field. The text is never markup.
 */
function readReason(responseBody: unknown): {
  message?: string | undefined;
  path?: string | undefined;
} {
  const error = (responseBody as { error?: unknown } | null | undefined)?.error;
  const firstProblem: { message?: unknown; path?: unknown } | null = Array.isArray(error)
    ? error[0]
    : { message: error };
  return {
    message: textOrUndefined(firstProblem?.message),
    path: textOrUndefined(firstProblem?.path),
  };
}

/**
 * The response's JSON; undefined if it is not JSON. Rejects if the body is cut off or too late.
 * Drops fields named `toString` or `valueOf`: they would make `Date.parse` and the like throw.
 */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text, (name, value: unknown) =>
      name === 'toString' || name === 'valueOf' ? undefined : value,
    );
  } catch {
    return undefined;
  }
}
