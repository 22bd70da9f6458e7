/** Talks to our backend. Every call is typed by the contract's endpoint table. */
import type { Answer, Body, Endpoint, ErrorBody, ParamNames, Query } from '../shared/contract';
import { address } from './address';
import { ApiError, Challenged } from './error';
import { fits } from './fits';
import type { Example } from './fits';

/** A server that has not answered by then will not: the call is given up, body included. */
const LIMIT_MS = 10_000;
/** A 503 says "not now": reading again is safe, so GETs wait this long and ask again. */
const RETRY_MS = [500, 1000, 2000];

/**
 * How the client learns of the session, without depending on it. Connected once, by
 * `state/session`.
 */
export const session = {
  token: (): string | null => null,
  /** Whose session it is. */
  person: (): number | undefined => undefined,
  /** Told when the server does not accept `token` any more, with the answer's `code`. */
  rejected: (_token: string, _code?: ErrorBody['code']): void => {},
};

type Path<E extends Endpoint> = E extends `${string} ${infer P}` ? P : never;
type Need<Name extends string, T> = T extends undefined ? unknown : { [K in Name]: T };
type Options<E extends Endpoint, Value> = Need<'body', Body<E>> &
  Need<'query', Query<E>> &
  ([ParamNames<Path<E>>] extends [never]
    ? unknown
    : { params: Record<ParamNames<Path<E>>, string | number> }) &
  Omit<Loose, 'body' | 'query' | 'params' | 'like' | 'read'> & {
    /** Whether the answer has its shape (see `fits.ts`): any other is refused as garbled. */
    like?: Example<NoInfer<Value>>;
    /** How an answer is read that is not JSON, or of which more than that counts. */
    read?: (response: Response) => Promise<Value>;
  };

/** The same for the code below: which of them an endpoint takes matters to callers only. */
interface Loose {
  /** What to say if the server gives no reason of its own (S8.2). */
  fallback: string;
  params?: Record<string, string | number>;
  query?: object;
  /** Text is sent as it is, with its `Content-Type` in `headers`; all else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  like?: unknown;
  read?: (response: Response) => Promise<unknown>;
  /** A status besides 2xx whose answer is one, such as 304. */
  accepts?: number;
  /** Sent as `Idempotency-Key`: repeating the call with the same key does the work once. */
  idempotencyKey?: string;
  /** Milliseconds, where ten seconds is too long to wait. */
  limit?: number;
}

/**
 * Calls the backend and resolves with its answer.
 * @throws {ApiError} always, and nothing else
 */
export async function call<E extends Endpoint, Value = Answer<E>>(
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
  }: Loose = options;
  const token = session.token();
  const headers: Record<string, string> = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers['Content-Type'] = 'application/json';
  if (rest.idempotencyKey) headers['Idempotency-Key'] = rest.idempotencyKey;

  for (let attempt = 0; ; attempt++) {
    let response: Response;
    let answer: unknown;
    let isAnswer: boolean;
    try {
      response = await fetch(address(path, params, query), {
        method,
        headers: { ...headers, ...rest.headers },
        signal: AbortSignal.timeout(rest.limit ?? LIMIT_MS),
        cache: 'no-store',
        ...(body ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : undefined),
      });
      isAnswer = response.ok || response.status === accepts;
      answer = await (isAnswer ? read : readJson)(response);
    } catch {
      throw new ApiError('unreachable', fallback);
    }
    if (session.token() !== token) throw new ApiError('stale', '');
    const { ok, status } = response;
    if (isAnswer && answer != null && fits(answer, like)) return answer as Value;
    if (ok) throw new ApiError('garbled', fallback, status);
    const wait = status === 503 && method === 'GET' ? RETRY_MS[attempt] : undefined;
    if (wait) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      continue;
    }
    if (status === 401 && token) session.rejected(token, (answer as ErrorBody | undefined)?.code);
    const { message = fallback, path: field } = reason(answer);
    if (SECOND_FACTOR) {
      const { code, challenge } = Object(answer) as ErrorBody;
      if (challenge && code && code !== 'signed_out')
        throw new Challenged(message, code, challenge);
    }
    const after = Number(response.headers.get('Retry-After')) || undefined;
    throw new ApiError(
      'refused',
      status === 429 && after ? `${message} Wait ${duration(after)}.` : message,
      status,
      after,
      field,
    );
  }
}

const duration = (seconds: number): string =>
  seconds > 90
    ? `${Math.ceil(seconds / 60)} minutes`
    : seconds === 1
      ? '1 second'
      : `${seconds} seconds`;

const words = (value: unknown): string | undefined =>
  typeof value === 'string' && value ? value : undefined;

/**
 * The server's own words: its `error` text, or the first validation item with the field it is
 * about. Never markup.
 */
function reason(answer: unknown): { message?: string | undefined; path?: string | undefined } {
  const error = (answer as { error?: unknown } | null | undefined)?.error;
  const first: { message?: unknown; path?: unknown } | null = Array.isArray(error)
    ? error[0]
    : { message: error };
  return { message: words(first?.message), path: words(first?.path) };
}

/**
 * What an answer's JSON says; undefined where it is none. Rejects if it is cut off or too late. A
 * field by the name of these methods would make `Date.parse` and the like throw: it is left out.
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
