/**
 * Turns entries of the contract into routes: path, body and answer are typed by `Endpoints`, so
 * that no route can drift.
 */
import type { Context } from 'hono';
import type { GenericSchema } from 'valibot';
import type { Answer, Body, Endpoint, ParamNames } from '../../src/shared/contract';
import { readDevice, transactAs, transactAsDevice } from './access/authority';
import type { Transact } from './access/authority';
import { readDeviceKey } from './access/device-key';
import type { DeviceKey } from './access/device-key';
import { createKeyAdmission } from './access/topic-key';
import type { KeyCaller } from './access/topic-key';
import { limitPeople, personLimits } from './access/person-turns';
import type { InTurn } from './access/person-turns';
import { limitReads } from './access/read-limit';
import { readSession, readToken } from './access/session';
import type { Session, SessionClaims } from './access/session';
import { isOnPostgres } from '../db/lock';
import { nextTurn } from '../delivery/queue/sleep';
import type { DeviceRow, UserRow } from '../db/schema';
import type { Services } from '../services';
import { clientAddress } from './connections/address';
import { answerCall, answerJson } from './answer';
import type { App, Env } from './env';
import { readBody, readBodyWith } from './body';
import type { BodyReader } from './body';
import { HttpError, missing } from './errors';
import { readPaging } from './paging';
import type { Paging } from './paging';
import { Reply } from './reply';
import { limitBodies, underWayLimits } from './connections/under-way';

/**
 * `device` is a device's key; `user-or-device` is either, and the route itself asks the database
 * whether it still holds. `key` is a topic's key.
 */
export type Access = 'anyone' | 'user' | 'admin' | 'device' | 'user-or-device' | 'key';

/** On whose word something is asked for: genuine where it is a login token, and not more than that. */
export type Claimed = { session: SessionClaims } | { key: DeviceKey };

/** One request, read and allowed. */
export interface Call<E extends Endpoint, A extends Access> {
  params: Record<ParamNames<E>, string>;
  body: Body<E>;
  /** Of a body that a `reader` read. */
  bytes: number;
  paging: Paging;
  /** What was asked for behind the path. */
  query: URLSearchParams;
  /** Who asks, as the database knows them now. */
  user: A extends 'user' | 'admin' ? UserRow : undefined;
  /** Of the session that asks; undefined for a token of an earlier version. */
  sid: string | undefined;
  /** Whose key it is. */
  device: A extends 'device' ? DeviceRow : undefined;
  claimed: A extends 'user-or-device' ? Claimed : undefined;
  /** With which key, of which topic. */
  key: A extends 'key' ? KeyCaller : undefined;
  /** What every change is made in: it asks once more whether who asks may. */
  transact: A extends 'anyone' | 'user-or-device' ? undefined : Transact;
  address: string;
  header(name: string): string | undefined;
  /** Ends the connection: half of an answer is not to be taken for the whole. */
  cut(): void;
}

interface Definition<E extends Endpoint, A extends Access> {
  access: A;
  status?: 200 | 201 | 202;
  /** Its path may end with a slash, too. */
  mayEndInSlash?: true;
  /** Where its key is used too often: 503 for callers that repeat nothing else. */
  tooOften?: 503;
  answer(call: Call<E, A>): Promise<Answer<E> | Reply> | Answer<E>;
}
type WithBody<E extends Endpoint> =
  Body<E> extends undefined
    ? { body?: never; reader?: never }
    :
        | { body: GenericSchema<unknown, Body<E>>; reader?: never }
        | { body?: never; reader: BodyReader<Body<E>> };

/**
 * Adds one route of the contract. Access is checked before anything that the caller sent is looked
 * at.
 */
export type AddRoute = <E extends Endpoint, A extends Access>(
  endpoint: E,
  definition: Definition<E, A> & WithBody<E>,
) => void;

/** What a route says of itself. */
export interface KnownRoute {
  access: Access;
  status: number;
  /** Of its body, as far as that is JSON. */
  body: GenericSchema | undefined;
}

/** Of one person: as many as may come at once (`access/read-limit.ts`). */
const MAX_WAITING_READS = 300;

