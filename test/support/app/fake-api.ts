/** The backend behind `fetch`: each call answers what the test set, and is recorded. */
import type { ResponseOf, Endpoint, ErrorBody } from '../../../src/shared/contract';

export interface FakeApiRequest {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
  headers: Headers;
}
type Reply = (apiRequest: FakeApiRequest) => Promise<Response>;

const replies = new Map<string, Reply>();
const requests: (FakeApiRequest & { endpoint: string })[] = [];
const unexpected: string[] = [];
const realFetch = globalThis.fetch;

const json = (status: number, body: unknown, headers: HeadersInit = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });

export const fakeApi = {
  /** `endpoint` answers this from now on; a function gets the request. */
  reply<E extends Endpoint>(
    endpoint: E,
    body: ResponseOf<E> | ((sentRequest: FakeApiRequest) => ResponseOf<E> | Promise<ResponseOf<E>>),
  ): void {
    replies.set(endpoint, async (sentRequest) =>
      json(200, typeof body === 'function' ? await body(sentRequest) : body),
    );
  },
  /** `endpoint` answers with this status, headers and body from now on. */
  respond(
    endpoint: Endpoint,
    respond: (sentRequest: FakeApiRequest) => Response | Promise<Response>,
  ): void {
    replies.set(endpoint, async (sentRequest) => respond(sentRequest));
  },
  /** If `error` is missing, the response has no reason. */
  reject(
    endpoint: Endpoint,
    status: number,
    error?: ErrorBody['error'],
    headers?: HeadersInit,
  ): void {
    replies.set(endpoint, async () =>
      json(status, error === undefined ? { oops: true } : { error }, headers),
    );
  },
  /** The request fails, as if offline. */
  loseRequests(endpoint: Endpoint): void {
    replies.set(endpoint, () => Promise.reject(new TypeError('fetch failed')));
  },
  /** Answers with a page, like a captive portal. */
  replyWithPage(endpoint: Endpoint, status = 200): void {
    replies.set(
      endpoint,
      async () =>
        new Response('<h1>Welcome to the hotel</h1>', {
          status,
          headers: { 'Content-Type': 'text/html' },
        }),
    );
  },
  /** Answers of `endpoint` wait until the returned function is called. */
  holdReplies(endpoint: Endpoint): () => void {
    const heldReply = replies.get(endpoint);
    if (!heldReply) throw new Error(`Call fakeApi.reply('${endpoint}', …) before fakeApi.hold.`);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    replies.set(endpoint, async (sentRequest) => {
      await released;
      return heldReply(sentRequest);
    });
    return release;
  },
  requestsTo: (endpoint: Endpoint): FakeApiRequest[] =>
    requests.filter((sentRequest) => sentRequest.endpoint === endpoint),
  countRequests: (): number => requests.length,

  install(): void {
    replies.clear();
    requests.length = unexpected.length = 0;
    globalThis.fetch = (input, init) => handleFetch(String(input), init);
  },
  /** @throws {Error} if a request came that the test did not expect */
  remove(): void {
    globalThis.fetch = realFetch;
    const calls = unexpected.splice(0);
    if (calls.length)
      throw new Error(`Unexpected requests: ${calls.join(', ')}. Add fakeApi.reply(…) for each.`);
  },
};

const readBody = (text: string, headers: Headers): unknown =>
  headers.get('content-type') === 'text/csv' ? text : JSON.parse(text);

async function handleFetch(
  address: string,
  { method = 'GET', body, headers }: RequestInit = {},
): Promise<Response> {
  const { pathname, searchParams } = new URL(address, location.href);
  for (const [endpoint, handler] of replies) {
    const [verb, pattern = ''] = endpoint.split(' ');
    const match = new RegExp(`^${pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`).exec(pathname);
    if (!match || verb !== method) continue;
    const request = {
      params: { ...match.groups },
      query: Object.fromEntries(searchParams),
      body: body ? readBody(String(body), new Headers(headers)) : undefined,
      headers: new Headers(headers),
    };
    requests.push({ endpoint, ...request });
    return handler(request);
  }
  unexpected.push(`${method} ${pathname}`);
  return json(404, { error: 'This test has no reply for this request.' });
}
