/** Turns the contract's entries into routes: `Endpoints` types the path, body and response. */
import type { Context } from 'hono';
import { calls } from '../../src/shared/contract/calls';
import type { DescribedCall } from '../../src/shared/contract/common';
import type { ResponseOf, Body, Endpoint, ParamNames, Received } from '../../src/shared/contract';
import { isOnPostgres } from '../db/lock';
import { yieldToEventLoop } from '../lib/loop';
import type { Action } from '../permissions';
import type { Services } from '../services';
import { createCallerCheck } from './access/caller';
import type { Caller } from './access/caller';
import { createConcurrencyLimiter, limitReads, PERSON_CHANGE_LIMITS } from './access/person-limits';
import { readAddress } from './connections/client-address';
import { CustomResponse, respond, respondJson } from './response';
import type { App, Env } from './env';
import { readBody, readBodyWith } from './body';
import type { BodyReader } from './body';
import { notFoundError } from './errors';
import { readPaging } from './paging';
import type { Paging } from './paging';
import { limitBodies, bodyLimits } from './connections/body-limits';

interface RouteCall<E extends Endpoint, A extends Action> extends Caller<A> {
  params: Record<ParamNames<E>, string>;
  body: Received<E>;
  bytes: number;
  paging: Paging;
  query: URLSearchParams;
  address: string;
  header(name: string): string | undefined;
  /** A GET that wants no body: Hono passes it on as one. */
  isHead: boolean;
  /**
   * Checks again that the caller may still do this.
   * @throws HttpError 401, 403
   */
  reauthorize(): Promise<unknown>;
  /** Closes the connection, so that the client sees that the response is incomplete. */
  closeConnection(): void;
}

interface RouteDefinition<E extends Endpoint, A extends Action> {
  action: A;
  status?: 200 | 201 | 202;
  allowsTrailingSlash?: true;
  /** The status if a topic key is used too often: some callers repeat only a 503. */
  rateLimitStatus?: 503;
  respond(call: RouteCall<E, A>): Promise<ResponseOf<E> | CustomResponse> | ResponseOf<E>;
}
type BodyOptions<E extends Endpoint> =
  Body<E> extends undefined
    ? { reader?: never; maxBytes?: never }
    : {
        reader?: BodyReader<Received<E>>;
        maxBytes?: number;
      };

/** Adds one route of the contract. It authorizes the caller before it reads anything they sent. */
export type AddRoute = <E extends Endpoint, A extends Action>(
  endpoint: E,
  definition: RouteDefinition<E, A> & BodyOptions<E>,
) => void;

export interface KnownRoute {
  action: Action;
  status: number;
}

const MAX_WAITING_READS = 300;

export function createAddRoute(
  app: App,
  services: Services,
  routes: Map<Endpoint, KnownRoute>,
): AddRoute {
  const withBody = limitBodies(bodyLimits);
  // SQLite serves one read at a time; this lets others come between two reads of one person.
  const atOnce = isOnPostgres(services.db) ? PERSON_CHANGE_LIMITS.atOnce : 1;
  const { readsPerSecond } = services.config;
  const maxWaiting = readsPerSecond === 0 ? Infinity : MAX_WAITING_READS;
  const readInTurn = createConcurrencyLimiter({ atOnce, waiting: maxWaiting });
  const countRead = limitReads(readsPerSecond);
  const authorize = createCallerCheck(services);
  const readAny = (
    { req, env: { incoming } }: Context<Env>,
    { reader, maxBytes }: { reader?: BodyReader<unknown>; maxBytes?: number },
    schema: DescribedCall['body'],
    address: string,
  ): Promise<{ value?: unknown; bytes: number }> => {
    if (reader !== undefined)
      return withBody(address, (cut) => readBodyWith(req, incoming, reader, cut));
    if (schema === undefined) return Promise.resolve({ bytes: 0 });
    return withBody(address, async (cut) => ({
      value: await readBody(req, incoming, schema, cut, maxBytes),
      bytes: 0,
    }));
  };
  return (endpoint, definition) => {
    const [method = '', path = ''] = endpoint.split(' ');
    const { action, status = 200 } = definition;
    const { body: schema } = calls[endpoint] as DescribedCall;
    routes.set(endpoint, { action, status });
    const paths = definition.allowsTrailingSlash ? [path, `${path}/`] : [path];
    app.on(method, paths, async (context) => {
      context.set('endpoint', endpoint);
      const authorization = context.req.header('authorization');
      const address = readAddress(context.env, context.req.header('x-forwarded-for'), services);
      const reauthorize = () => authorize(action, { authorization, address });
      const counts = { rateLimitStatus: definition.rateLimitStatus ?? 429 } as const;
      let caller = await authorize(action, { authorization, address }, counts);
      const userId = caller.user?.id ?? caller.device?.user_id;
      if (userId !== undefined) context.set('userId', userId);
      if (method === 'GET' && caller.user !== undefined) countRead(caller.user.id);
      if (caller.key !== undefined) context.set('keyId', caller.key.id);
      const { value: body, bytes } = await readAny(context, definition, schema, address);
      // A body may arrive slowly, and the caller may have lost the right by its end.
      if (body !== undefined) caller = await reauthorize();
      type DefinedCall = Parameters<typeof definition.respond>[0];
      const call: Record<keyof DefinedCall, unknown> = Object.assign(
        new LazyRequest(context),
        caller,
        {
          params: context.req.param(),
          body,
          bytes,
          address,
          reauthorize,
        },
      );
      // The only cast: Hono checked the params at run time, and the schema the body.
      const run = async () => definition.respond(call as DefinedCall);
      const result =
        method === 'GET' && caller.user !== undefined
          ? await readInTurn(caller.user.id, () => yieldToEventLoop().then(run))
          : await run();
      if (result instanceof CustomResponse && method === 'GET' && call.isHead)
        // Hono drops the body of a HEAD, so a download would never end.
        await (result.body as ReadableStream | null)?.cancel?.();
      if (result instanceof CustomResponse)
        return respond(context, result.status, result.body, result.headers);
      return respondJson(context, status, result);
    });
  };
}

/** Reads these parts of a request only for routes that use them. Cheaper than getters per call. */
class LazyRequest {
  readonly #context: Context<Env>;
  constructor(context: Context<Env>) {
    this.#context = context;
  }
  get query(): URLSearchParams {
    return new URL(this.#context.req.url).searchParams;
  }
  get isHead(): boolean {
    return this.#context.req.method === 'HEAD';
  }
  get paging(): Paging {
    return readPaging(this.query);
  }
  readonly header = (name: string): string | undefined => this.#context.req.header(name);
  readonly closeConnection = (): void => void this.#context.env.incoming.socket.destroy();
}

/**
 * Reads a row id from a path.
 * @throws HttpError 404 for anything that can't be one
 */
export function readId(text: string, notFound: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw notFoundError(notFound);
  return Number(text);
}