/** @param known gets every route that is added */
export function createAddRoute(
  app: App,
  services: Services,
  known: Map<Endpoint, KnownRoute>,
): AddRoute {
  const withBody = limitBodies(underWayLimits);
  const inTurn = limitPeople();
  // The embedded engine answers one at a time, and others come between two reads of one person.
  const atOnce = isOnPostgres(services.db) ? personLimits.atOnce : 1;
  const { readsPerSecond } = services.config;
  const waiting = readsPerSecond === 0 ? Infinity : MAX_WAITING_READS;
  const readInTurn = limitPeople({ atOnce, waiting });
  const countRead = limitReads(readsPerSecond);
  const admitKey = createKeyAdmission(services);
  const readAny = (
    { req, env: { incoming } }: Context<Env>,
    { body: schema, reader }: { body?: GenericSchema; reader?: BodyReader<unknown> },
    address: string,
  ): Promise<{ value?: unknown; bytes: number }> => {
    if (reader !== undefined)
      return withBody(address, (cut) => readBodyWith(req, incoming, reader, cut));
    if (schema === undefined) return Promise.resolve({ bytes: 0 });
    return withBody(address, async (cut) => ({
      value: await readBody(req, incoming, schema, cut),
      bytes: 0,
    }));
  };
  return (endpoint, definition) => {
    const [method = '', path = ''] = endpoint.split(' ');
    const { access, status = 200 } = definition;
    const schema = definition.body ?? definition.reader?.schema;
    known.set(endpoint, { access, status, body: schema });
    const paths = definition.mayEndInSlash ? [path, `${path}/`] : [path];
    app.on(method, paths, async (context) => {
      context.set('endpoint', endpoint);
      const authorization = context.req.header('authorization');
      const address = readAddress(context.env, context.req.header('x-forwarded-for'), services);
      const admitCaller = (counts?: { tooOften: 429 | 503 }): Promise<Caller> =>
        access === 'key'
          ? admitKey(authorization, address, counts).then((key) => ({ ...NO_CALLER, ...key }))
          : admit(access, { authorization, address }, services, inTurn);
      let caller = await admitCaller({ tooOften: definition.tooOften ?? 429 });
      const userId = caller.user?.id ?? caller.device?.user_id;
      if (userId !== undefined) context.set('userId', userId);
      if (method === 'GET' && caller.user !== undefined) countRead(caller.user.id);
      if (caller.key !== undefined) context.set('keyId', caller.key.id);
      const { value: body, bytes } = await readAny(context, definition, address);
      // A body comes as slowly as its sender likes, and authority may be gone by its end.
      if (body !== undefined) caller = await admitCaller();
      type Typed = Parameters<typeof definition.answer>[0];
      const call: Record<keyof Typed, unknown> = Object.assign(new Asked(context), caller, {
        params: context.req.param(),
        body,
        bytes,
        address,
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

type Caller = Pick<
  Call<Endpoint, Access>,
  'user' | 'sid' | 'device' | 'claimed' | 'key' | 'transact'
>;
const NO_CALLER = {
  user: undefined,
  sid: undefined,
  device: undefined,
  claimed: undefined,
  key: undefined,
  transact: undefined,
};

/** Who asks, if they may, and how they change something. @throws HttpError 401, 403 */
async function admit(
  access: Exclude<Access, 'key'>,
  { authorization, address }: { authorization: string | undefined; address: string },
  services: Services,
  inTurn: InTurn,
): Promise<Caller> {
  if (access === 'user-or-device') {
    const key = readDeviceKey(authorization);
    const claimed = key ? { key } : { session: await readToken(authorization, services) };
    return { ...NO_CALLER, claimed };
  }
  if (access === 'device') {
    const key = readDeviceKey(authorization);
    const device = await readDevice(key, services);
    const transact = transactAsDevice(key, address, services);
    return { ...NO_CALLER, device, transact: takingTurns(device.user_id, transact, inTurn) };
  }
  const session = await authorize(access, authorization, services);
  if (session === undefined) return NO_CALLER;
  const transact = transactAs(session, address, services);
  return { ...NO_CALLER, ...session, transact: takingTurns(session.user.id, transact, inTurn) };
}

const takingTurns =
  (userId: number, transact: Transact, inTurn: InTurn): Transact =>
  (work, order) =>
    inTurn(userId, () => transact(work, order));

/**
 * Who asks, if they may: anybody, somebody signed in, or an administrator. @throws HttpError 401,
 * 403
 */
export async function authorize(
  access: 'anyone' | 'user' | 'admin',
  authorization: string | undefined,
  services: Services,
): Promise<Session | undefined> {
  if (access === 'anyone') return undefined;
  const session = await readSession(authorization, services);
  if (access === 'admin' && session.user.role !== 'ADMIN')
    throw new HttpError(403, 'You might not have the required permissions.');
  return session;
}

/** The address that a request really comes from. */
export function readAddress(
  { incoming }: Env['Bindings'],
  forwardedFor: string | undefined,
  services: Services,
): string {
  return clientAddress(
    incoming.socket.remoteAddress ?? '',
    forwardedFor,
    services.config.trustedProxies,
  );
}

/** A row id from a path. What cannot be one names nothing that exists. */
export function readId(text: string, notFound: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(Number(text))) throw missing(notFound);
  return Number(text);
}
