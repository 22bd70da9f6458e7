/**
 * Turns entries of the contract into routes: path, body and answer are typed by `Endpoints`, so
 * that no route can drift.
 */
import type { Context } from 'hono';
import { calls } from '../../src/shared/contract/calls';
import type { DescribedCall } from '../../src/shared/contract/common';
import type { Answer, Body, Endpoint, ParamNames, Received } from '../../src/shared/contract';
import { isOnPostgres } from '../db/lock';
import { nextTurn } from '../lib/loop';
import type { Action } from '../permissions';
import type { Services } from '../services';
import { createAdmission } from './access/caller';
import type { Caller } from './access/caller';
import { limitPeople, limitReads, personLimits } from './access/person-limits';
import { readAddress } from './connections/address';
import { Reply, answerCall, answerJson } from './answer';
import type { App, Env } from './env';
import { readBody, readBodyWith } from './body';
import type { BodyReader } from './body';
import { missing } from './errors';
import { readPaging } from './paging';
import type { Paging } from './paging';
import { limitBodies, underWayLimits } from './connections/under-way';

/** One request, read and allowed. */
interface Call<E extends Endpoint, A extends Action> extends Caller<A> {
  params: Record<ParamNames<E>, string>;
  body: Received<E>;
  /** Of a body that a `reader` read. */
  bytes: number;
  paging: Paging;
  /** What was asked for behind the path. */
  query: URLSearchParams;
  address: string;
  header(name: string): string | undefined;
  /** Asks once more whether the caller may. @throws HttpError 401, 403 */
  askAgain(): Promise<unknown>;
  /** Ends the connection: half of an answer is not to be taken for the whole. */
  cut(): void;
}

interface Definition<E extends Endpoint, A extends Action> {
  action: A;
  status?: 200 | 201 | 202;
  /** Its path may end with a slash, too. */
  mayEndInSlash?: true;
  /** Where its key is used too often: 503 for callers that repeat nothing else. */
  tooOften?: 503;
  answer(call: Call<E, A>): Promise<Answer<E> | Reply> | Answer<E>;
}
/** How a body is read, where that is not by its schema in the contract alone. */
type WithBody<E extends Endpoint> =
  Body<E> extends undefined
    ? { reader?: never; maxBytes?: never }
    : {
        reader?: BodyReader<Received<E>>;
        /** Where its schema has room for more than others. */
        maxBytes?: number;
      };

/**
 * Adds one route of the contract. The caller is admitted before anything that they sent is looked at.
 */
export type AddRoute = <E extends Endpoint, A extends Action>(
  endpoint: E,
  definition: Definition<E, A> & WithBody<E>,
) => void;

/** What a route says of itself. */
export interface KnownRoute {
  action: Action;
  status: number;
}

/** Of one person: as many as may come at once (`access/person-limits.ts`). */
const MAX_WAITING_READS = 300;

/** @param known gets every route that is added */
export function createAddRoute(
  app: App,
  services: Services,
  known: Map<Endpoint, KnownRoute>,
): AddRoute {
  const withBody = limitBodies(underWayLimits);
  // The embedded engine answers one at a time, and others come between two reads of one person.
  const atOnce = isOnPostgres(services.db) ? personLimits.atOnce : 1;
  const { readsPerSecond } = services.config;
  const waiting = readsPerSecond === 0 ? Infinity : MAX_WAITING_READS;
  const readInTurn = limitPeople({ atOnce, waiting });
  const countRead = limitReads(readsPerSecond);
  const admit = createAdmission(services);
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
    known.set(endpoint, { action, status });
    const paths = definition.mayEndInSlash ? [path, `${path}/`] : [path];
    app.on(method, paths, async (context) => {
      context.set('endpoint', endpoint);
      const authorization = context.req.header('authorization');
      const address = readAddress(context.env, context.req.header('x-forwarded-for'), services);
      const askAgain = () => admit(action, { authorization, address });
      const counts = { tooOften: definition.tooOften ?? 429 } as const;
      let caller = await admit(action, { authorization, address }, counts);
      const userId = caller.user?.id ?? caller.device?.user_id;
      if (userId !== undefined) context.set('userId', userId);
      if (method === 'GET' && caller.user !== undefined) countRead(caller.user.id);
      if (caller.key !== undefined) context.set('keyId', caller.key.id);
      const { value: body, bytes } = await readAny(context, definition, schema, address);
      // A body comes as slowly as its sender likes, and authority may be gone by its end.
      if (body !== undefined) caller = await askAgain();
      type Typed = Parameters<typeof definition.answer>[0];
      const call: Record<keyof Typed, unknown> = Object.assign(new Asked(context), caller, {
        params: context.req.param(),
        body,
        bytes,
        address,
        askAgain,
      });
      // The one place where what was checked at run time (params by Hono, body by its schema) gets
      // its static type.
      const answer = async () => definition.answer(call as Typed);
      const answered =
        method === 'GET' && caller.user !== undefined
          ? await readInTurn(caller.user.id, () => nextTurn().then(answer))
          : await answer();
      if (answered instanceof Reply)
        return answerCall(context, answered.status, answered.body, answered.headers);
      return answerJson(context, status, answered);
    });
  };
}

/** What is read of a request only where its route wants it. Lighter than getters made for each. */
class Asked {
  readonly #context: Context<Env>;
  constructor(context: Context<Env>) {
    this.#context = context;
  }
  get query(): URLSearchParams {
    return new URL(this.#context.req.url).searchParams;
  }
  get paging(): Paging {
    return readPaging(this.query);
  }
  readonly header = (name: string): string | undefined => this.#context.req.header(name);
  readonly cut = (): void => void this.#context.env.incoming.socket.destroy();
}

/** A row id from a path. What cannot be one names nothing that exists. */
export function readId(text: string, notFound: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text))) throw missing(notFound);
  return Number(text);
}
